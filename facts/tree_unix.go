//go:build unix

package facts

import "syscall"

// openDirectory makes opening anything but a directory an error.
const openDirectory = syscall.O_DIRECTORY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
