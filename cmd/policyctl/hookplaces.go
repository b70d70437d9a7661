package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/plangate/plangate/catalog"
)

// builtinCatalog returns a file with the catalog of a CLI's tools, in the cache so that
// tables with it are cached like others. It returns "" if there is no place for it. The
// built-in guards protect the cache, and what is found there is used only if it is the
// very text of this program.
func builtinCatalog(cache, name string) string {
	text := catalog.BuiltinJSON(name)
	if cache == "" || text == nil {
		return ""
	}
	sum := sha256.Sum256(text)
	file := filepath.Join(cache, "builtin-"+name+"-"+hex.EncodeToString(sum[:8])+".json")
	if found, err := readSmall(file, int64(len(text))+1); err == nil && bytes.Equal(found, text) {
		return file
	}
	if os.MkdirAll(cache, 0o700) != nil {
		return ""
	}
	temporary, err := os.CreateTemp(cache, "builtin-*")
	if err != nil {
		return ""
	}
	_, err = temporary.Write(text)
	if closed := temporary.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
		return ""
	}
	return file
}

// maxGitFile bounds the files of Git that name a branch.
const maxGitFile = 4 << 10

// gitBranch returns the branch that is checked out around a directory, or "". It reads
// files and starts no program.
func gitBranch(dir string) string {
	for at := dir; filepath.IsAbs(at); at = filepath.Dir(at) {
		git := filepath.Join(at, ".git")
		info, err := os.Lstat(git)
		switch {
		case err != nil:
		case info.IsDir():
			return headOf(git)
		case info.Mode().IsRegular():
			text, err := readSmall(git, maxGitFile)
			elsewhere, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
			if err != nil || !ok {
				return ""
			}
			if !filepath.IsAbs(elsewhere) {
				elsewhere = filepath.Join(at, elsewhere)
			}
			return headOf(elsewhere)
		default:
			return ""
		}
		if filepath.Dir(at) == at {
			return ""
		}
	}
	return ""
}

func headOf(git string) string {
	text, err := readSmall(filepath.Join(git, "HEAD"), maxGitFile)
	if err != nil {
		return ""
	}
	branch, _ := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: refs/heads/")
	if len(branch) == len(strings.TrimSpace(string(text))) {
		return "" // a commit and no branch
	}
	return branch
}

// readSmall reads a regular file of at most so many bytes. It opens nothing else: a FIFO
// would hold it up.
func readSmall(name string, limit int64) ([]byte, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, os.ErrInvalid
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, limit))
}

// absoluteResolved returns a directory without symbolic links.
func absoluteResolved(dir string) (string, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}
