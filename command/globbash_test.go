package command

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"
)

// TestWordsAgainstBash expands random words in a real bash and wants what each
// becomes to be the known text, to end in the suffix, and to match the pattern
// or be the word as it is (spec CMD-4, CMD-24).
func TestWordsAgainstBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("the comparison needs bash: ", err)
	}
	pieces := []string{"a", "b", ".go", "/", "*", "?", "[ab]", "[!a]", "[a-b]", "]", "{a,b}", "{1..2}", "{", "}", ",", "~", "=", ":", `"a"`, "'*'", `"?b"`, `\*`, `\a`, `"$d"`, "$d", `"$d/b"`, `"$(echo a)"`, "$'b'", `'\'`, "x"}
	random := rand.New(rand.NewPCG(*seed, 5))
	words := make([]string, 3000)
	var script strings.Builder
	for i := range words {
		for range 1 + random.IntN(5) {
			words[i] += pieces[random.IntN(len(pieces))]
		}
		script.WriteString("printf '%s\\0' " + words[i] + "; printf '\\1\\0'\n")
	}
	cmd := exec.CommandContext(t.Context(), bash, "-c", script.String())
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"d=a b", "HOME=/h", "PATH=" + os.Getenv("PATH")}
	for _, name := range []string{"a", "b", "ab", "a.go", "b.go", "abx", "*b", "x"} {
		if err := os.WriteFile(cmd.Dir+"/"+name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	results := strings.Split(string(out), "\x01\x00")
	if len(results) != len(words)+1 {
		t.Fatalf("%d results", len(results))
	}
	patterns := 0
	for i, text := range words {
		word := Parse("q "+text, Bash).Commands
		for _, got := range strings.Split(strings.TrimSuffix(results[i], "\x00"), "\x00") {
			if why := disagrees(word[len(word)-1].Args[0], got); why != "" {
				t.Errorf("%s: became %q, %s", text, got, why)
			}
		}
		if word[len(word)-1].Args[0].Pattern != "" {
			patterns++
		}
	}
	if patterns < 100 {
		t.Errorf("only %d patterns", patterns)
	}
}

func disagrees(w Word, got string) string {
	home := func(s string) string {
		if s == "~" || strings.HasPrefix(s, "~/") {
			return "/h" + s[1:]
		}
		return s
	}
	switch {
	case w.Known && w.Symbolic != "" && got != home(w.Symbolic), w.Known && w.Symbolic == "" && got != w.Text:
		return "known as " + w.Text
	case w.Known:
		return ""
	case !strings.HasSuffix(got, w.Suffix):
		return "suffix " + w.Suffix
	case w.Pattern == "":
		return ""
	}
	pattern := strings.ReplaceAll(home(w.Pattern), "[!", "[^")
	if ok, err := path.Match(pattern, got); err != nil || !ok && got != unescapeGlob(home(w.Pattern)) {
		return "pattern " + w.Pattern
	}
	return ""
}

// unescapeGlob is the text of a pattern that matches nothing.
func unescapeGlob(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}
