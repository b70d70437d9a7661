package main

import (
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// write writes a new file atomically, or straight into what is no regular file,
// such as a pipe.
func write(name string, content []byte) error {
	var err error
	if info, statErr := os.Stat(name); statErr == nil && !info.Mode().IsRegular() {
		err = os.WriteFile(name, content, 0o666)
	} else {
		err = renameio.WriteFile(name, content, 0o666, renameio.WithTempDir(filepath.Dir(name)))
	}
	return cannotWrite(name, err)
}

// cannotWrite names the file and not the temporary one beside it.
func cannotWrite(name string, err error) error {
	if err == nil {
		return nil
	}
	return failed("cannot write %s: %v", name, withoutName(err))
}

// replace writes an existing file atomically and keeps its mode. A symbolic
// link stays one: the file that it leads to is replaced.
func replace(name string, content []byte) error {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return cannotWrite(name, err)
	}
	info, err := os.Stat(target)
	if err != nil {
		return cannotWrite(name, err)
	}
	if !info.Mode().IsRegular() {
		return failed("%s is not a regular file, so it cannot be rewritten", name)
	}
	err = renameio.WriteFile(target, content, info.Mode().Perm(),
		renameio.WithTempDir(filepath.Dir(target)), renameio.WithStaticPermissions(info.Mode().Perm()))
	return cannotWrite(name, err)
}
