package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// noArgs refuses arguments. The hint says what to do instead; a %s in it stands
// for the argument.
func noArgs(hint string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unexpected(args[0], hint)
	}
}

// oneFile takes a file or none.
func oneFile(cmd *cobra.Command, args []string) error {
	return noArgs("give one file at a time")(cmd, args[min(1, len(args)):])
}

func unexpected(arg, hint string) error {
	if hint == "" {
		return fmt.Errorf("unexpected argument %q", arg)
	}
	return fmt.Errorf("unexpected argument %q; %s", arg, strings.ReplaceAll(hint, "%s", shellWord(arg)))
}

// shellWord writes text as one word of a POSIX shell, so that a command that is
// shown can be copied whatever a file is called.
func shellWord(text string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@%+=,", r)
	}
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !safe(r) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
