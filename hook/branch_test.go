package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGitBranch: the branch of a checkout, of a worktree, and of none.
func TestGitBranch(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("repo/.git/HEAD", "ref: refs/heads/feature/x\n")
	write("repo/deep/down/file", "")
	write("repo/.git/worktrees/w/HEAD", "ref: refs/heads/w\n")
	write("w/.git", "gitdir: ../repo/.git/worktrees/w\n")
	write("detached/.git/HEAD", "0123456789012345678901234567890123456789\n")
	write("odd/.git/HEAD", strings.Repeat("x", maxGitFile+1))
	for at, want := range map[string]string{"repo": "feature/x", "repo/deep/down": "feature/x", "w": "w", "detached": "", "odd": "", "missing": ""} {
		if got := gitBranch(filepath.Join(dir, at)); got != want {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
}
