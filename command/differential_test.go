package command

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	scripts = flag.Int("scripts", 600, "number of generated scripts to compare with bash")
	seed    = flag.Uint64("seed", 1, "seed of the generator")
)

// TestDifferential runs generated scripts in a real bash, where every program
// only records its name and arguments, and wants each of them among what Parse
// found. A script is made of harmless words only; it runs in an empty
// directory with a PATH of stubs.
func TestDifferential(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("the comparison needs bash: ", err)
	}
	stats := map[string]int{}
	for done, batch := 0, 0; done < *scripts; batch++ {
		n := min(500, *scripts-done)
		done += n
		g := &generator{rand: rand.New(rand.NewPCG(*seed, uint64(batch)))}
		texts := make([]string, n)
		for i := range texts {
			for texts[i] = g.script(); outside.MatchString(strings.ReplaceAll(texts[i], ">/dev/null ", "")); {
				texts[i] = g.script()
			}
		}
		ran := runBatch(t, bash, texts)
		for i, text := range texts {
			compareRun(t, text, ran[i], stats)
		}
		if t.Failed() {
			break
		}
	}
	t.Log(stats)
	t.Logf("scripts %d, unknown %d, well-formed without dynamic programs %d of which unknown %d, commands run %d, scripts that ran something %d",
		stats["scripts"], stats["unknown"], stats["static"], stats["static unknown"], stats["ran"], stats["running"])
}

func compareRun(t *testing.T, text string, ran [][]string, stats map[string]int) {
	t.Helper()
	script := Parse(text, Bash)
	unknown, dynamic := len(script.Unknown) > 0, false
	for _, c := range script.Commands {
		for f := c; f != nil; f = f.Outer {
			unknown = unknown || len(f.Unknown) > 0 || f.Opaque != ""
			dynamic = dynamic || !f.Program.Known
		}
	}
	broken := slices.ContainsFunc(script.Unknown, func(r Reason) bool { return r.Code == Syntax })
	stats["scripts"]++
	if unknown {
		stats["unknown"]++
	}
	if !dynamic && !broken {
		stats["static"]++
		if unknown {
			stats["static unknown"]++
			stats[firstReason(script)]++
		}
	}
	if len(ran) > 0 {
		stats["running"]++
	}
	stats["ran"] += len(ran)
	for _, argv := range ran {
		if !unknown && !foundIn(script, argv) {
			t.Errorf("bash ran %q, which is not in the analysis of\n%s", argv, text)
		}
	}
}

func firstReason(script *Script) string {
	for _, c := range script.Commands {
		for f := c; f != nil; f = f.Outer {
			if len(f.Unknown) > 0 {
				return "because of " + string(f.Unknown[0].Code)
			}
			if f.Opaque != "" {
				return "because of opaque"
			}
		}
	}
	return ""
}

func foundIn(script *Script, argv []string) bool {
	for _, c := range script.Commands {
		for f := c; f != nil; f = f.Outer {
			if wordsMatch(append([]Word{f.Program}, f.Args...), argv) {
				return true
			}
		}
	}
	return false
}

// wordsMatch: an unknown word stands for one word, or for any number.
func wordsMatch(words []Word, argv []string) bool {
	if len(words) == 0 {
		return len(argv) == 0
	}
	word := words[0]
	switch {
	case word.Known || word.Symbolic != "" && word.single:
		return len(argv) > 0 && (word.Text == argv[0] || word.Symbolic != "") && wordsMatch(words[1:], argv[1:])
	case word.single:
		return len(argv) > 0 && strings.HasPrefix(argv[0], word.Text) && wordsMatch(words[1:], argv[1:])
	}
	for n := range len(argv) + 1 {
		if wordsMatch(words[1:], argv[n:]) {
			return true
		}
	}
	return false
}

// outside finds redirections that may write beyond the scratch directory, such as
// a broken /dev/null.
var outside = regexp.MustCompile(`>[>|&]?\s*["'~$\\]*/`)

const driver = `
exec 8<"$INPUT"
export FUNCNEST=6 HOME=$PWD/work LC_ALL=C.UTF-8
command_not_found_handle() {
	# One write for a record: those of two processes must not mix.
	printf -v r '%s\2' "$ID" "${@//$'\n'/$'\1'}"
	printf '%s\n' "$r" >>"$REC"
	[[ $1 != *[13579] ]]
}
export -f command_not_found_handle
export ID=0
while IFS= read -r -d '' script <&8; do
	(
		exec 8<&-
		ulimit -t 1
		cd work
		unset x y
		eval "$script"
		wait
	) </dev/null >/dev/null 2>&1
	ID=$((ID + 1))
done
wait
`

// runBatch runs the texts in one bash, each in a subshell, and returns what
// each of them ran.
func runBatch(t *testing.T, bash string, texts []string) [][][]string {
	t.Helper()
	dir := t.TempDir()
	stubs(t, dir)
	record := filepath.Join(dir, "record")
	input := filepath.Join(dir, "input")
	write(t, input, strings.Join(texts, "\x00")+"\x00", 0o600)
	write(t, record, "", 0o600)
	in, err := os.Open(input)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, "--noprofile", "--norc", "-c", driver)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + filepath.Join(dir, "bin"), "REC=" + record, "INPUT=" + input}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("bash: %v\n%s", err, out)
	}
	return readRecord(t, record, len(texts))
}

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// stubs makes the PATH: recorders that wrappers can start, and the wrappers
// themselves.
func stubs(t *testing.T, dir string) {
	t.Helper()
	for _, d := range []string{"bin", "work", "work/sub"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	stub := "#!" + bash + " -p\nn=${0##*/}\nprintf -v r '%s\\2' \"$ID\" \"$n\" \"${@//$'\\n'/$'\\1'}\"\nprintf '%s\\n' \"$r\" >>\"$REC\"\ncase $n in *[13579]) exit 1;; esac\n"
	for i := range 3 {
		write(t, filepath.Join(dir, "bin", fmt.Sprintf("q%d", i)), stub, 0o700)
	}
	for _, name := range []string{"env", "timeout", "nice", "nohup", "setsid", "stdbuf", "xargs", "find", "sh", "bash"} {
		if path, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(path, filepath.Join(dir, "bin", name)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// readRecord reads lines of fields that end in a byte 2: the script's number,
// the program, its arguments. A newline in a field is a byte 1.
func readRecord(t *testing.T, name string, n int) [][][]string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	ran := make([][][]string, n)
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSuffix(line, "\x02\n"), "\x02")
		id, err := strconv.Atoi(fields[0])
		if err != nil || len(fields) < 2 || id >= n {
			t.Logf("a script changed the number of its record: %q", line)
			continue
		}
		for i := range fields {
			fields[i] = strings.ReplaceAll(fields[i], "\x01", "\n")
		}
		ran[id] = append(ran[id], fields[1:])
	}
	return ran
}
