package persist

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode"
	"unicode/utf8"
)

// maxAside bounds the search for a free name.
const maxAside = 1000

// setAside gives the file and its companions another name. The file goes first: a
// database without its log could show a state from before an answer.
func (f file) setAside(reason string) (*Damage, error) {
	aside, err := f.freeName()
	if err != nil {
		return nil, err
	}
	for _, suffix := range append([]string{""}, companions...) {
		if err := os.Rename(f.path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("persist: %s is damaged (%s) and cannot be set aside: %w", f.path, reason, err)
		}
	}
	return &Damage{Path: aside, Reason: reason}, syncDir(f.path)
}

// freeName returns a name that neither a file nor a companion has.
func (f file) freeName() (string, error) {
	base := f.path + ".damaged-" + f.clock().UTC().Format("20060102T150405Z")
	for n := range maxAside {
		name := base
		if n > 0 {
			name = fmt.Sprintf("%s.%d", base, n)
		}
		taken := false
		for _, suffix := range append([]string{""}, companions...) {
			if _, err := os.Lstat(name + suffix); !errors.Is(err, fs.ErrNotExist) {
				taken = true
			}
		}
		if !taken {
			return name, nil
		}
	}
	return "", fmt.Errorf("persist: %s is damaged and has been set aside %d times in this second; clear them away", f.path, maxAside)
}

// isText reports whether a file that is no database begins like a text: then it is
// not a damaged store but a wrong path, and moving it would be the damage.
func (f file) isText() bool {
	opened, err := os.Open(f.path)
	if err != nil {
		return false
	}
	defer opened.Close()
	start := make([]byte, 512)
	n, err := io.ReadFull(opened, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	start = start[:n]
	for len(start) > 0 {
		char, size := utf8.DecodeRune(start)
		cut := !utf8.FullRune(start) && n == 512
		if cut {
			break
		}
		if char == utf8.RuneError && size == 1 || unicode.IsControl(char) && !unicode.IsSpace(char) {
			return false
		}
		start = start[size:]
	}
	return n > 0
}

// syncDir makes names in the directory of a path durable.
func syncDir(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("persist: %w", err)
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil {
		return fmt.Errorf("persist: %w", err)
	}
	return nil
}
