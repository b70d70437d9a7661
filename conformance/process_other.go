//go:build !unix

package conformance

import "os/exec"

// ownGroup does nothing where there are no process groups: only the process
// itself is then ended.
func ownGroup(*exec.Cmd) {}

func killGroup(command *exec.Cmd) {
	if command.Process != nil {
		_ = command.Process.Kill()
	}
}
