package facts

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
	"pgregory.net/rapid"
)

func TestModeOf(t *testing.T) {
	for _, action := range []plangate.Action{plangate.Deny, plangate.Ask, plangate.Hook, plangate.Allow} {
		if got := ModeOf(action); (got == Permissive) != (action == plangate.Allow) {
			t.Errorf("ModeOf(%v) = %v", action, got)
		}
	}
}

// TestLinks holds spec PTH-1, PTH-2 and PTH-10 on a real file system.
func TestLinks(t *testing.T) {
	roots, _ := farm(t)
	tests := []struct {
		pattern, text string
		restrictive   eval.Truth
		permissive    eval.Truth
	}{
		{"src/**", "src/a.go", eval.Yes, eval.Yes},
		{"**", "src/new/file", eval.Yes, eval.Yes},
		{"**", "keys/id_rsa", eval.Yes, eval.No},
		{"**", "abs/id_rsa", eval.Yes, eval.No},
		{"**", "secret", eval.Yes, eval.No},
		{"**", "up/dev", eval.Yes, eval.No},
		{"**", "deep/../src", eval.Yes, eval.No},
		{"**", "pkg/../secret", eval.Yes, eval.No},
		{"**", "loop/x", eval.Yes, eval.Unknown},
		{"~/.ssh/**", "keys/id_rsa", eval.Yes, eval.No},
		{"~/.ssh/**", "keys/new", eval.Yes, eval.No},
		{"~/.ssh/**", "secret", eval.Yes, eval.No},
		{"~/.ssh/**", "loop/x", eval.Unknown, eval.No},
		{"~/.ssh/**", "src/a.go", eval.No, eval.No},
		{"~/.ssh/**", "deep/../secret", eval.Yes, eval.No}, // only if cleaned first
		{"~/other/deep/secret", "deep/../secret", eval.Yes, eval.No},
		{"nowhere/*", "gone", eval.Yes, eval.No},
		// What the pattern names is a link, for good or bad.
		{"~/.zshrc", "~/.zshrc", eval.Yes, eval.No},
		{"~/.zshrc", "~/dev/dotfiles/zshrc", eval.Yes, eval.No},
		{"keys/**", "keys/id_rsa", eval.Yes, eval.No},
		{"keys/**", "~/.ssh/id_rsa", eval.Yes, eval.No},
		{"loop/**", "src/a.go", eval.No, eval.No},
	}
	in := NewReader(roots, Settings{})
	for _, tt := range tests {
		ps := compileAll(t, tt.pattern)
		p := in.Path(tt.text)
		if got := ps.Match(p, in, Restrictive); got != tt.restrictive {
			t.Errorf("restrictive %q on %q: %v, want %v", tt.pattern, tt.text, got, tt.restrictive)
		}
		if got := ps.Match(p, in, Permissive); got != tt.permissive {
			t.Errorf("permissive %q on %q: %v, want %v", tt.pattern, tt.text, got, tt.permissive)
		}
	}
}

// TestLinkedRoots: a workspace behind a link, and links that only the
// administrator can make, do not turn a permission off.
func TestLinkedRoots(t *testing.T) {
	files := memory{"/tmp": "private/tmp", "/home/u": "/data/u", "/private/tmp/evil": "/etc", "/denied": errDenied}
	in := NewReader(Roots{Workspace: "/home/u/ws", Home: "/home/u", Cwd: "/home/u/ws"}, Settings{Files: files})
	tests := []struct {
		pattern, text string
		want          eval.Truth
	}{
		{"src/**", "src/a", eval.Yes},
		{"**", "/data/u/ws/a", eval.Yes},
		{"~/notes/**", "~/notes/a", eval.Yes},
		{"/tmp/builds/**", "/tmp/builds/a", eval.Yes},
		{"/tmp/builds/**", "/private/tmp/builds/a", eval.Yes},
		{"/tmp/evil/**", "/tmp/evil/passwd", eval.No},
		{"/denied/**", "/denied/x", eval.Unknown},
	}
	for _, tt := range tests {
		if got := compileAll(t, tt.pattern).Match(in.Path(tt.text), in, Permissive); got != tt.want {
			t.Errorf("%q on %q: %v, want %v", tt.pattern, tt.text, got, tt.want)
		}
	}
	if got := compileAll(t, "/denied/x").Match(in.Path("a"), in, Restrictive); got != eval.No {
		t.Errorf("a rule for what nobody can reach is %v for everything else, want no", got)
	}
}

