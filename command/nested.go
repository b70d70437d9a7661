package command

import "strings"

// nested walks a text that the command c hands to a shell.
func (w *walker) nested(text string, shell Shell, c *Command) {
	if w.nesting >= maxNested || w.full {
		w.because(c, TooLarge)
		return
	}
	saved := *w
	w.nesting++
	w.outer = c
	w.text(text, shell)
	w.outer, w.shell, w.source, w.dir = saved.outer, saved.shell, saved.source, saved.dir
	w.depth, w.nesting = saved.depth, saved.nesting
}

// shellOptions is what the arguments of a shell say.
type shellOptions struct {
	code    bool // -c
	plain   bool // -c or -lc alone
	unknown bool
	rest    []Word
}

func readShellOptions(args []Word) shellOptions {
	o := shellOptions{plain: true}
	for len(args) > 0 {
		word := args[0]
		if !word.Known {
			o.unknown = o.unknown || !word.single || word.Text == "" || strings.ContainsAny(word.Text[:1], "-+")
			break
		}
		text := word.Text
		if text == "--" || text == "-" {
			args = args[1:]
			break
		}
		if len(text) < 2 || text[0] != '-' && text[0] != '+' {
			break
		}
		n := o.read(text)
		if n == 0 || n > len(args) {
			o.unknown = true
			break
		}
		args = args[n:]
	}
	o.rest = args
	return o
}

// read takes one option word and returns how many words it uses, 0 if unknown.
func (o *shellOptions) read(text string) int {
	if strings.HasPrefix(text, "--") {
		o.plain = o.plain && text == "--login"
		switch {
		case text == "--rcfile" || text == "--init-file":
			return 2
		case optionSet(shellFlags).has(text[2:]):
			return 1
		}
		return 0
	}
	used := 1
	for i := 1; i < len(text); i++ {
		switch letter := text[i : i+1]; {
		case letter == "c" && text[0] == '-':
			o.code = true
		case letter == "o" || letter == "O":
			used++
			o.plain = false
		case letter == "l" && text[0] == '-':
		case optionSet(shellFlags).has(letter):
			o.plain = false
		default:
			return 0
		}
	}
	return used
}

// shellText walks the text after -c. A shell without it reads a file, which is
// like running that file, or its input, which is code that is not seen.
func (w *walker) shellText(c *Command) bool {
	o := readShellOptions(c.Args)
	switch {
	case o.unknown:
		w.because(c, WrapperOption)
		return false
	case !o.code:
		if len(o.rest) == 0 || isOpenFile(o.rest[0].Text) {
			c.Opaque = programName(c.Program.Text)
		}
		return false
	case len(o.rest) == 0:
		return false
	case !o.rest[0].Known || o.rest[0].Symbolic != "":
		w.because(c, DynamicCode)
		return false
	}
	c.transparent = o.plain && len(o.rest) == 1 && len(c.Assigns) == 0 && systemShell(c.Program.Text)
	w.nested(o.rest[0].Text, shellNamed(programName(c.Program.Text)), c)
	return true
}

func shellNamed(name string) Shell {
	switch name {
	case "bash":
		return Bash
	case "zsh":
		return Zsh
	}
	return Sh
}

// systemShell reports whether a program word names the system's shell and not
// a file that is only called so.
func systemShell(text string) bool {
	switch systemProgram(text) {
	case "sh", "bash", "zsh", "dash":
		return true
	}
	return false
}

// systemProgram is the name of a program that is looked up or stands in a
// directory of the system, "" for a file elsewhere.
func systemProgram(text string) string {
	for _, dir := range [...]string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"} {
		if name, ok := strings.CutPrefix(text, dir); ok {
			text = name
			break
		}
	}
	if strings.ContainsAny(text, `/\`) {
		return ""
	}
	return text
}

// envSplit walks env -S: the value is split into words by rules close to the
// shell's; what is not plain is unknown.
func (w *walker) envSplit(c *Command, value Word, rest []Word) bool {
	if !value.Known || value.Symbolic != "" || strings.ContainsAny(value.Text, "\\\"'$#") {
		w.because(c, DynamicCode)
		return false
	}
	var words []Word
	for field := range strings.FieldsSeq(value.Text) {
		words = append(words, Word{Text: field, Known: true})
	}
	w.inner(c, append(append([]Word{c.Program}, words...), rest...))
	return true
}

// find walks the commands of -exec and its kin.
func (w *walker) find(c *Command) {
	for i := 0; i < len(c.Args); i++ {
		word := c.Args[i]
		if !word.Known && !word.single {
			w.because(c, WrapperOption) // it may hold an -exec of its own
			return
		}
		switch word.Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			if word.Known {
				i = w.findExec(c, i)
			}
		case ";", "+":
			w.because(c, WrapperOption) // the end of an -exec that is not known
		}
	}
}

// findExec walks one -exec at index i and returns the index of its end.
func (w *walker) findExec(c *Command, i int) int {
	dir := w.dir
	if strings.HasSuffix(c.Args[i].Text, "dir") {
		w.dir = nowhere
	}
	end := i + 1
	var words []Word
	for ; end < len(c.Args); end++ {
		word := c.Args[end]
		if word.Known && (word.Text == ";" || word.Text == "+") {
			break
		}
		if strings.Contains(word.Text, "{}") {
			word = Word{single: word.single || word.Known}
		}
		words = append(words, word)
	}
	if n := len(words); n > 0 {
		if end < len(c.Args) && c.Args[end].Text == "+" {
			words[n-1] = Word{} // any number of names
		}
		w.inner(c, words)
	}
	w.dir = dir
	return end
}
