// Package archtest holds the repository to its layout, by parsing every Go file
// of the module: which package may import what (the table in layout_test.go is
// the drawing), which may touch files, processes, networks or the clock, and
// the rules of style that a linter does not know.
//
// It contains tests only. A synthetic module that breaks every rule shows that
// each of them can fail.
package archtest
