package command

import "strings"

// codeFlags are the options with which an interpreter takes code from its
// arguments, as letters that may be bundled and as whole words.
var codeFlags = map[string]struct{ letters, words string }{
	"python":     {letters: "c"},
	"pypy":       {letters: "c"},
	"perl":       {letters: "eEMm"},
	"ruby":       {letters: "er"},
	"node":       {letters: "epr", words: "--eval --print --require --import --loader"},
	"nodejs":     {letters: "epr", words: "--eval --print --require --import --loader"},
	"bun":        {letters: "e", words: "--eval"},
	"tsx":        {letters: "ep", words: "--eval --print"},
	"ts-node":    {letters: "ep", words: "--eval --print"},
	"deno":       {words: "eval"},
	"php":        {letters: "rBRE", words: "--run"},
	"lua":        {letters: "el"},
	"luajit":     {letters: "el"},
	"rscript":    {letters: "e"},
	"r":          {letters: "e"},
	"julia":      {letters: "eE", words: "--eval --print"},
	"groovy":     {letters: "e"},
	"scala":      {letters: "e"},
	"elixir":     {letters: "e", words: "--eval"},
	"erl":        {words: "-eval"},
	"ghc":        {letters: "e"},
	"guile":      {letters: "c"},
	"racket":     {letters: "e"},
	"emacs":      {words: "--eval -eval --batch -batch"},
	"vim":        {letters: "cS", words: "--cmd"},
	"nvim":       {letters: "cS", words: "--cmd"},
	"vi":         {letters: "c"},
	"ex":         {letters: "c"},
	"pwsh":       {letters: "ce", words: "-command -encodedcommand -Command -EncodedCommand"},
	"powershell": {letters: "ce", words: "-command -encodedcommand -Command -EncodedCommand"},
	"cmd":        {words: "/c /C /k /K"},
	"fish":       {letters: "cC", words: "--command --init-command"},
	"csh":        {letters: "c"},
	"tcsh":       {letters: "c"},
	"nu":         {letters: "c", words: "--commands"},
	"make":       {words: "--eval -f- --file=- --makefile=-"},
	"nc":         {letters: "ec", words: "--exec --sh-exec"},
	"ncat":       {letters: "ec", words: "--exec --sh-exec"},
}

// opaque names the interpreter if a command hands it code.
func opaque(c *Command) string {
	name := versionless(programName(c.Program.Text))
	if isAwk(name) {
		if awkHas(c.Args, "|@") {
			return name
		}
		return ""
	}
	flags, ok := codeFlags[name]
	if !ok {
		return ""
	}
	if len(c.Args) == 0 && readsInput(name) {
		return name
	}
	for i, a := range c.Args {
		switch {
		case !a.Known && !a.single, a.Text == "-" && readsInput(name), isOpenFile(a.Text),
			optionSet(flags.words).has(firstPart(a.Text)), bundled(a.Text, flags.letters):
			return name
		case i > 0 && optionSet(valueOptions).has(c.Args[i-1].Text):
			// it may be the value of the option before it
		case a.Known && !strings.HasPrefix(a.Text, "-"):
			return "" // a script; what follows belongs to it
		}
	}
	return ""
}

// valueOptions take a value in the next word for one interpreter or another.
const valueOptions = "-W -X -I -d -C -K -L -J -P -H -t --title --icu-data-dir --conditions --input-type --stack-trace-limit"

// isOpenFile reports a name of a file that is open already, such as the input.
func isOpenFile(name string) bool {
	return name == "/dev/stdin" || strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/")
}

func firstPart(text string) string {
	name, _, _ := strings.Cut(text, "=")
	return name
}

// readsInput reports whether an interpreter without arguments runs its input.
func readsInput(name string) bool {
	switch name {
	case "make", "vim", "nvim", "vi", "emacs", "nc", "ncat", "bun", "deno":
		return false
	}
	return true
}

// versionless cuts a version: python3.12 is python.
func versionless(name string) string {
	if base := strings.TrimRight(name, "0123456789."); base != "" {
		return base
	}
	return name
}

// bundled reports whether a word of short options has one of letters.
func bundled(text, letters string) bool {
	return len(text) > 1 && text[0] == '-' && text[1] != '-' && strings.ContainsAny(text[1:], letters)
}

func isAwk(name string) bool {
	switch name {
	case "awk", "gawk", "mawk", "nawk":
		return true
	}
	return false
}

// awkHas reports whether an awk program may run commands, has one of the marks,
// or is not seen.
func awkHas(args []Word, marks string) bool {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.Text == "-F" || a.Text == "-v":
			i++
		case a.Known && strings.HasPrefix(a.Text, "-") && len(a.Text) > 1:
			if !strings.HasPrefix(a.Text, "-F") && !strings.HasPrefix(a.Text, "-v") {
				return true
			}
		default:
			program := strings.ReplaceAll(a.Text, "||", "")
			return !a.Known || strings.ContainsAny(program, marks) || strings.Contains(program, "system") ||
				strings.Contains(program, "getline")
		}
	}
	return false
}
