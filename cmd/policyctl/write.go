package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

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

// replace writes an existing file atomically and keeps its mode, owner and
// group. A symbolic link stays one: the file that it leads to is replaced.
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
	if err := checkReplace(name, info); err != nil {
		return err
	}
	return cannotWrite(name, replaceFile(target, content, info))
}

// checkReplace refuses what a new file in place of the old one would change.
func checkReplace(name string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o200 == 0 {
		return failed("%s is write-protected; give its owner write permission (chmod u+w) to have it rewritten", name)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Nlink > 1 {
		return failed("%s has %d hard links, and rewriting it would separate it from the others; "+
			"make it a file of its own first", name, stat.Nlink)
	}
	return nil
}

// replaceFile replaces the file atomically and keeps mode, owner and group.
func replaceFile(target string, content []byte, old fs.FileInfo) error {
	file, err := renameio.NewPendingFile(target,
		renameio.WithTempDir(filepath.Dir(target)), renameio.WithStaticPermissions(old.Mode().Perm()))
	if err != nil {
		return err
	}
	defer func() { _ = file.Cleanup() }()
	if _, err := file.Write(content); err != nil {
		return err
	}
	if err := keepOwner(file.File, old); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

// keepOwner gives a new file the owner and group of the old one.
func keepOwner(file *os.File, old fs.FileInfo) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	had, ok := old.Sys().(*syscall.Stat_t)
	has, known := info.Sys().(*syscall.Stat_t)
	if !ok || !known || had.Uid == has.Uid && had.Gid == has.Gid {
		return nil
	}
	if err := file.Chown(int(had.Uid), int(had.Gid)); err != nil {
		return fmt.Errorf("its owner and group (%d:%d) cannot be kept: %w", had.Uid, had.Gid, withoutName(err))
	}
	return nil
}

// tableMagic is how every encoded table begins.
const tableMagic = "plangate-table\n"

// checkOverwrite refuses to replace a file with content that is no table, such
// as the policy itself.
func checkOverwrite(name string) error {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil //nolint:nilerr // writing it reports what is wrong, if anything is
	}
	head, err := readFile(name, int64(len(tableMagic))-1)
	if err != nil {
		return cannotWrite(name, err)
	}
	if string(head) != tableMagic {
		return failed("%s exists and is not a table; choose another name for the table or remove the file", name)
	}
	return nil
}
