//go:build unix

package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openOurs opens a file that is a regular one of this user and makes its mode
// 0600, whatever the umask is and whatever it was.
func openOurs(path string, flag int) (*os.File, error) {
	file, err := os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%w: %s is a symbolic link", ErrNotOurs, path)
	}
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	if err := makeOurs(file); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

func makeOurs(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is no regular file", ErrNotOurs, file.Name())
	case !ok || int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("%w: %s belongs to another user", ErrNotOurs, file.Name())
	case stat.Nlink > 1:
		return fmt.Errorf("%w: %s has another name too (a hard link)", ErrNotOurs, file.Name())
	case info.Mode() == fs.FileMode(0o600):
		return nil
	}
	if err := file.Chmod(0o600); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// syncDir makes the name of a new file last.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	return dir.Sync()
}
