package command

import "strings"

// wrapperIndex maps each name of the table to its row.
func wrapperIndex(rows []wrapper) map[string]*wrapper {
	index := make(map[string]*wrapper, 2*len(rows))
	for i := range rows {
		row := &rows[i]
		if _, sub, ok := strings.Cut(row.names, " "); ok && runsCommand(sub) {
			index[row.names] = row
			continue
		}
		for name := range strings.FieldsSeq(row.names) {
			index[name] = row
		}
	}
	return index
}

// runsCommand reports whether a word in a row of the table is a subcommand that
// runs what follows, and not one more program.
func runsCommand(sub string) bool {
	switch sub {
	case "exec", "x", "dlx", "run", "explore":
		return true
	}
	return false
}

// unwrap stores the commands inside c, or c itself.
func (w *walker) unwrap(c *Command) {
	w.checkNames(c)
	for _, a := range c.Assigns {
		w.codeAssign(c, a)
	}
	if !c.Program.Known {
		w.because(c, DynamicProgram)
		w.store(c)
		return
	}
	row, args := rowFor(c)
	switch {
	case row == nil:
		c.Opaque = opaque(c)
		w.store(c)
	case c.forms() > maxWrappers:
		w.because(c, TooLarge)
		w.store(c)
	default:
		before := len(w.script.Commands)
		if !w.open(c, row, args) || len(w.script.Commands) == before || len(c.Unknown) > 0 {
			w.store(c)
		}
	}
}

// forms is the number of forms around a command.
func (c *Command) forms() int {
	n := 0
	for f := c.Outer; f != nil; f = f.Outer {
		n++
	}
	return n
}

// rowFor finds the row of a command and the arguments that belong to it.
func rowFor(c *Command) (*wrapper, []Word) {
	name := programName(c.Program.Text)
	if row := wrappers[name]; row != nil {
		return row, c.Args
	}
	if len(c.Args) == 0 || !subcommands(name) {
		return nil, nil
	}
	i, sub := subcommand(name, c.Args)
	if row := wrappers[name+" "+sub]; sub != "" && row != nil {
		return row, c.Args[i+1:]
	}
	return nil, nil
}

// subcommands reports whether the table has rows for subcommands of a program.
func subcommands(name string) bool {
	switch name {
	case "npm", "pnpm", "yarn", "bun", "poetry", "pipenv", "uv", "bundle", "mise", "direnv":
		return true
	}
	return false
}

// programName is the name that restrictive matching compares.
func programName(text string) string {
	if i := strings.LastIndexAny(text, `/\`); i >= 0 {
		text = text[i+1:]
	}
	return strings.TrimSuffix(strings.ToLower(text), ".exe")
}

// open walks what a wrapper runs. It reports whether that is all the wrapper
// does, so that it needs no element of its own.
func (w *walker) open(c *Command, row *wrapper, args []Word) bool {
	switch row.kind {
	case wrapShell:
		return w.shellText(c)
	case wrapFind:
		w.find(c)
		return false
	case wrapGit:
		w.git(c)
		return false
	case wrapOpaque:
		c.Opaque = programName(c.Program.Text)
		return false
	default: // the others need nothing of their own
	}
	opts, rest, ok := row.scan(args)
	for ok && row.kind == wrapOption && len(rest) > 0 {
		var more []option
		more, rest, ok = row.scan(rest[1:]) // options may follow operands
		opts = append(opts, more...)
	}
	if !ok {
		w.because(c, WrapperOption)
		return false
	}
	found := false
	for i, o := range opts {
		switch {
		case o.matches(row.stop) && !o.has:
			return false
		case o.matches(row.code):
			w.codeWord(c, o.value)
			found = true
		case row == wrappers["env"] && o.matches("S split-string"):
			if end := len(args) - len(rest); i < len(opts)-1 || end > 0 && args[end-1].Text == "--" {
				w.because(c, WrapperOption) // what follows the text belongs to the command in it
			}
			return w.envSplit(c, o.value, rest)
		}
	}
	return w.operands(c, row, opts, rest) || found
}

// operands walks what stands after a wrapper's options.
func (w *walker) operands(c *Command, row *wrapper, opts []option, rest []Word) bool {
	if row.assigns {
		rest = w.assignWords(c, rest)
		if row == wrappers["sudo"] && len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
			var ok bool
			if _, rest, ok = row.scan(rest); !ok {
				w.because(c, WrapperOption)
				return false
			}
		}
	}
	if row.skip > len(rest) {
		return false
	}
	for _, word := range rest[:row.skip] {
		if !word.Known && !word.single {
			w.because(c, WrapperOption)
			return false
		}
	}
	rest = rest[row.skip:]
	if len(rest) == 0 || row.kind == wrapOption {
		return false
	}
	switch row.kind {
	case wrapText:
		w.joined(c, rest)
	case wrapEach:
		for _, word := range rest {
			w.codeWord(c, word)
		}
	case wrapParallel:
		return w.parallel(c, rest)
	case wrapFirst:
		if rest[0].Known && (rest[0].Text == "-" || len(rest) == 1) {
			return false // resets
		}
		w.codeWord(c, rest[0])
	case wrapXargs:
		w.inner(c, replaced(opts, rest))
	default:
		if rest[0].Known && strings.HasPrefix(rest[0].Text, "-") {
			w.because(c, WrapperOption) // an option after the operands
			return false
		}
		w.innerAt(c, opts, rest)
	}
	return true
}

// inner adds the command that words are.
func (w *walker) inner(c *Command, words []Word) {
	dir := w.dir
	outer := w.outer
	w.outer = c
	w.add(&Command{Program: words[0], Args: words[1:]})
	w.outer, w.dir = outer, dir
}

// innerAt is inner for wrappers that may change the working directory.
func (w *walker) innerAt(c *Command, opts []option, words []Word) {
	dir := w.dir
	for _, o := range opts {
		if o.has && o.matches("C D chdir working-directory") && programName(c.Program.Text) != "sudo" {
			w.dir = nowhere
		}
		if o.has && o.matches("D chdir") {
			w.dir = nowhere
		}
		if o.matches("i login") && programName(c.Program.Text) == "sudo" {
			w.dir = place{path: "~"}
		}
	}
	w.inner(c, words)
	w.dir = dir
}

// assignWords takes NAME=VALUE words off.
func (w *walker) assignWords(c *Command, words []Word) []Word {
	for len(words) > 0 {
		name, value, ok := strings.Cut(words[0].Text, "=")
		if !ok || strings.HasPrefix(name, "-") || words[0].Symbolic != "" {
			break
		}
		a := Assign{Name: name, Value: Word{Text: value, Known: words[0].Known, single: words[0].single}}
		c.Assigns = append(c.Assigns, a)
		w.codeAssign(c, a)
		words = words[1:]
	}
	return words
}
