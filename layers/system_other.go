//go:build !unix

package layers

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// There are no pipes or links to be careful with among files of these systems.
const (
	neverWait = 0
	noFollow  = 0
)

// privateToWrite believes the access control of the user's directories, which
// file modes do not show here.
func privateToWrite(fs.FileInfo) error { return nil }

// privateToUser turns the cache off, because it cannot be told who owns a file.
func privateToUser(fs.FileInfo) error { return errors.New("the owner is not known") }

// ownedByUser knows no owner, so that nothing counts as the user's own.
func ownedByUser(fs.FileInfo) bool { return false }

// writePrivate replaces a file by renaming a new one.
func writePrivate(path string, src []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path))
	if err != nil {
		return err
	}
	_, err = file.Write(src)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
