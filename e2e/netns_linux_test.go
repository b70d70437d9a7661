package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// loopbackEnv asks the inner process to bring up loopback first.
const loopbackEnv = "PLANGATE_E2E_LOOPBACK"

// again runs the tests in a network namespace of their own, or, where that is not
// allowed, in the present one.
func again(env []string) int {
	probe := exec.Command(os.Args[0], loopbackRole)
	probe.SysProcAttr = isolated()
	if err := probe.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e: no network namespace, so the CLIs could reach the network:", err)
		return exitCode(self(env))
	}
	c := self(append(env, loopbackEnv+"=1"))
	c.SysProcAttr = isolated()
	return exitCode(c)
}

// isolated asks for a network namespace, and for a user namespace if it takes that.
func isolated() *syscall.SysProcAttr {
	if os.Geteuid() == 0 {
		return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	}
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNET | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
}

// loopback brings up the loopback interface of a new network namespace.
func loopback() (err error) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unix.Close(socket)) }()
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}
