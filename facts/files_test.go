package facts

import (
	"io/fs"
	"strings"
	"time"
)

// memory is a file system of links by name; anything else is a directory if a
// link is below it, or does not exist.
type memory map[string]any

type link string

func (l link) Name() string       { return string(l) }
func (l link) Size() int64        { return 0 }
func (l link) ModTime() time.Time { return time.Time{} }
func (l link) IsDir() bool        { return false }
func (l link) Sys() any           { return nil }
func (l link) Mode() fs.FileMode {
	if l == "" {
		return fs.ModeDir
	}
	return fs.ModeSymlink
}

var (
	errDenied = fs.ErrPermission
	errIO     = fs.ErrClosed
)

func (m memory) Lstat(name string) (fs.FileInfo, error) {
	switch at := m[name].(type) {
	case string:
		return link(at), nil
	case error:
		return nil, at
	}
	for other := range m {
		if strings.HasPrefix(other, name+"/") {
			return link(""), nil
		}
	}
	return nil, fs.ErrNotExist
}

func (m memory) Readlink(name string) (string, error) {
	target, _ := m[name].(string)
	return target, nil
}

// counted counts look-ups and may keep them waiting.
type counted struct {
	Files
	n    int
	wait chan struct{}
}

func (c *counted) Lstat(name string) (fs.FileInfo, error) {
	if c.wait != nil {
		<-c.wait
	}
	c.n++
	return c.Files.Lstat(name)
}
