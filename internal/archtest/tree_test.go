package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strings"
	"testing"
)

// source is a Go file that is not a test.
type source struct {
	path string
	pkg  string // its directory; "." is the root
	file *ast.File
}

// tree is the Go source of a module.
type tree struct {
	module string
	fset   *token.FileSet
	files  []source
}

// readTree parses the module in fsys whatever the build tags say. Nested
// modules, test data and hidden directories are not part of it.
func readTree(t *testing.T, fsys fs.FS) *tree {
	t.Helper()
	tr := &tree{module: modulePath(t, fsys), fset: token.NewFileSet()}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skip(fsys, name)
		case path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(tr.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		tr.files = append(tr.files, source{name, path.Dir(name), file})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func skip(fsys fs.FS, dir string) error {
	base := path.Base(dir)
	if dir == "." {
		return nil
	}
	_, err := fs.Stat(fsys, path.Join(dir, "go.mod"))
	if err == nil || base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return fs.SkipDir
	}
	return nil
}

func modulePath(t *testing.T, fsys fs.FS) string {
	t.Helper()
	src, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(src)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(name)
		}
	}
	t.Fatal("go.mod names no module")
	return ""
}

// packages returns the directories that have Go files.
func (tr *tree) packages() map[string]bool {
	found := map[string]bool{}
	for _, src := range tr.files {
		found[src.pkg] = true
	}
	return found
}
