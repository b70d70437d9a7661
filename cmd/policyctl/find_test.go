package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{
		"a/agent.hcl", "a/agent.hcl.json", "a/other.hcl", "a/.git/agent.hcl", "a/b/node_modules/agent.hcl",
		"a/b/agent.hcl", "a/.hidden/agent.hcl", "empty/x", "real/agent.hcl",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	check(t, os.Symlink("real", "link"))
	check(t, os.Mkdir("pipe", 0o777))
	check(t, syscall.Mkfifo("pipe/agent.hcl", 0o600))
	tests := map[string]struct {
		args, names, empty []string
		problems           int
	}{
		"directory": {[]string{"a"}, []string{"a/.hidden/agent.hcl", "a/agent.hcl", "a/agent.hcl.json", "a/b/agent.hcl"}, nil, 0},
		"file":      {[]string{"a/other.hcl"}, []string{"a/other.hcl"}, nil, 0},
		"order":     {[]string{"a/b", "-", "a/b/../b/agent.hcl", "./real"}, []string{"a/b/agent.hcl", "-", "real/agent.hcl"}, nil, 0},
		"link":      {[]string{"link"}, []string{"link/agent.hcl"}, nil, 0},
		"skipped":   {[]string{"a/.git"}, []string{"a/.git/agent.hcl"}, nil, 0},
		"empty":     {[]string{"empty", "real"}, []string{"real/agent.hcl"}, []string{"empty"}, 0},
		"absent":    {[]string{"gone", "real"}, []string{"real/agent.hcl"}, nil, 1},
		"pipe":      {[]string{"pipe"}, nil, nil, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := find(test.args, "agent.hcl", "agent.hcl.json")
			if diff := cmp.Diff(test.names, got.names); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.empty, got.empty); diff != "" {
				t.Error(diff)
			}
			if len(got.problems) != test.problems {
				t.Errorf("problems: %v", got.problems)
			}
		})
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
