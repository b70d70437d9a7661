//go:build unix

package layers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// Flags for opening: never wait for a pipe or become the owner of a terminal;
// noFollow refuses a symbolic link.
const (
	neverWait = syscall.O_NONBLOCK | syscall.O_NOCTTY
	noFollow  = syscall.O_NOFOLLOW
)

// The reasons for not believing a file that should be private.
var (
	errForeignOwner = errors.New("it does not belong to you")
	errOthersWrite  = errors.New("group or others may write it")
	errOthersRead   = errors.New("group or others may read it")
)

// privateToWrite reports who else than the user and the superuser could have
// written the file.
func privateToWrite(info fs.FileInfo) error {
	if uid := ownerOf(info); uid != 0 && uid != os.Geteuid() {
		return fmt.Errorf("%w (owner is user %d)", errForeignOwner, uid)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errOthersWrite
	}
	return nil
}

// privateToUser reports why a file or directory is not the user's alone.
func privateToUser(info fs.FileInfo) error {
	if !ownedByUser(info) {
		return errForeignOwner
	}
	if info.Mode().Perm()&0o077 != 0 {
		return errOthersRead
	}
	return nil
}

// ownedByUser reports whether a file belongs to the user of this process.
func ownedByUser(info fs.FileInfo) bool { return ownerOf(info) == os.Geteuid() }

// ownerOf returns the user id of a file, or -1 if it is not known.
func ownerOf(info fs.FileInfo) int {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1
	}
	return int(stat.Uid)
}

// writePrivate replaces a file atomically; the new one is mode 0600 whatever
// the old one was.
func writePrivate(path string, src []byte) error {
	file, err := renameio.NewPendingFile(path,
		renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(0o600))
	if err != nil {
		return err
	}
	defer func() { _ = file.Cleanup() }()
	if _, err := file.Write(src); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}
