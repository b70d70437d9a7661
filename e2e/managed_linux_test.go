package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// overlay lays files over /etc for one process and its children only.
const overlay = `mount -t overlay overlay -o "lowerdir=/etc,upperdir=$1/upper,workdir=$1/work" /etc && shift && exec "$@"`

// administer lets the CLI of this world see files in /etc that the machine does not
// have. The test is skipped where that is not allowed: it takes root.
func (w *world) administer(t *testing.T, files map[string]string) {
	t.Helper()
	dir := filepath.Join(w.dir, "etc")
	w.mkdir(filepath.Join(dir, "work"))
	for name, text := range files {
		w.put(filepath.Join(dir, "upper", filepath.FromSlash(name)), text)
	}
	w.prefix = []string{"/bin/sh", "-c", overlay, "sh", dir}
	probe := w.command(t.Context(), w.prefix[0], append(w.prefix[1:], "/bin/true")...)
	probe.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("/etc cannot be laid over, so the administrator's file cannot be tried: %v: %s", err, out)
	}
	// Again, because an overlay leaves its working directory behind.
	if err := os.RemoveAll(filepath.Join(dir, "work")); err != nil {
		t.Fatal(err)
	}
	w.mkdir(filepath.Join(dir, "work"))
}

// start prepares the CLI itself, under the administrator's files if there are any.
func (w *world) start(ctx context.Context, args []string) *exec.Cmd {
	if w.prefix == nil {
		return w.command(ctx, args[0], args[1:]...)
	}
	words := append(append([]string{}, w.prefix[1:]...), program(args[0]))
	c := w.command(ctx, w.prefix[0], append(words, args[1:]...)...)
	c.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
	return c
}
