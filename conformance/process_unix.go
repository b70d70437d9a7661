//go:build unix

package conformance

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the process the leader of a new group, so that what it starts
// can be ended with it.
func ownGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(command *exec.Cmd) {
	if command.Process != nil && command.ProcessState == nil {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
	}
}
