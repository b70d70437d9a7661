package main

import "os"

// style colours text for a terminal. The zero value leaves it plain.
type style struct{ on bool }

// The sequences that style uses.
const (
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	green  = "\x1b[32m"
	bold   = "\x1b[1m"
	reset  = "\x1b[0m"
)

func (s style) paint(sequence, text string) string {
	if !s.on {
		return text
	}
	return sequence + text + reset
}

// wantsColour reports whether out is a terminal whose user did not refuse
// colour (no-color.org).
func wantsColour(out *os.File, getenv func(string) string) bool {
	if getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return false
	}
	return isTerminal(out)
}

// isTerminal reports whether a file is a terminal, which here is any character
// device but the one that is always empty.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
