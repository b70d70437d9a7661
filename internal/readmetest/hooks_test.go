package readmetest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var hookID = regexp.MustCompile(`(?m)^ *- id: (\S+)$`)

// TestHooks compares the hooks that the README shows with those there are.
func TestHooks(t *testing.T) {
	if diff := cmp.Diff(hookIDs(t, ".pre-commit-hooks.yaml"), hookIDs(t, "README.md")); diff != "" {
		t.Error(diff)
	}
}

func hookIDs(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, match := range hookID.FindAllSubmatch(text, -1) {
		ids = append(ids, string(match[1]))
	}
	if len(ids) == 0 {
		t.Fatalf("%s names no hook", name)
	}
	return ids
}
