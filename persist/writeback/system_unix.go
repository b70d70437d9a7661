//go:build unix

package writeback

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// links is the number of names of a file.
func links(info fs.FileInfo) uint64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(stat.Nlink) //nolint:unconvert // its type differs between systems
}

// ownedByUser reports whether a file belongs to the user of this process.
func ownedByUser(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// replacement is the new content of a file.
type replacement struct {
	path    string
	content []byte
	mode    fs.FileMode // 0 for what is usual for a new file
	old     fs.FileInfo // whose owner is kept; nil for a new file
	// ready is asked last of all whether the file may still be replaced.
	ready   func() error
	reached func(point string)
}

// put replaces the file atomically and waits until that is on disk.
func (r *replacement) put() error {
	dir := filepath.Dir(r.path)
	mode := renameio.WithStaticPermissions(r.mode)
	if r.mode == 0 {
		mode = renameio.WithPermissions(0o666) // less the umask
	}
	file, err := renameio.NewPendingFile(r.path, renameio.WithTempDir(dir), mode)
	if err != nil {
		return err
	}
	defer func() { _ = file.Cleanup() }()
	r.reached("temp")
	half := len(r.content) / 2
	for _, part := range [][]byte{r.content[:half], r.content[half:]} {
		if _, err := file.Write(part); err != nil {
			return err
		}
		r.reached("written")
	}
	if err := keepOwner(file.File, r.old); err != nil {
		return err
	}
	if err := r.ready(); err != nil {
		return err
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return err
	}
	r.reached("renamed")
	return syncDir(dir)
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

// syncDir waits until the names of a directory are on disk. A file system that
// cannot do that has done what it can.
func syncDir(name string) error {
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