func TestMatchUnknown(t *testing.T) {
	in := NewReader(Roots{Cwd: "/w"}, Settings{Files: memory{}})
	tests := []struct {
		pattern string
		path    Path
		want    [2]eval.Truth // restrictive, permissive
	}{
		{"/x/**", UnknownPath("$x"), [2]eval.Truth{eval.Unknown, eval.Unknown}},
		{"src/**", in.Path("src/a"), [2]eval.Truth{eval.Unknown, eval.Unknown}}, // no workspace
		{"~/x", in.Path("/h/x"), [2]eval.Truth{eval.Unknown, eval.Unknown}},     // no home
		{"**/x", in.Path("x"), [2]eval.Truth{eval.Yes, eval.Unknown}},
		{"**/y", in.In("").Path("x"), [2]eval.Truth{eval.Unknown, eval.Unknown}},
	}
	for _, tt := range tests {
		ps := compileAll(t, tt.pattern)
		got := [2]eval.Truth{ps.Match(tt.path, in, Restrictive), ps.Match(tt.path, in, Permissive)}
		if got != tt.want {
			t.Errorf("%q on %q: %v, want %v", tt.pattern, tt.path.Given, got, tt.want)
		}
	}
	if got := (PathPatterns{}).Match(in.Path("x"), in, Permissive); got != eval.No {
		t.Errorf("no pattern permits: %v", got)
	}
	if got := (PathPatterns{{}}).Match(in.Path("x"), in, Permissive); got != eval.No {
		t.Errorf("the zero pattern permits: %v", got)
	}
}

// TestFolding holds spec PTH-9.
func TestFolding(t *testing.T) {
	tests := []struct {
		pattern, text string
		want          [3]eval.Truth // restrictive without and with folding, permissive with folding
	}{
		{"secret/**", "SECRET/k", [3]eval.Truth{eval.No, eval.Yes, eval.No}},
		{"Public/**", "public/k", [3]eval.Truth{eval.No, eval.Yes, eval.No}},
		{"**/.env", ".Env", [3]eval.Truth{eval.No, eval.Yes, eval.No}},
		{"**/.git/**", ".g\u200cit/config", [3]eval.Truth{eval.No, eval.Yes, eval.No}},
		{"**/.env", ".env. .", [3]eval.Truth{eval.No, eval.Yes, eval.No}},
		{"**/.env", ".env::$DATA", [3]eval.Truth{eval.No, eval.Yes, eval.No}},
		{"*.PEM", "a.pem", [3]eval.Truth{eval.No, eval.Yes, eval.No}},
		{"[A-C]x", "bX", [3]eval.Truth{eval.No, eval.Yes, eval.No}},
		{"stra\u00dfe", "STRASSE", [3]eval.Truth{eval.No, eval.Yes, eval.No}},
		{"[Z-a]", "y", [3]eval.Truth{eval.No, eval.Unknown, eval.No}},
		{"caf\u00e9", "cafe\u0301", [3]eval.Truth{eval.Yes, eval.Yes, eval.No}},
		{"cafe\u0301", "caf\u00e9", [3]eval.Truth{eval.Yes, eval.Yes, eval.No}},
		{"cafe\u0301", "CAF\u00c9", [3]eval.Truth{eval.No, eval.Yes, eval.No}},
	}
	roots := Roots{Workspace: "/W", Cwd: "/W"}
	exact := NewReader(roots, Settings{Files: memory{}, Folding: FoldNever})
	folding := NewReader(roots, Settings{Files: memory{}, Folding: FoldAlways})
	for _, tt := range tests {
		ps := compileAll(t, tt.pattern)
		got := [3]eval.Truth{
			ps.Match(exact.Path(tt.text), exact, Restrictive),
			ps.Match(folding.Path(tt.text), folding, Restrictive),
			ps.Match(folding.Path(tt.text), folding, Permissive),
		}
		if got != tt.want {
			t.Errorf("%q on %q: %v, want %v", tt.pattern, tt.text, got, tt.want)
		}
	}
	for platform, want := range map[string]bool{"linux": false, "darwin": true, "windows": true} {
		if got := folds(FoldByPlatform, platform); got != want {
			t.Errorf("%s folds: %v", platform, got)
		}
	}
}

