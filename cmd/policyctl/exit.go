package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// The exit codes of every command.
const (
	codeFine     = 0
	codeFindings = 1 // findings, or not everything was allowed
	codeUsage    = 2 // wrong usage, or input that cannot be read
	codeInternal = 3 // a defect of this program
)

// exitError ends the program with a code. The message is printed if there is
// one; without it everything has been said already.
type exitError struct {
	code    int
	message string
	lines   bool // the message has several lines, each of them safe to show
}

// Error implements error.
func (e *exitError) Error() string { return e.message }

// exit returns the error for a code, or nil for 0.
func exit(code int) error {
	if code == codeFine {
		return nil
	}
	return &exitError{code: code}
}

// failed returns an error for input that cannot be read or used.
func failed(format string, args ...any) error {
	return &exitError{code: codeUsage, message: fmt.Sprintf(format, args...)}
}

// shown returns the message safe to show. A line break that came in with a name
// must not begin a line of its own.
func (e *exitError) shown() string {
	if e.lines {
		return escapeLines(e.message)
	}
	return escape(e.message)
}

// finish prints what is left to say of an error and returns the exit code. An
// error that is none of ours comes from cobra and is about usage.
func (w *world) finish(cmd *cobra.Command, err error) int {
	if flushErr := w.stdout.Flush(); flushErr != nil {
		err = failed("cannot write the output: %v", flushErr)
	}
	if err == nil {
		return codeFine
	}
	if unread, ok := errors.AsType[problem](err); ok {
		err = failed("%v", unread)
	}
	if ours, ok := errors.AsType[*exitError](err); ok {
		if ours.message != "" {
			fmt.Fprintf(w.stderr, "policyctl: %s\n", ours.shown())
		}
		return ours.code
	}
	fmt.Fprintf(w.stderr, "policyctl: %s\nRun '%s --help' for usage.\n", escape(err.Error()), cmd.CommandPath())
	return codeUsage
}
