package hook

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

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
