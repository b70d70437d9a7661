package command

import "strings"

// ParseArgs analyses a list of arguments that no shell reads: one command, its
// wrappers taken off. Places in the result refer to the text that [Quote] gives.
func ParseArgs(args []string, shell Shell) *Script { return Parse(Quote(args), shell) }

// Quote writes a list of arguments as a text that a shell reads as just these.
func Quote(args []string) string {
	var b strings.Builder
	for i, arg := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		if plainArgument(arg) && !(i == 0 && syntaxWord(arg)) {
			b.WriteString(arg)
			continue
		}
		b.WriteByte('\'')
		b.WriteString(strings.ReplaceAll(arg, "'", `'\''`))
		b.WriteByte('\'')
	}
	return b.String()
}

// plainArgument reports a text that means itself without quotes. A "=" would
// make it an assignment.
func plainArgument(text string) bool {
	for i := range len(text) {
		if !nameByte(text[i]) && strings.IndexByte("-./,:+@%", text[i]) < 0 {
			return false
		}
	}
	return text != ""
}

// syntaxWord reports a first word that the parser takes for more than the name
// of a program.
func syntaxWord(text string) bool {
	switch text {
	case "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "in", "function",
		"time", "coproc", "let", "declare", "typeset", "local", "export", "readonly", "nameref":
		return true
	}
	return false
}
