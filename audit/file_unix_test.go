//go:build unix

package audit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// TestMode sets the umask of the process, so it may not run beside others.
func TestMode(t *testing.T) {
	dir := t.TempDir()
	for _, umask := range []int{0, 0o077, 0o177} {
		old := syscall.Umask(umask)
		path := filepath.Join(dir, string(rune('a'+umask%7)), "audit.jsonl")
		_ = os.MkdirAll(filepath.Dir(filepath.Dir(path)), 0o700)
		syscall.Umask(umask &^ 0o100)
		mustAppend(t, mustOpen(t, path), Entry{})
		syscall.Umask(old)
		if mode := modeOf(t, path); mode != 0o600 {
			t.Errorf("audit-03 umask %o: file has %o", umask, mode)
		}
		if mode := modeOf(t, filepath.Dir(path)); mode&0o077 != 0 {
			t.Errorf("umask %o: directory has %o", umask, mode)
		}
	}
	path := filepath.Join(dir, "wide.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_ = os.Chmod(path, 0o666)
	mustOpen(t, path)
	if mode := modeOf(t, path); mode != 0o600 {
		t.Errorf("audit-03 a file that was there has %o", mode)
	}
}

func TestNotOurs(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	_ = os.WriteFile(target, []byte("keep"), 0o644)
	_ = os.Symlink(target, filepath.Join(dir, "link"))
	_ = os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling"))
	_ = os.Link(target, filepath.Join(dir, "hard"))
	_ = syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600)
	names := []string{"link", "dangling", "hard", "fifo"}
	if os.Geteuid() == 0 {
		_ = os.WriteFile(filepath.Join(dir, "foreign"), nil, 0o600)
		if err := os.Chown(filepath.Join(dir, "foreign"), 12345, 12345); err == nil {
			names = append(names, "foreign")
		}
	}
	for _, name := range names {
		if _, err := Open(filepath.Join(dir, name), Options{}); !errors.Is(err, ErrNotOurs) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(dir, Options{}); err == nil {
		t.Error("a directory is taken")
	}
	if content, _ := os.ReadFile(target); string(content) != "keep" || modeOf(t, target) != 0o644 {
		t.Error("the file behind the link was changed")
	}
	if _, err := os.Stat(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("the file behind the dangling link was made")
	}
}

// TestTornFileIsNotALink holds that a torn tail is not written through a link.
func TestTornFileIsNotALink(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := mustOpen(t, path)
	_ = os.WriteFile(path, []byte("{"), 0o600)
	_ = os.Symlink(filepath.Join(t.TempDir(), "x"), path+tornSuffix)
	if _, err := log.Append(t.Context(), Entry{}); !errors.Is(err, ErrNotOurs) {
		t.Errorf("error %v", err)
	}
	if content, _ := os.ReadFile(path); string(content) != "{" {
		t.Errorf("the torn tail is lost: %q", content)
	}
}
