package main

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// plain returns the text of an error without the name of the package that it
// comes from, which means nothing to somebody who runs a program.
func plain(err error) string {
	text := err.Error()
	name, rest, found := strings.Cut(text, ": ")
	if found && slices.Contains([]string{"plangate", "load", "eval", "conformance"}, name) {
		return rest
	}
	return text
}

// withoutName returns an error of package os without the file it names, which
// may be a temporary one.
func withoutName(err error) error {
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		return inner.Err
	}
	if inner, ok := errors.AsType[*os.LinkError](err); ok {
		return inner.Err
	}
	return err
}
