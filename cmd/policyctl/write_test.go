package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReplaceKeepsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only the superuser can give files away")
	}
	name := filepath.Join(t.TempDir(), "agent.hcl")
	if err := os.WriteFile(name, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(name, 65534, 65533); err != nil {
		t.Fatal(err)
	}
	if err := replace(name, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	stat := info.Sys().(*syscall.Stat_t)
	if stat.Uid != 65534 || stat.Gid != 65533 || info.Mode() != 0o640 {
		t.Errorf("owner %d:%d, mode %v", stat.Uid, stat.Gid, info.Mode())
	}
	if content, _ := os.ReadFile(name); string(content) != "new" {
		t.Errorf("content %q", content)
	}
}
