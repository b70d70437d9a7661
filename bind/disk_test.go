package bind_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/plangate/plangate/facts"
)

// TestLinkedRule is case path-03: the path of the rule is itself a link.
func TestLinkedRule(t *testing.T) {
	w := world{workspace: t.TempDir(), home: t.TempDir()}
	if err := os.MkdirAll(filepath.Join(w.home, "dev/dotfiles"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.home, "dev/dotfiles/zshrc"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("dev/dotfiles/zshrc", filepath.Join(w.home, ".zshrc")); err != nil {
		t.Fatal(err)
	}
	table := w.tableOf(t, policy("rc", `match = { operation = "read" }
path = ["~/.zshrc"]
action = "deny"`))
	w.check(t, table, []step{
		{"read", "~/.zshrc", "deny"}, {"read", "~/dev/dotfiles/zshrc", "deny"}, {"read", filepath.Join(w.home, "dev/dotfiles/zshrc"), "deny"},
		{"read", "~/dev/dotfiles/other", "allow"},
	})
}

// TestFoldedNames is case path-04: names that differ in case may be one file on
// some volumes, which makes decisions stricter and never looser.
func TestFoldedNames(t *testing.T) {
	const rules = `policy "secret" {
  match  = { operation = ["read", "write"] }
  path   = ["secret/**"]
  action = "deny"
}
policy "public" {
  match  = { operation = "write" }
  path   = ["Public/**"]
  action = "allow"
}
`
	for _, test := range []struct {
		folding facts.Folding
		steps   []step
	}{
		{facts.FoldAlways, []step{{"read", "SECRET/k", "deny"}, {"write", "Public/k", "allow"}, {"write", "public/k", "ask"}}},
		{facts.FoldNever, []step{{"read", "SECRET/k", "allow"}, {"read", "secret/k", "deny"}, {"write", "public/k", "ask"}}},
	} {
		w := nowhere
		w.settings.Folding = test.folding
		w.check(t, w.tableOf(t, rules), test.steps)
	}
}