// TestMatchTree holds spec PTH-11.
func TestMatchTree(t *testing.T) {
	roots, _ := farm(t)
	tests := []struct {
		pattern, text string
		restrictive   eval.Truth
		permissive    eval.Truth
	}{
		{"~/.ssh/**", "~", eval.Yes, eval.No},
		{"~/.ssh/**", "~/.ssh", eval.Yes, eval.Yes},
		{"~/.ssh/id_rsa", "~/.ssh", eval.Yes, eval.No},
		{"~/.ssh/id_*", "~/.ssh", eval.Unknown, eval.No},
		{"~/.ssh/**", "src", eval.No, eval.No},
		{"~/.ssh/**", "/", eval.Yes, eval.No},
		{"~/.ssh/**", "keys", eval.Yes, eval.No},
		{"~/.zshrc", "~/dev", eval.Yes, eval.No}, // the link's target is in there
		{"**/.env", "src", eval.Unknown, eval.No},
		{"**/.env", ".env", eval.Yes, eval.No},
		{"**", "src", eval.Yes, eval.Yes},
		{"src/*", "src", eval.Unknown, eval.No},
		{"src/*", "src/a.go", eval.Yes, eval.No},
		{"src/*/x", "src/sub", eval.Unknown, eval.No},
		{"src/*/x", "src/sub/y", eval.No, eval.No},
		{"src/**", "src", eval.Yes, eval.Yes},
		{"src/**", ".", eval.Yes, eval.No},
	}
	in := NewReader(roots, Settings{})
	for _, tt := range tests {
		ps := compileAll(t, tt.pattern)
		p := in.Path(tt.text)
		if got := ps.MatchTree(p, in, Restrictive); got != tt.restrictive {
			t.Errorf("restrictive %q on tree %q: %v, want %v", tt.pattern, tt.text, got, tt.restrictive)
		}
		if got := ps.MatchTree(p, in, Permissive); got != tt.permissive {
			t.Errorf("permissive %q on tree %q: %v, want %v", tt.pattern, tt.text, got, tt.permissive)
		}
	}
}

