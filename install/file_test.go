//go:build unix

package install

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// childEnv makes the test binary install into the file that it names, as another process.
const childEnv = "PLANGATE_TEST_INSTALL"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		os.Exit(child(path))
	}
	os.Exit(m.Run())
}

func child(path string) int {
	h, err := NewHook("claude", testProgram, "")
	if err != nil {
		return 3
	}
	if _, err := Edit(targetAt(path), planOf(h)); err != nil {
		os.Stderr.WriteString(err.Error())
		return 1
	}
	return 0
}

func noon() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }

func targetAt(path string) Target { return Target{Path: path, Dir: 0o700, Now: noon} }

func planOf(h Hook) Plan {
	return func(text []byte, _ [][]byte) (Change, error) { return h.Install(text) }
}

func put0(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestEditAndBack proves mode, backup, idempotence and that removing gives back the very
// bytes and leaves no litter.
func TestEditAndBack(t *testing.T) {
	const before = "{ \"a\":1,\r\n \"hooks\" : {} }  "
	h := testHook(t, "claude")
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	put0(t, path, before, 0o640)
	result, err := Edit(targetAt(path), planOf(h))
	if err != nil || content(t, result.Backup) != before || result.Backup != path+".plangate-backup-20261201T120000.000Z" {
		t.Fatalf("%+v, %v", result, err)
	}
	for _, name := range []string{path, result.Backup} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	again, err := Edit(targetAt(path), planOf(h))
	if err != nil || again.Changed() || len(files(t, dir)) != 2 {
		t.Errorf("a second time: %v, %v, %v", again.What, err, files(t, dir))
	}
	if _, err := Edit(targetAt(path), h.Remove); err != nil || content(t, path) != before {
		t.Errorf("%v, %q", err, content(t, path))
	}
	if names := files(t, dir); len(names) != 1 {
		t.Errorf("left are %v", names)
	}
}

// TestRemoveAfterOtherChanges proves that only our entry goes if something else was
// changed, and that there is a backup.
func TestRemoveAfterOtherChanges(t *testing.T) {
	h := testHook(t, "claude")
	path := filepath.Join(t.TempDir(), "settings.json")
	put0(t, path, "{\n  \"a\": 1\n}\n", 0o600)
	if _, err := Edit(targetAt(path), planOf(h)); err != nil {
		t.Fatal(err)
	}
	put0(t, path, strings.Replace(content(t, path), `"a": 1`, `"a": 2`, 1), 0o600)
	result, err := Edit(targetAt(path), h.Remove)
	if err != nil || content(t, path) != "{\n  \"a\": 2\n}\n" || result.Backup == "" {
		t.Errorf("%+v, %v, %q", result, err, content(t, path))
	}
}

func TestNewFile(t *testing.T) {
	h := testHook(t, "cursor")
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b", "hooks.json")
	if result, err := Edit(targetAt(path), h.Remove); err != nil || result.Changed() || len(files(t, dir)) != 0 {
		t.Errorf("removing from nothing: %+v, %v, %v", result, err, files(t, dir))
	}
	if _, err := Edit(targetAt(path), planOf(h)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "a")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v, %v", info.Mode(), err)
	}
	if _, err := Edit(targetAt(path), h.Remove); err != nil {
		t.Fatal(err)
	}
	if names := files(t, filepath.Dir(path)); len(names) != 0 {
		t.Errorf("left are %v", names)
	}
}

func TestSymbolicLink(t *testing.T) {
	h := testHook(t, "claude")
	dir := t.TempDir()
	real, link := filepath.Join(dir, "dot", "real.json"), filepath.Join(dir, "settings.json")
	if err := os.Mkdir(filepath.Dir(real), 0o700); err != nil {
		t.Fatal(err)
	}
	put0(t, real, "{}", 0o600)
	if err := os.Symlink(filepath.Join("dot", "real.json"), link); err != nil {
		t.Fatal(err)
	}
	result, err := Edit(targetAt(link), planOf(h))
	if err != nil || filepath.Base(result.Path) != "real.json" || !strings.Contains(content(t, real), testProgram) {
		t.Fatalf("%+v, %v", result, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info.Mode(), err)
	}
}

