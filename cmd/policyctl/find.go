package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// stdinName is how standard input is called in messages.
const stdinName = "<stdin>"

// found are the files that arguments stand for.
type found struct {
	names    []string // in the order of the arguments, each once; "-" is standard input
	seen     map[string]bool
	problems []problem // what could not be searched or read
	empty    []string  // directories without a file
	own      bool      // leave out links that a search meets
}

// problem is why a file cannot be had.
type problem struct {
	name string
	err  error
}

// Error implements error.
func (p problem) Error() string { return fmt.Sprintf("cannot read %s: %v", p.name, p.err) }

// problemWith returns the problem without the name that os puts into its errors.
func problemWith(name string, err error) problem {
	return problem{name, withoutName(err)}
}

var errNotRegular = errors.New("it is not a regular file")

// find turns arguments into files. A directory stands for the files below it
// that have one of the base names; .git and node_modules are not entered.
func find(args []string, bases ...string) *found {
	f := &found{seen: map[string]bool{}}
	f.arguments(args, bases)
	return f
}

// findOwn is find for files that will be changed. A search does not follow a
// link to a file, which may lead out of the directory that was named.
func findOwn(args []string, bases ...string) *found {
	f := &found{seen: map[string]bool{}, own: true}
	f.arguments(args, bases)
	return f
}

func (f *found) arguments(args, bases []string) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case arg == "-":
			f.add(arg)
		case err != nil:
			f.problem(arg, err)
		case info.IsDir():
			f.search(arg, bases)
		default:
			f.add(filepath.Clean(arg))
		}
	}
}

func (f *found) add(name string) {
	if !f.seen[name] {
		f.seen[name] = true
		f.names = append(f.names, name)
	}
}

func (f *found) problem(name string, err error) {
	f.problems = append(f.problems, problemWith(name, err))
}

// search adds the files below a directory. What cannot be read is a problem,
// not an absence: it might hold a policy.
func (f *found) search(root string, bases []string) {
	// The separator at the end makes a link to a directory a directory.
	top, some := root+string(filepath.Separator), false
	visit := func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			f.problem(path, err)
		case entry.IsDir() && path != top && skipped(entry.Name()):
			return fs.SkipDir
		case f.own && entry.Type()&fs.ModeSymlink != 0:
		case !entry.IsDir() && slices.Contains(bases, entry.Name()):
			some = true
			f.addRegular(path)
		}
		return nil
	}
	if err := filepath.WalkDir(top, visit); err != nil {
		f.problem(root, err)
	}
	if !some {
		f.empty = append(f.empty, root)
	}
}

// addRegular adds a file that nobody named, so it must not be a pipe that
// would be waited for.
func (f *found) addRegular(path string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		f.problem(path, err)
	case !info.Mode().IsRegular():
		f.problem(path, errNotRegular)
	default:
		f.add(path)
	}
}

func skipped(dir string) bool { return dir == ".git" || dir == "node_modules" }
