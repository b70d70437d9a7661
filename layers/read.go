package layers

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/plangate/plangate"
)

// ErrNotRegular is the reason for refusing directories, pipes and devices.
var ErrNotRegular = errors.New("it is not a regular file")

// MaxBytes is the size of the largest policy or catalog that is read. The parsers
// refuse what is larger than it.
const MaxBytes = 32 << 20

// Text is the content of a file, read once: what is hashed is what is parsed.
type Text struct {
	Name   string // as used in ranges
	Source []byte // up to one byte more than MaxBytes
	Digest [sha256.Size]byte
	info   fs.FileInfo // of the open file
}

// readText reads a regular file up to one byte past MaxBytes, so that the parser
// can tell that it is too large. It never waits for a pipe or a device.
func readText(name string) (*Text, error) {
	src, info, err := readRegular(name, MaxBytes+1, 0)
	if err != nil {
		return nil, err
	}
	return &Text{Name: name, Source: src, Digest: sha256.Sum256(src), info: info}, nil
}

// readRegular reads at most limit bytes of a regular file. The type is tested
// before opening, because opening a device can have effects, and again on the
// open file, because the name may have changed its meaning in between.
func readRegular(name string, limit int64, flag int) ([]byte, fs.FileInfo, error) {
	if info, err := os.Stat(name); err != nil {
		return nil, nil, err
	} else if !info.Mode().IsRegular() {
		return nil, nil, ErrNotRegular
	}
	file, err := os.OpenFile(name, os.O_RDONLY|neverWait|flag, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, ErrNotRegular
	}
	src, err := readUpTo(file, info.Size(), limit)
	return src, info, err
}

// readUpTo reads at most limit bytes; size is what the file is said to have.
func readUpTo(file io.Reader, size, limit int64) ([]byte, error) {
	src := make([]byte, 0, min(size, limit)+1)
	for int64(len(src)) < limit {
		if len(src) == cap(src) {
			src = append(src, 0)[:len(src)]
		}
		n, err := file.Read(src[len(src):min(int64(cap(src)), limit)])
		src = src[:len(src)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return src, nil
}

// isAbsent reports whether an error says that there is no such file, rather
// than that it is not known. Below something that is no directory there is none.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// unreadable is the diagnostic for a file whose content cannot be had.
func unreadable(name string, err error) *plangate.Diagnostic {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return &plangate.Diagnostic{
		Severity: plangate.SeverityError,
		Code:     "file_unreadable",
		Summary:  "Cannot read file",
		Detail: fmt.Sprintf("Reading %s failed: %v. Give a regular file that you may read; "+
			"until then every call is denied.", name, err),
		Range: plangate.Range{File: name},
	}
}
