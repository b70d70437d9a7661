package main

import (
	"strings"

	"github.com/mitchellh/go-wordwrap"
)

// Widths of text, in columns. The width of the terminal is not asked for: no
// terminal in use is narrower, and long lines are hard to read.
const (
	textWidth    = 76
	commandWidth = textWidth / 3 // a longer command gets a line of its own
)

// noBreak is a space at which go-wordwrap does not break. Escaped text has none.
const noBreak = "\u00a0"

// wrap breaks one escaped paragraph into lines. What stands in backticks is a
// command to copy: it is never broken, and a long one gets a line of its own.
func wrap(text string) []string {
	var lines []string
	var sentence strings.Builder
	flush := func() {
		if words := strings.TrimSpace(sentence.String()); words != "" {
			broken := strings.ReplaceAll(wordwrap.WrapString(words, textWidth), noBreak, " ")
			lines = append(lines, strings.Split(broken, "\n")...)
		}
		sentence.Reset()
	}
	for {
		before, rest, opened := strings.Cut(text, "`")
		command, after, closed := strings.Cut(rest, "`")
		if !opened || !closed {
			break
		}
		sentence.WriteString(before)
		if strings.Contains(command, " ") && columns(command) > commandWidth {
			flush()
			if last := len(lines) - 1; last >= 0 && strings.TrimSpace(before) != "" {
				lines[last] = strings.TrimRight(lines[last], ":") + ":"
			}
			lines = append(lines, "  "+command)
			text = strings.TrimLeft(after, ".,;:")
			continue
		}
		sentence.WriteString("`" + strings.ReplaceAll(command, " ", noBreak) + "`")
		text = after
	}
	sentence.WriteString(text)
	flush()
	return withoutCommands(lines)
}

// withoutCommands joins a line that a runner would obey to the one before it.
func withoutCommands(lines []string) []string {
	var joined []string
	for _, line := range lines {
		if last := len(joined) - 1; last >= 0 && isGitHubCommand(line) {
			joined[last] += " " + strings.TrimLeft(line, " ")
			continue
		}
		joined = append(joined, line)
	}
	return joined
}
