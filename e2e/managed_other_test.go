//go:build unix && !linux

package e2e

import (
	"context"
	"os/exec"
	"testing"
)

func (w *world) administer(t *testing.T, _ map[string]string) {
	t.Helper()
	t.Skip("only Linux can lay files over /etc")
}

func (w *world) start(ctx context.Context, args []string) *exec.Cmd {
	return w.command(ctx, args[0], args[1:]...)
}
