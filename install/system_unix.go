//go:build unix

package install

import (
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
