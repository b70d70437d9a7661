//go:build !unix

package decisionhook

import (
	"os"
	"os/exec"
	"syscall"
)

const canRun = false // a process could not be ended with its children

const (
	groupTerminate = syscall.SIGTERM
	groupKill      = syscall.SIGKILL
)

func ownGroup(*exec.Cmd) {}

func signalGroup(int, syscall.Signal) error { return os.ErrProcessDone }