// TestPermissionStaysInside: if a permissive rule says yes, opening the path as
// the kernel does, or cleaned first, ends in the pattern's directory.
func TestPermissionStaysInside(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the rules are those of POSIX")
	}
	roots, at := farm(t)
	names := []string{"src", "deep", "pkg", "keys", "gone", "up", "secret", "abs", "ws", "home", ".ssh", "a.go", "x", "..", "..", ".", "", "~", "%2e%2e", `..\`}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(names), 1, 7).Draw(t, "text"), "/")
		pattern := rapid.SampledFrom([]string{"**", "src/**", "~/other/**", "deep/**", "~/**", "{src,up}/**"}).Draw(t, "pattern")
		in := NewReader(roots, Settings{})
		if compileAll(t, pattern).Match(in.Path(text), in, Permissive) != eval.Yes {
			return
		}
		dirs := map[string][]string{"**": {"home/ws"}, "src/**": {"home/ws/src"}, "~/other/**": {"home/other"}, "~/**": {"home"}, "{src,up}/**": {"home/ws/src"}}[pattern]
		whole := text
		switch {
		case text == "~" || strings.HasPrefix(text, "~/"):
			whole = roots.Home + text[1:]
		case !strings.HasPrefix(text, "/"):
			whole = roots.Cwd + "/" + text
		}
		for _, opened := range []string{whole, filepath.Clean(whole)} {
			real, err := filepath.EvalSymlinks(opened)
			if os.IsNotExist(err) || err != nil && strings.Contains(err.Error(), "not a directory") {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			inside := false
			for _, dir := range dirs {
				inside = inside || real == at(dir) || strings.HasPrefix(real, at(dir)+"/")
			}
			if !inside {
				t.Errorf("%q permits %q, which opens %q", pattern, text, real)
			}
		}
	})
}

// TestResolveAgainstEvalSymlinks compares with the standard library wherever
// the latter has an answer, and with the kernel's view of "..".
func TestResolveAgainstEvalSymlinks(t *testing.T) {
	roots, _ := farm(t)
	names := []string{"src", "deep", "pkg", "keys", "gone", "up", "secret", "abs", "ws", ".ssh", "x", "..", ".", ""}
	rapid.Check(t, func(t *rapid.T) {
		text := roots.Cwd + "/" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(names), 1, 7).Draw(t, "text"), "/")
		if _, err := os.Stat(text); err != nil {
			return // EvalSymlinks cleans some of what a kernel refuses
		}
		want, err := filepath.EvalSymlinks(text)
		if err != nil {
			t.Fatal(err)
		}
		got, why := newSnapshot(disk{}, Patience).resolve(text)
		a, _ := os.Stat(text)
		b, _ := os.Stat(got)
		if why != "" || got != want || !os.SameFile(a, b) {
			t.Errorf("resolve(%q) = %q, %q, want %q", text, got, why, want)
		}
	})
}

// TestMonotone: more readings make a restrictive answer no looser and a
// permissive one no wider; a reader that folds is never looser; yes in a
// permissive rule is yes in a restrictive one.
func TestMonotone(t *testing.T) {
	roots, _ := farm(t)
	exact, folding := NewReader(roots, Settings{Folding: FoldNever}), NewReader(roots, Settings{Folding: FoldAlways})
	text := rapid.StringOf(rapid.SampledFrom([]rune("aZ./~%25e:\\ \x00srcké")))
	patterns := rapid.SliceOfN(rapid.SampledFrom([]string{"**", "src/**", "~/.ssh/**", "**/*.env", "s*", "/", "~/**", "S[a-z]c", "**/.Ssh"}), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		ps := compileAll(t, patterns.Draw(t, "patterns")...)
		p := exact.Path(text.Draw(t, "text"))
		restrictive, permissive := ps.Match(p, exact, Restrictive), ps.Match(p, exact, Permissive)
		if permissive == eval.Yes && restrictive != eval.Yes {
			t.Errorf("%q: permissive yes, restrictive %v", p.Given, restrictive)
		}
		if strictness(ps.Match(p, folding, Restrictive)) < strictness(restrictive) {
			t.Errorf("%q: folding makes %v looser", p.Given, restrictive)
		}
		if strictness(ps.MatchTree(p, exact, Restrictive)) < strictness(restrictive) {
			t.Errorf("%q: a tree is looser than its root", p.Given)
		}
		if ps.MatchTree(p, exact, Permissive) == eval.Yes && permissive != eval.Yes {
			t.Errorf("%q: the tree is permitted, its root is not", p.Given)
		}
		more := p
		more.Also = append([]string{"/elsewhere"}, p.Also...)
		if strictness(ps.Match(more, exact, Restrictive)) < strictness(restrictive) {
			t.Errorf("%q: a reading makes %v looser", p.Given, restrictive)
		}
		if ps.Match(more, exact, Permissive) == eval.Yes && permissive != eval.Yes {
			t.Errorf("%q: a reading permits", p.Given)
		}
	})
}

// strictness orders the answers of a restrictive rule.
func strictness(t eval.Truth) int {
	return map[eval.Truth]int{eval.No: 0, eval.Unknown: 1, eval.Yes: 2}[t]
}

// TestHomeStays: what is written after ~ cannot replace the home directory.
func TestHomeStays(t *testing.T) {
	in := NewReader(Roots{Home: "/h", Cwd: "/w"}, Settings{Files: memory{}})
	text := rapid.StringMatching(`~(/{1,3}[a-z.~]{0,6}){0,5}`).Filter(func(s string) bool { return !strings.Contains(s, "..") })
	rapid.Check(t, func(t *rapid.T) {
		p := in.Path(text.Draw(t, "text"))
		if p.Lexical != "/h" && !strings.HasPrefix(p.Lexical, "/h/") {
			t.Errorf("%q is %q", p.Given, p.Lexical)
		}
	})
}

func TestPathHints(t *testing.T) {
	tests := []struct {
		patterns []string
		want     []Hint
	}{
		{[]string{"**/*.env"}, []Hint{{[]string{".env.local", ".env.production", ".envrc"}, "**/.env*"}}},
		{[]string{"**/.env.*"}, []Hint{{[]string{".env", ".envrc"}, "**/.env*"}}},
		{[]string{"**/.env", "**/.env.*", "**/.envrc"}, nil},
		{[]string{"**/.env*"}, nil},
		{[]string{"**/*"}, nil},
		{[]string{"src/**", "[", ""}, nil},
		{[]string{"~/.ssh/id_rsa"}, []Hint{{[]string{"id_ed25519", "id_ecdsa"}, "~/.ssh/id_*"}}},
		{[]string{"*.pem"}, []Hint{{[]string{"sub/x.pem"}, "**/*.pem"}}},
		{[]string{"*.pem", "**/*.pem"}, nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, PathHints(tt.patterns)); diff != "" {
			t.Errorf("PathHints(%q) (-want +got):\n%s", tt.patterns, diff)
		}
	}
}
