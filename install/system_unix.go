//go:build unix

package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// put replaces the file atomically.
func (r replacement) put() error {
	mode := renameio.WithStaticPermissions(r.mode)
	if r.mode == 0 {
		mode = renameio.WithPermissions(0o666) // less the umask
	}
	file, err := renameio.NewPendingFile(r.path, renameio.WithTempDir(filepath.Dir(r.path)), mode)
	if err != nil {
		return err
	}
	defer func() { _ = file.Cleanup() }()
	if _, err := file.Write(r.content); err != nil {
		return err
	}
	if err := keepOwner(file.File, r.old); err != nil {
		return err
	}
	if err := r.ready(); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

// links is the number of names of a file.
func links(info fs.FileInfo) uint64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(stat.Nlink) //nolint:unconvert // its type differs between systems
}

// keepOwner gives a new file the owner and, where possible, the group of the old one.
func keepOwner(file *os.File, old fs.FileInfo) error {
	if old == nil {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	had, ok := old.Sys().(*syscall.Stat_t)
	has, known := info.Sys().(*syscall.Stat_t)
	if !ok || !known || had.Uid == has.Uid && had.Gid == has.Gid {
		return nil
	}
	if err := file.Chown(int(had.Uid), int(had.Gid)); err != nil && had.Uid != has.Uid {
		return err
	}
	return nil
}

// socketWith returns a socket from which a text, which is short, and then its end can be read.
func socketWith(text []byte) (*os.File, error) {
	syscall.ForkLock.RLock()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(pair[0])
		syscall.CloseOnExec(pair[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "socket"), os.NewFile(uintptr(pair[1]), "socket")
	defer func() { _ = ours.Close() }()
	if _, err := ours.Write(text); err != nil {
		return nil, errors.Join(err, theirs.Close())
	}
	return theirs, nil
}
