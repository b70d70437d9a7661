//go:build unix

package decisionhook

import (
	"os/exec"
	"syscall"
)

const canRun = true

const (
	groupTerminate = syscall.SIGTERM
	groupKill      = syscall.SIGKILL
)

// ownGroup makes a command the leader of a new process group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func signalGroup(leader int, signal syscall.Signal) error { return syscall.Kill(-leader, signal) }
