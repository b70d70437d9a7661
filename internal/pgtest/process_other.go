//go:build !linux

package pgtest

import "os/exec"

// Elsewhere the server runs as the user of the tests, which must not be root, and
// outlives a killed test binary.

func give(string) error { return nil }

func asServer(*exec.Cmd) error { return nil }

func supervise(program *exec.Cmd, started chan<- error, done chan<- struct{}) {
	defer close(done)
	err := program.Start()
	started <- err
	if err == nil {
		_ = program.Wait()
	}
}

func alive(int) bool { return true }
