package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"syscall"
)

// serverUser is who the server runs as if the tests run as root, which it refuses.
const serverUser = "postgres"

// account returns the numbers of serverUser.
func account() (uid, gid int, err error) {
	found, err := user.Lookup(serverUser)
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %w", errMissing, err)
	}
	if uid, err = strconv.Atoi(found.Uid); err != nil {
		return 0, 0, err
	}
	gid, err = strconv.Atoi(found.Gid)
	return uid, gid, err
}

// give makes a directory the server's own.
func give(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	uid, gid, err := account()
	if err != nil {
		return err
	}
	return os.Chown(dir, uid, gid)
}

// asServer makes a program run as the user of the server, and end when this process
// does: SIGQUIT ends a server with all its children and its shared memory.
func asServer(program *exec.Cmd) error {
	program.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT, Setpgid: true}
	if os.Geteuid() != 0 {
		return nil
	}
	uid, gid, err := account()
	if err != nil {
		return err
	}
	program.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)} //nolint:gosec // numbers of an account
	return nil
}

// supervise starts a program and waits for it. The kernel sends the signal of asServer
// when the thread ends that started it, so this goroutine keeps its thread.
func supervise(program *exec.Cmd, started chan<- error, done chan<- struct{}) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(done)
	err := program.Start()
	started <- err
	if err == nil {
		_ = program.Wait()
	}
}

// alive reports whether a process exists.
func alive(process int) bool { return !errors.Is(syscall.Kill(process, 0), syscall.ESRCH) }
