package main

import (
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/dsl"
)

// read reads a file that the user named, or standard input for "-", up to one
// byte past limit: the parsers report what is too large. A pipe is fine, since
// a shell makes one of <(command). It returns the name for messages. The error is
// a problem.
func (w *world) read(name string, limit int64) (shown string, src []byte, err error) {
	if name == "-" {
		src, err = io.ReadAll(io.LimitReader(w.stdin, limit+1))
		if err != nil {
			return "", nil, problemWith("standard input", err)
		}
		return stdinName, src, nil
	}
	src, err = readFile(name, limit)
	if err != nil {
		return "", nil, problemWith(name, err)
	}
	return name, src, nil
}

// errSilent is the reason for refusing a pipe at whose other end nobody is.
var errSilent = errors.New("it is no file, and nothing can be read from it")

// readFile never waits for somebody to open the other end of a pipe.
func readFile(name string, limit int64) ([]byte, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	src, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && len(src) == 0 && !info.Mode().IsRegular() {
		return nil, errSilent
	}
	return src, err
}

// catalogTexts are catalogs that were read.
type catalogTexts struct {
	catalog *catalog.Catalog // all of them; not to be used if diags has errors
	diags   plangate.Diagnostics
	sources map[string][]byte
}

// readCatalogs reads and merges catalogs. The error is about files that cannot be read.
func (w *world) readCatalogs(names []string, builtin ...string) (*catalogTexts, error) {
	texts := &catalogTexts{sources: map[string][]byte{}}
	var all []*catalog.Catalog
	for _, name := range builtin {
		all = append(all, catalog.Builtin(name))
	}
	for _, name := range names {
		shown, src, err := w.read(name, dsl.MaxBytes)
		if err != nil {
			return nil, err
		}
		parsed, diags := catalog.Parse(shown, src)
		texts.sources[shown] = src
		texts.diags = append(texts.diags, diags...)
		all = append(all, parsed)
	}
	merged, diags := catalog.Merge(all...)
	texts.catalog, texts.diags = merged, append(texts.diags, diags...)
	return texts, nil
}

// shownError prints diagnostics that stop a command to standard error and
// returns the error that ends it.
func (w *world) shownError(diags plangate.Diagnostics, sources map[string][]byte) error {
	p := &printer{out: w.stderr, sources: sources}
	p.printAll(diags)
	return exit(codeUsage)
}
