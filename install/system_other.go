//go:build !unix

package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// put refuses: there is no atomic replacement here.
func (r replacement) put() error {
	return fmt.Errorf("%s cannot be replaced atomically on this system: %w", r.path, errors.ErrUnsupported)
}

func links(fs.FileInfo) uint64 { return 1 }

func keepOwner(*os.File, fs.FileInfo) error { return nil }

func socketWith([]byte) (*os.File, error) { return nil, errors.ErrUnsupported }
