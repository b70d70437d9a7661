package command

import (
	"slices"
	"strings"
)

// IgnoresFiles reports whether the program is known to open and change no file
// named by its words (spec CMD-20). Redirections are not covered by that.
func (c *Command) IgnoresFiles() bool {
	if !c.ordinary() {
		return false
	}
	row := ignoring[systemProgram(c.Program.Text)]
	return row != nil && (!row.conditional() || !row.except.found(c.Args) && !slices.ContainsFunc(c.Args, Word.mayBeOption))
}

// OnlyReads reports whether it is certain that the program writes and deletes no
// file named by its words (spec CMD-20). Redirections are not covered by that.
func (c *Command) OnlyReads() bool {
	if c.IgnoresFiles() {
		return true
	}
	if !c.ordinary() {
		return false
	}
	name := systemProgram(c.Program.Text)
	i, sub := subcommand(name, c.Args)
	row := reading[name]
	if row == nil && (i == 0 || globalOptions[name] != nil) {
		row = reading[name+" "+sub]
	}
	if row == nil || row.except.found(c.Args) {
		return false
	}
	if _, ok := Escalates(c); ok {
		return false
	}
	risky := row.conditional() || dangers[name] != nil || dangers[name+" "+sub] != nil
	for _, word := range c.Args {
		switch {
		case !word.Known && row.known, risky && word.mayBeOption(),
			strings.HasPrefix(word.Text, "+"): // a pager runs it
			return false
		}
	}
	return true
}

// ordinary reports whether the program is the one that its name says, and all
// that it does is in its words.
func (c *Command) ordinary() bool {
	if !c.Program.Known || len(c.Unknown) > 0 || c.Opaque != "" {
		return false
	}
	for _, a := range c.Assigns {
		if environment(a.Name) && !localeVariable(a.Name) {
			return false
		}
	}
	return true
}

// localeVariable: programs take no name of a file or program from the value.
func localeVariable(name string) bool {
	return name == "LANG" || name == "LANGUAGE" || name == "TZ" || name == "NO_COLOR" || strings.HasPrefix(name, "LC_")
}

// Recursive reports whether the command may reach everything below its operands
// (spec CMD-21).
func (c *Command) Recursive() bool {
	row, _ := c.reach()
	if row == nil {
		return false
	}
	if !row.conditional() {
		return true
	}
	args := c.Args
	if end := optionsEnd(c); row.except.words == "" && end >= 0 {
		args = args[:end]
	}
	return row.except.found(args) || slices.ContainsFunc(args, Word.mayBeOption)
}

// reach finds the row of a program that may reach below its operands, and its
// subcommand.
func (c *Command) reach() (row *effect, sub string) {
	if !c.Program.Known {
		return nil, ""
	}
	name := programName(c.Program.Text)
	if row := reaching[name]; row != nil {
		return row, ""
	}
	_, sub = subcommand(name, c.Args)
	return reaching[name+" "+sub], sub
}

// optionsEnd is the index of the "--" that ends the options, -1 if there is none
// for certain: it may be the value of the option before it.
func optionsEnd(c *Command) int {
	name := programName(c.Program.Text)
	_, sub := subcommand(name, c.Args)
	table := optionsFor(name, sub)
	for i, word := range c.Args {
		if word.Text != "--" || !word.Known {
			continue
		}
		if i == 0 || c.Args[i-1].Known && (!strings.HasPrefix(c.Args[i-1].Text, "-") || table.valueless(c.Args[i-1].Text)) {
			return i
		}
		return -1
	}
	return -1
}

// valueless reports whether a word of options certainly takes no value.
func (t *optionTable) valueless(text string) bool {
	if name, ok := strings.CutPrefix(text, "--"); ok {
		for pair := range strings.FieldsSeq(t.pairs) {
			if pair[2:] == name {
				return strings.IndexByte(t.valued, pair[0]) < 0
			}
		}
		return false
	}
	for i := 1; i < len(text); i++ {
		if t.longOf(text[i]) == "" || strings.IndexByte(t.valued, text[i]) >= 0 {
			return false
		}
	}
	return len(text) > 1
}

// WorksInDir reports whether the command is recursive and may start at the
// working directory, because no operand says where (spec CMD-21).
func (c *Command) WorksInDir() bool {
	if !c.Recursive() {
		return false
	}
	_, sub := c.reach()
	switch name := programName(c.Program.Text); {
	case name == "git" && sub == "clean":
	case sub != "":
		return false
	default:
		switch name {
		case "grep", "egrep", "fgrep", "rgrep", "ack", "rg", "ag", "find", "gfind":
		default:
			return false
		}
	}
	return !c.hasOperand()
}
