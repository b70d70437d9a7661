//go:build unix

package e2e

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/plangate/plangate/install"
)

// install puts the hook of the world's CLI in, as its user would.
func (w *world) install() {
	w.t.Helper()
	w.installed(w.t, w.cli.Name())
}

// installed runs `policyctl init`, which also has the CLI trust the hook where it wants
// that, and proves that a canary call is denied.
func (w *world) installed(t *testing.T, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := w.command(ctx, w.program, "init", name)
	c.Env = append(c.Env, "PATH="+filepath.Dir(program(name))+":"+w.path())
	t.Logf("%s", w.must(c))
}

// fresh is a new configuration file with nothing but the hook in it.
func (w *world) fresh(name string) string {
	w.t.Helper()
	hook, err := install.NewHook(name, w.program, "")
	if err != nil {
		w.t.Fatal(err)
	}
	change, err := hook.Install(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(change.Text)
}
