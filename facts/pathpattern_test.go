package facts

import (
	"cmp"
	"regexp"
	"strings"
	"testing"

	"github.com/plangate/plangate/eval"
	"pgregory.net/rapid"
)

// fataler is what tests, benchmarks and rapid have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func compileAll(t fataler, patterns ...string) PathPatterns {
	t.Helper()
	var list PathPatterns
	for _, pattern := range patterns {
		p, err := CompilePath(pattern)
		if err != nil {
			t.Fatalf("CompilePath(%q): %v", pattern, err)
		}
		list = append(list, p)
	}
	return list
}

// TestCompilePathErrors holds spec PTH-8: a pattern that cannot mean what it
// looks like is an error.
func TestCompilePathErrors(t *testing.T) {
	for _, pattern := range []string{
		"", "//etc/**", "~root/x", "../x", "a/../b", "a**", "**.env", "a/b**/c", "***",
		`C:\ws\**`, `\`, `a\/b`, "[", "[]", "[!]", "a[b", "[z-a]", "[a/b]", "{a", "a}", "{a,{b}", "a\x00", "a\nb", "\xff",
		strings.Repeat("x", MaxPatternBytes+1), strings.Repeat("*a", maxStars+1), strings.Repeat("{a,b}", 7),
		strings.Repeat("{", 1000), strings.Repeat("[", 20),
	} {
		if _, err := CompilePath(pattern); err == nil {
			t.Errorf("CompilePath(%.40q) has no error", pattern)
		}
	}
}

// TestPatternLanguage holds spec PTH-8 on paths below the workspace /w.
func TestPatternLanguage(t *testing.T) {
	tests := []struct {
		pattern  string
		matches  []string
		misses   []string
		covering Mode // of the two modes, the one to try
	}{
		{"src/*", []string{"/w/src/a.go", "/w/src/.hidden"}, []string{"/w/src", "/w/src/a/b.go", "/w/srcs/a"}, Restrictive},
		{"src/**", []string{"/w/src", "/w/src/a", "/w/src/a/b"}, []string{"/w/srcs", "/w", "/src/a"}, Permissive},
		{"src/", []string{"/w/src", "/w/src/a/b"}, []string{"/w/srcs"}, Permissive},
		{"src", []string{"/w/src"}, []string{"/w/src/a"}, Permissive},
		{"src", []string{"/w/src", "/w/src/a"}, []string{"/w/srcs"}, Restrictive}, // may be a directory
		{"**/*.env", []string{"/w/.env", "/w/prod.env", "/x/prod.env"}, []string{"/w/.env.local", "/w/a.env/x"}, Restrictive},
		{"**/*.env", []string{"/w/.env", "/w/a/b/prod.env"}, []string{"/x/prod.env"}, Permissive},
		{"**/.env", []string{"/.env", "/w/.env", "/w/a/.env"}, []string{"/w/.envrc", "/w/x.env"}, Restrictive},
		{"**/.git/**", []string{"/w/.git", "/w/.git/config", "/x/.git/a/b"}, []string{"/w/.github/x"}, Restrictive},
		{"./**/x", []string{"/w/x", "/w/a/x"}, []string{"/x"}, Restrictive}, // stays in the workspace
		{"**", []string{"/", "/etc", "/w/a"}, nil, Restrictive},
		{"**", []string{"/w", "/w/a"}, []string{"/", "/etc"}, Permissive},
		{".", []string{"/w"}, []string{"/w/a", "/"}, Permissive},
		{"/tmp/b-?/**", []string{"/tmp/b-1", "/tmp/b-é/x"}, []string{"/tmp/b-", "/tmp/b-12"}, Permissive},
		{"~/.ssh/**", []string{"/h/.ssh", "/h/.ssh/id"}, []string{"/w/.ssh/id"}, Permissive},
		{"~//foo//bar", []string{"/h/foo/bar"}, []string{"/foo/bar"}, Permissive},
		{"~", []string{"/h"}, []string{"/h/x"}, Permissive},
		{"/", []string{"/"}, []string{"/x"}, Permissive},
		{"*.{pem,key}", []string{"/w/a.pem", "/w/b.key"}, []string{"/w/c.crt"}, Permissive},
		{"{a,b/{c,d}}/x", []string{"/w/a/x", "/w/b/c/x", "/w/b/d/x"}, []string{"/w/b/x"}, Permissive},
		{"[a-c0]/[!x]", []string{"/w/b/y", "/w/0/é"}, []string{"/w/d/y", "/w/a/x", "/w/a/xy"}, Permissive},
		{`app/\[id\]/\{x\}`, []string{"/w/app/[id]/{x}"}, []string{"/w/app/i/x"}, Permissive},
		{"a*b*c", []string{"/w/abc", "/w/aXbYbc"}, []string{"/w/abcd", "/w/ab"}, Permissive},
		{"a/**/b/**/c", []string{"/w/a/b/c", "/w/a/b/b/x/c"}, []string{"/w/a/c/b"}, Permissive},
		{"\ufffd", nil, []string{"/w/\xff"}, Permissive},
		{"[!a]", nil, []string{"/w/\xff"}, Permissive},
		{"?", []string{"/w/\xff"}, nil, Permissive},
	}
	in := NewReader(Roots{Workspace: "/w", Home: "/h", Cwd: "/w"}, Settings{Files: memory{}})
	for _, tt := range tests {
		ps := compileAll(t, tt.pattern)
		for _, name := range tt.matches {
			if got := ps.Match(in.Path(name), in, tt.covering); got != eval.Yes {
				t.Errorf("%q on %q in mode %d: %v, want yes", tt.pattern, name, tt.covering, got)
			}
		}
		for _, name := range tt.misses {
			if got := ps.Match(in.Path(name), in, tt.covering); got != eval.No {
				t.Errorf("%q on %q in mode %d: %v, want no", tt.pattern, name, tt.covering, got)
			}
		}
	}
}

func TestAbsolute(t *testing.T) {
	roots := Roots{Workspace: "/p/sub", Home: "/h"}
	tests := []struct {
		pattern string
		mode    Mode
		want    string
	}{
		{"secrets/**", Restrictive, "/p/sub/secrets/**"},
		{"/secrets/**", Restrictive, "/secrets/**"},
		{"~//x", Permissive, "/h/x"},
		{"**/x", Restrictive, "/**/x"},
		{"**/x", Permissive, "/p/sub/**/x"},
	}
	for _, tt := range tests {
		p := compileAll(t, tt.pattern)[0]
		if got := p.Absolute(roots, tt.mode); got != tt.want {
			t.Errorf("Absolute of %q = %q, want %q", tt.pattern, got, tt.want)
		}
	}
	if got := compileAll(t, "~/x")[0].Absolute(Roots{}, Restrictive); got != "" {
		t.Errorf("without a home directory: %q", got)
	}
}

// TestAgainstRegexp compares with the regular expression of each pattern.
func TestAgainstRegexp(t *testing.T) {
	in := NewReader(Roots{Workspace: "/", Cwd: "/"}, Settings{Files: memory{}})
	name := rapid.StringMatching(`[ab.]{1,4}`)
	piece := rapid.OneOf(rapid.Just("**"), rapid.StringMatching(`([ab.?]|\*[ab]|\[!?ab?\]|\{a,b\*\}){1,3}`))
	translate := strings.NewReplacer(".", `\.`, "**", "(/[^/]+)*", "*", "[^/]*", "?", "[^/]", "[!", "[^/", "{", "(", ",", "|", "}", ")")
	rapid.Check(t, func(t *rapid.T) {
		var pattern, expression string
		for _, text := range rapid.SliceOfN(piece, 1, 4).Draw(t, "pattern") {
			if text == "." || text == ".." {
				continue // no names
			}
			pattern += "/" + text
			if text != "**" {
				expression += "/"
			}
			expression += translate.Replace(text)
		}
		p, err := CompilePath(cmp.Or(pattern, "/"))
		if err != nil {
			t.Skip(err.Error())
		}
		path := in.Path("/" + strings.Join(rapid.SliceOfN(name, 0, 5).Draw(t, "path"), "/"))
		want := regexp.MustCompile("^" + expression + "$").MatchString(strings.TrimSuffix(path.Lexical, "/"))
		if got := (PathPatterns{p}).Match(path, in, Permissive) == eval.Yes; got != want {
			t.Errorf("%q on %q: %v, %s says %v", pattern, path.Lexical, got, expression, want)
		}
	})
}
