//go:build !unix

package audit

import (
	"fmt"
	"os"
)

// openOurs opens a regular file. Who else may read it is the directory's
// business here.
func openOurs(path string, flag int) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is no regular file", ErrNotOurs, path)
	}
	file, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return file, nil
}

// syncDir does nothing: directories cannot be synced here.
func syncDir(string) error { return nil }
