package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropInput makes a terminal forget what was typed and not read yet. It is a
// courtesy: what it cannot drop is read as an answer.
func dropInput(file *os.File) {
	if raw, err := file.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) })
	}
}
