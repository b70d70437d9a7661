package facts

import (
	"testing"

	"github.com/plangate/plangate/eval"
)

// TestCases are failures of other gates, with the result that is expected
// here, as far as paths decide them.
func TestCases(t *testing.T) {
	roots := Roots{Workspace: "/home/u/ws", Home: "/home/u", Cwd: "/home/u/ws"}
	files := memory{"/home/u/.zshrc": "dev/dotfiles/zshrc"}
	tests := []struct {
		id       string
		patterns []string
		mode     Mode
		text     string
		want     eval.Truth
	}{
		{"path-03", []string{"~/.zshrc"}, Restrictive, "~/.zshrc", eval.Yes},
		{"path-03", []string{"~/.zshrc"}, Restrictive, "~/dev/dotfiles/zshrc", eval.Yes},
		{"path-06", []string{"**/*.env"}, Restrictive, ".env", eval.Yes},
		{"path-06", []string{"**/*.env"}, Restrictive, "prod.env", eval.Yes},
		{"path-06", []string{"**/*.env"}, Restrictive, ".env.local", eval.No},
		{"path-06", []string{"**/*.env"}, Restrictive, "a/.env.production", eval.No},
		{"path-07", []string{"**/.env.*"}, Restrictive, ".env.local.example", eval.Yes},
		{"path-07", []string{"**/.env.*"}, Restrictive, ".env.example", eval.Yes},
		{"path-07", []string{"**/.env.*"}, Restrictive, ".envrc", eval.No},
		{"path-07", []string{"**/.env.*"}, Restrictive, ".env", eval.No},
		{"path-07", []string{"**/.env.example"}, Permissive, ".env.example", eval.Yes},
		{"path-07", []string{"**/.env.example"}, Permissive, ".env.local.example", eval.No},
		{"path-09", []string{"**"}, Permissive, `D:\secrets\k`, eval.No},
		{"path-09", []string{"**"}, Permissive, "%2e%2e%2fsecret", eval.No},
		{"path-09", []string{"**"}, Permissive, "file:///etc/passwd", eval.No},
		{"path-09", []string{"**"}, Permissive, `\\server\share\k`, eval.No},
		{"path-09", []string{"~/secret"}, Restrictive, "%2e%2e%2fsecret", eval.Yes},
		{"path-09", []string{"/etc/**"}, Restrictive, "file:///etc/passwd", eval.Yes},
		{"path-11", []string{"~//foo/bar"}, Restrictive, "/home/u/foo/bar", eval.Yes},
		{"path-14", []string{"/tmp/builds/**"}, Permissive, "/tmp/builds/a", eval.Yes},
		{"path-15", []string{"secrets/**"}, Restrictive, "/home/u/ws/secrets/k", eval.Yes},
		{"path-15", []string{"secrets/**"}, Restrictive, "/home/u/secrets/k", eval.No},
		{"path-15", []string{"/secrets/**"}, Restrictive, "/secrets/k", eval.Yes},
		{"path-15", []string{"/secrets/**"}, Restrictive, "secrets/k", eval.No},
		{"path-16", []string{"src/*"}, Permissive, "src/a.go", eval.Yes},
		{"path-16", []string{"src/*"}, Permissive, "src/a/b.go", eval.No},
		{"path-16", []string{"/tmp/claude-*"}, Permissive, "/tmp/claude-9/x", eval.No},
		{"path-16", []string{"/tmp/claude-*/**"}, Permissive, "/tmp/claude-9/x", eval.Yes},
		{"path-16", []string{"/tmp/claude-*/**"}, Permissive, "/tmp/claude-1/../../etc/x", eval.No},
		{"path-17", []string{".env*"}, Restrictive, "AGENTS.md", eval.No},
		{"path-17", []string{".env*"}, Restrictive, ".env", eval.Yes},
		{"path-19", []string{"**"}, Permissive, "/tmp", eval.No},
		{"path-19", []string{"**"}, Permissive, "~/x", eval.No},
		{"path-19", []string{"**"}, Permissive, ".", eval.Yes},
	}
	in := NewReader(roots, Settings{Files: files, Folding: FoldNever})
	for _, tt := range tests {
		if got := compileAll(t, tt.patterns...).Match(in.Path(tt.text), in, tt.mode); got != tt.want {
			t.Errorf("%s: %q on %q: %v, want %v", tt.id, tt.patterns, tt.text, got, tt.want)
		}
	}
}

// TestCasePath04: folding may only ever make a decision stricter.
func TestCasePath04(t *testing.T) {
	roots := Roots{Workspace: "/w", Cwd: "/w"}
	folding := NewReader(roots, Settings{Files: memory{}, Folding: FoldAlways})
	exact := NewReader(roots, Settings{Files: memory{}, Folding: FoldNever})
	secret, public := compileAll(t, "secret/**"), compileAll(t, "Public/**")
	if got := secret.Match(folding.Path("SECRET/k"), folding, Restrictive); got != eval.Yes {
		t.Errorf("deny of SECRET/k: %v, want yes", got)
	}
	for _, in := range []*Reader{folding, exact} {
		if got := public.Match(in.Path("public/k"), in, Permissive); got != eval.No {
			t.Errorf("allow of public/k: %v, want no", got)
		}
	}
}

// TestCasePath14 and path-16: directories and words that are not known.
func TestCasePath14(t *testing.T) {
	in := NewReader(Roots{Workspace: "/w", Home: "/h", Cwd: "/w"}, Settings{Files: memory{}})
	builds := compileAll(t, "/tmp/builds/**")
	moved := in.Enter(in.Path("/tmp"))
	if got := builds.Match(moved.Path("builds/a"), moved, Permissive); got != eval.Yes {
		t.Errorf("after cd /tmp: %v, want yes", got)
	}
	lost := in.Enter(UnknownPath("$D"))
	if got := builds.Match(lost.Path("builds/a"), lost, Permissive); got != eval.Unknown {
		t.Errorf("after cd $D: %v, want unknown", got)
	}
	if got := compileAll(t, "/tmp/claude-*").Match(UnknownPath("/tmp/claude-$PPID"), in, Permissive); got != eval.Unknown {
		t.Errorf("a word with a variable: %v, want unknown", got)
	}
}

// TestCasePath15: a form without a meaning is an error.
func TestCasePath15(t *testing.T) {
	if _, err := CompilePath("//etc/**"); err == nil {
		t.Error("//etc/** has no error")
	}
}
