package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// checkNames looks at builtins whose arguments are names of variables. A
// subscript in such an argument is evaluated, and reading into a variable
// makes its value suspect.
func (w *walker) checkNames(c *Command) {
	if !c.Program.Known {
		return
	}
	switch c.Program.Text {
	case "alias":
		w.alias(c)
	case "read", "mapfile", "readarray", "getopts":
		w.reads(c, c.Args)
	case "printf", "wait":
		if len(c.Args) > 0 && (!c.Args[0].Known || strings.HasPrefix(c.Args[0].Text, "-")) {
			w.reads(c, c.Args)
		}
	case "unset":
		w.reads(c, c.Args)
	case "test", "[":
		w.testNames(c)
	case "declare", "typeset", "local", "export", "readonly":
		w.declares(c)
	case "let":
		w.because(c, HiddenCode)
	}
}

func (w *walker) alias(c *Command) {
	for _, a := range c.Args {
		if !a.Known || strings.Contains(a.Text, "=") {
			w.unknown(AliasDefined, c.Pos, c.End)
			return
		}
	}
}

func (w *walker) reads(c *Command, args []Word) {
	for _, a := range args {
		switch {
		case !a.Known, strings.Contains(a.Text, "[") && c.Program.Text != "printf", a.Text == "-C",
			codeVariable(a.Text), syntax.ValidName(a.Text) && environment(a.Text) && c.Program.Text != "unset":
			w.because(c, HiddenCode)
			return
		case syntax.ValidName(a.Text):
			w.assigned(a.Text, false)
			w.homeMoved = w.homeMoved || a.Text == "HOME"
		case c.Program.Text == "printf" && strings.ContainsAny(a.Text, "[") && strings.ContainsAny(a.Text, "$`"):
			w.because(c, HiddenCode)
			return
		}
	}
}

// testNames: -v evaluates the subscript of the word after it, and a word that is
// not known may be -v.
func (w *walker) testNames(c *Command) {
	if w.mayTestName(c) {
		w.because(c, HiddenCode)
		return
	}
	for i, a := range c.Args {
		if !a.Known || a.Text != "-v" && a.Text != "-R" || i+1 == len(c.Args) {
			continue
		}
		if next := c.Args[i+1]; !next.Known || strings.Contains(next.Text, "[") {
			w.because(c, HiddenCode)
		}
	}
}

// mayTestName reports whether a word that is not known may be the -v of a test.
// Where an operator says what the words around it are, it cannot.
func (w *walker) mayTestName(c *Command) bool {
	args := c.Args
	if n := len(args) - 1; n >= 0 && c.Program.Text == "[" && args[n].Text == "]" {
		args = args[:n]
	}
	unknown, single, subscript := 0, true, false
	for _, a := range args {
		switch {
		case a.Known:
		case !a.single && a.param != nil:
			w.evaluated = append(w.evaluated, *a.param) // a number is no -v, and is one word
			unknown++
		default:
			unknown++
			single = single && a.single
		}
		subscript = subscript || a.Known && strings.Contains(a.Text, "[")
	}
	operator := len(args) == 3 && args[1].Known && args[1].Text != "-a" && args[1].Text != "-o" || len(args) == 2 && args[0].Known || len(args) == 1
	switch {
	case unknown == 0:
		return false
	case !single:
		return true // it may become several words, -v among them
	default:
		return !operator && (unknown > 1 || subscript)
	}
}

func (w *walker) declares(c *Command) {
	for _, a := range c.Args {
		name, value, assigns := strings.Cut(a.Text, "=")
		switch {
		case assigns && strings.HasPrefix(value, "("), assigns && numberVariable(name) && !isNumber(Word{Text: value, Known: a.Known}):
			w.because(c, HiddenCode) // the value is read once more
			return
		case strings.Contains(name, "["), !a.Known && !assigns:
			w.because(c, HiddenCode)
			return
		case strings.HasPrefix(name, "-") && strings.ContainsAny(name, "in"):
			w.because(c, HiddenCode) // values are evaluated, or name other variables
			return
		}
	}
}

// environment reports whether a name looks like a variable of the environment,
// such as PATH, whose value other programs or the shell act on.
func environment(name string) bool {
	return len(name) > 1 && name == strings.ToUpper(name) || strings.HasSuffix(name, "_proxy")
}

// codeVariable reports whether programs run the value of a variable.
func codeVariable(name string) bool {
	switch name {
	case "GIT_SSH_COMMAND", "GIT_SSH", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_EXTERNAL_DIFF",
		"GIT_ASKPASS", "SSH_ASKPASS", "GIT_PROXY_COMMAND", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "LESSOPEN",
		"LESSCLOSE", "BROWSER", "RSYNC_RSH", "CVS_RSH", "PROMPT_COMMAND":
		return true
	}
	return promptVariable(name) || hiddenVariable(name)
}

// promptVariable: the shell runs substitutions in the value.
func promptVariable(name string) bool {
	switch name {
	case "PS0", "PS1", "PS2", "PS3", "PS4", "PROMPT", "RPROMPT":
		return true
	}
	return false
}

// hiddenVariable: the value is code, or names code, in a form not read here.
func hiddenVariable(name string) bool {
	switch name {
	case "BASH_ENV", "ENV", "PERL5OPT", "RUBYOPT", "NODE_OPTIONS", "TAR_OPTIONS", "MAKEFLAGS", "GIT_CONFIG_PARAMETERS",
		"BASH_ALIASES", "BASH_CMDS":
		return true
	}
	return strings.HasPrefix(name, "GIT_CONFIG_") || strings.HasPrefix(name, "BASH_FUNC_")
}

// codeAssign looks at the value given to a variable that programs run.
func (w *walker) codeAssign(c *Command, a Assign) {
	switch {
	case !codeVariable(a.Name):
	case promptVariable(a.Name):
		if !a.Value.Known || strings.ContainsAny(a.Value.Text, "$`") {
			w.because(c, HiddenCode)
		}
	case hiddenVariable(a.Name) || !a.Value.Known:
		w.because(c, HiddenCode)
	default:
		w.nested(a.Value.Text, Sh, c)
	}
}