// TestEditRefuses proves that what cannot be replaced is left as it is.
func TestEditRefuses(t *testing.T) {
	h := testHook(t, "claude")
	for _, c := range []struct {
		title string
		want  error
		make  func(path string) error
	}{
		{"a link that leads nowhere", ErrDangling, func(path string) error { return os.Symlink("nowhere", path) }},
		{"a directory", ErrNotRegular, func(path string) error { return os.Mkdir(path, 0o700) }},
		{"write-protected", ErrProtected, func(path string) error { return os.WriteFile(path, []byte("{}"), 0o400) }},
		{"a hard link", ErrLinks, func(path string) error {
			return errors.Join(os.WriteFile(path, []byte("{}"), 0o600), os.Link(path, path+"2"))
		}},
		{"does not parse", nil, func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) }},
		{"too large", nil, func(path string) error {
			return os.WriteFile(path, bytes.Repeat([]byte(" "), MaxBytes+1), 0o600)
		}},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "settings.json")
		if err := c.make(path); err != nil {
			t.Fatal(err)
		}
		before := files(t, dir)
		for name, edit := range map[string]func() error{
			"edit":    func() error { _, err := Edit(targetAt(path), planOf(h)); return err },
			"preview": func() error { _, _, err := Preview(path, planOf(h)); return err },
		} {
			err := edit()
			var text *TextError
			if err == nil || c.want != nil && !errors.Is(err, c.want) || c.want == nil && !errors.As(err, &text) {
				t.Errorf("%s, %s: %v", c.title, name, err)
			}
		}
		if after := files(t, dir); len(after) != len(before) {
			t.Errorf("%s: left are %v", c.title, after)
		}
	}
}

// TestOtherProgramWrites proves that what another program writes meanwhile is not lost.
func TestOtherProgramWrites(t *testing.T) {
	h := testHook(t, "claude")
	path := filepath.Join(t.TempDir(), "settings.json")
	put0(t, path, `{"a":1}`, 0o600)
	first := true
	_, err := Edit(targetAt(path), func(text []byte, _ [][]byte) (Change, error) {
		if first {
			first = false
			put0(t, path, `{"a":2}`, 0o600)
		}
		return h.Install(text)
	})
	if err != nil || !strings.HasPrefix(content(t, path), `{"a":2,`) {
		t.Errorf("%v, %s", err, content(t, path))
	}
	_, err = Edit(targetAt(path), func(text []byte, _ [][]byte) (Change, error) {
		put0(t, path, content(t, path)+" ", 0o600)
		return h.Remove(text, nil)
	})
	if !errors.Is(err, ErrBusy) {
		t.Errorf("a file that changes all the time: %v", err)
	}
}

// TestWaits proves that nothing is read or written while another holds the lock.
func TestWaits(t *testing.T) {
	h := testHook(t, "claude")
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	put0(t, path, "{}", 0o600)
	held := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	if err := held.Lock(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := Edit(targetAt(path), planOf(h))
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	put0(t, path, `{"a":1}`, 0o600)
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || !strings.HasPrefix(content(t, path), `{"a":1,`) {
		t.Errorf("%v, %s", err, content(t, path))
	}
}

// TestProcesses proves that 16 processes at once leave one entry and one backup.
func TestProcesses(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	put0(t, path, "{\n  \"a\": 1\n}\n", 0o600)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			command := exec.CommandContext(t.Context(), program)
			command.Env = append(os.Environ(), childEnv+"="+path)
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	group.Wait()
	h := testHook(t, "claude")
	want, err := h.Install([]byte("{\n  \"a\": 1\n}\n"))
	if err != nil || content(t, path) != string(want.Text) || len(files(t, dir)) != 2 {
		t.Errorf("%v, %v\n%s", err, files(t, dir), content(t, path))
	}
}

func TestPutProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "bin", WrapperName)
	for _, text := range []string{"#!/bin/sh\necho a\n", "#!/bin/sh\necho a\n", "#!/bin/sh\necho b\n"} {
		if err := PutProgram(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 || content(t, path) != text {
			t.Errorf("%v, %v, %q", info.Mode(), err, content(t, path))
		}
	}
}
