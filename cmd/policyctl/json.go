package main

import (
	"encoding/json"
	"io"
)

// writeJSON writes an indented document. Characters that mean something in
// HTML stay as they are: nobody reads a file name with \u003c in it.
func writeJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return written(encoder.Encode(value))
}

// written turns the error of writing into one that ends the command.
func written(err error) error {
	if err != nil {
		return failed("cannot write the output: %v", err)
	}
	return nil
}
