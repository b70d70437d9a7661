package bind_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/plangate/plangate/facts"
)

// TestTree holds spec PTH-11 on a real file system: what a recursive command
// reaches is looked at, within a bound.
func TestTree(t *testing.T) {
	w := world{workspace: t.TempDir(), home: "/nonexistent/home"}
	for _, file := range []string{"build/a/b.o", "app/sub/.env", "big/x", "plain"} {
		path := filepath.Join(w.workspace, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range facts.MaxListed {
		if err := os.WriteFile(filepath.Join(w.workspace, "big", strconv.Itoa(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(w.workspace, "linked"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../app/sub/.env", filepath.Join(w.workspace, "linked/x")); err != nil {
		t.Fatal(err)
	}
	table := w.tableOf(t, everything+`guard "secrets" {
  path   = ["**/.env"]
  action = "deny"
}
`)
	steps := join(
		bash("allow", "rm -rf build", "rm -rf nothing", "cp -r build copy", "rm -rf plain", "grep -r x build"),
		bash("deny", "rm -rf app", "cp -r app copy", "grep -r x app", "tar cf x.tar app", "cp -rL linked x", "cd app && rm -r sub", "cd app && grep -r x"),
		bash("ask", "rm -rf big", "rm -rf .", "grep -r x", "rm -rf $X"),
	)
	w.check(t, table, steps)
}

// TestManyWords holds that items past the bound of words are unknown, that no
// path of them is permitted, and that Explain says the same as Decide.
func TestManyWords(t *testing.T) {
	table := nowhere.tableOf(t, policy("inside", `match = { operation = "bash" }
command = ["echo", "cat"]
path = ["**"]
action = "allow"`)+`guard "secrets" {
  path   = ["**/.env"]
  action = "deny"
}
`)
	many := strings.Repeat("cat a b c d e f g h; ", 900)
	steps := join(bash("allow", many), bash("ask", "cat "+strings.Repeat("a ", 12_000)+"; cat "+strings.Repeat("b ", 12_000)+"; cat a"))
	nowhere.check(t, table, steps)
}
