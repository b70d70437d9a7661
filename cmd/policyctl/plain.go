package main

import (
	"errors"
	"io/fs"
	"os"
)

// withoutName returns an error of package os without the file it names, which
// may be a temporary one.
func withoutName(err error) error {
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		return inner.Err
	}
	if inner, ok := errors.AsType[*os.LinkError](err); ok {
		return inner.Err
	}
	return err
}
