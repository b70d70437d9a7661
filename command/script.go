package command

import "strings"

// Shell is the language of a text. The zero value is unknown, and a text in an
// unknown language cannot be analysed.
type Shell uint8

// The shells. Sh and Zsh are read with the grammar of Bash; constructs that they
// read in another way are marked unknown.
const (
	NoShell Shell = iota
	Bash
	Sh
	Zsh
	PowerShell
	Cmd
)

// Code names why something is not certain.
type Code string

// The codes of a [Reason].
const (
	Syntax         Code = "syntax"          // not a complete Bash text
	TooLarge       Code = "too_large"       // beyond a bound on size, nesting or number
	OtherShell     Code = "other_shell"     // not a shell this package reads
	Dialect        Code = "dialect"         // sh or zsh read this in another way than Bash
	ControlBytes   Code = "control_bytes"   // NUL, carriage return or bytes that are not UTF-8
	DynamicProgram Code = "dynamic_program" // the program word is computed
	DynamicCode    Code = "dynamic_code"    // code for a shell is computed
	WrapperOption  Code = "wrapper_option"  // a wrapper's options could not be told apart
	HiddenCode     Code = "hidden_code"     // a value that the shell may evaluate as code
	AliasDefined   Code = "alias"           // later words may be replaced
)

// Reason says what is not certain and where: bytes Pos to End of the text.
type Reason struct {
	Code     Code
	Pos, End int
}

// Script is an analysed text.
type Script struct {
	// Commands holds every simple command that the text can run, in the order
	// of the text, substitutions before the command they stand in. If the
	// text as a whole is not analysable the last element has no program and
	// carries Unknown.
	Commands []*Command
	// Unknown says why the text as a whole is not analysable; what was parsed
	// before the trouble is in Commands all the same.
	Unknown []Reason
}

// Command is one simple command, one form of it. A statement that only assigns
// or redirects is a Command with an empty known Program.
type Command struct {
	Program   Word
	Args      []Word
	Assigns   []Assign
	Redirects []Redirect

	// Outer is the form around this one: sudo for the rm in "sudo rm x".
	Outer *Command
	// Background is set if the shell does not wait for the command.
	Background bool
	// Dir is the working directory after the cd commands before it, in slash
	// form: absolute, relative to where the script starts, or beginning with
	// "~". Empty means unchanged. It means nothing if DirUnknown is set.
	Dir        string
	DirUnknown bool
	// Opaque is set if the command hands code to an interpreter that this
	// package does not read (python -c), and names the interpreter.
	Opaque string
	// Unknown says what about this command is not certain.
	Unknown []Reason
	// Pos and End are the place of the command in the text, in bytes. A
	// command from the argument of a wrapper has the place of the whole.
	Pos, End int

	transparent bool // this form only passes its text on: sh -c 'text'
}

// Word is one argument after the shell has removed quotes.
type Word struct {
	// Text is the value if Known, otherwise the prefix that is certain.
	Text string
	// Known is set if the value is certain and the word is exactly one word.
	Known bool
	// Symbolic is the value with the home directory written as "~" or the
	// working directory (that of the command) as "$PWD" at its start, if the shell puts it there. It may be set
	// when Known is not: an unquoted $HOME may be split. A quoted tilde is
	// plain text and leaves it empty.
	Symbolic string
	// Pattern is set if the word is not known only because the shell replaces
	// it by the names of files: the pattern, with a backslash before what is
	// quoted in it. A leading "~/" is the home directory.
	Pattern string
	// Suffix is set if the word is not known: the text that is certainly at
	// its end, and at the end of each word that it may become.
	Suffix string

	single bool // not known, but exactly one word
	param  *use // the word is the value of this one variable
}

// mayBeOption reports a word that is not known and may be, or become, an option.
func (w Word) mayBeOption() bool {
	switch {
	case w.Known:
		return false
	case w.Pattern != "":
		return strings.IndexByte("*?[-", w.Pattern[0]) >= 0
	}
	return !w.single || w.Text == "" || w.Text[0] == '-'
}

// longOption reports a word that is not known, but certainly a long option with a
// value.
func (w Word) longOption() bool {
	return !w.Known && (w.single || w.Pattern != "") && strings.HasPrefix(w.Text, "--") && strings.Contains(w.Text, "=")
}

// Assign is an assignment before a command or on its own.
type Assign struct {
	Name  string
	Value Word
}

// Redirect is a redirection. Op is the operator as written, FD the number or
// name before it ("" for the default of Op).
type Redirect struct {
	Op     string
	FD     string
	Target Word
	// Write is set if the redirection can create or change a file, or opens a
	// connection (/dev/tcp). It is not set for 2>&1 and for targets such as
	// /dev/null.
	Write bool
}

// Writes returns the redirections of the command, and of the forms around it, that can
// create or change a file.
func (c *Command) Writes() []Redirect {
	var list []Redirect
	for f := c; f != nil; f = f.Outer {
		for _, r := range f.Redirects {
			if r.Write {
				list = append(list, r)
			}
		}
	}
	return list
}

// Certain reports whether nothing about the command or the forms around it is
// unknown or opaque.
func (c *Command) Certain() bool {
	for f := c; f != nil; f = f.Outer {
		if len(f.Unknown) > 0 || f.Opaque != "" {
			return false
		}
	}
	return true
}

// bare reports whether there is no program to run.
func (c *Command) bare() bool { return c.Program.Known && c.Program.Text == "" && len(c.Args) == 0 }
