package command

import (
	"path"
	"slices"
	"strings"
)

// Match says whether the pattern matches a command, in one direction
// (spec CMD-11, CMD-12). It looks at the words only: whether the redirections
// of a permissive match are covered is for the caller, see [Command.Writes].
func (p *Pattern) Match(c *Command, m Mode) Answer {
	if m == Restrictive {
		return p.restrictive(c)
	}
	return p.permissive(c)
}

// permissive answers yes only if the command is exactly what was meant.
func (p *Pattern) permissive(c *Command) Answer {
	target := c
	for f := c; f != nil; f = f.Outer {
		if len(f.Unknown) > 0 || f.Opaque != "" && !p.exact() {
			return Unknown
		}
		if f.readsUnknown() {
			return Unknown
		}
		if f.Background || slices.ContainsFunc(f.Assigns, Assign.matters) {
			return No
		}
		if !f.transparent {
			target = f
		}
	}
	if target != c && !p.exact() {
		return No // inside a wrapper
	}
	return p.covers(target)
}

// readsUnknown reports a file that is read and not known by name.
func (c *Command) readsUnknown() bool {
	for _, r := range c.Redirects {
		if r.Op == "<" && !r.Target.Known {
			return true
		}
	}
	return false
}

// exact reports whether the pattern writes a command out in full, so that
// nothing about it was left to chance.
func (p *Pattern) exact() bool {
	if !p.whole || len(p.program.pieces) > 1 {
		return false
	}
	for _, word := range p.words {
		if len(word.pieces) > 1 {
			return false
		}
	}
	return true
}

func (p *Pattern) covers(c *Command) Answer {
	switch {
	case c.bare() && len(c.Redirects) > 0 && len(c.Writes()) == 0:
		return Yes // "< file" around a loop runs nothing, whatever the pattern
	case !c.Program.Known || c.bare():
		return Unknown
	}
	if !p.program.covers(c.Program) || len(c.Args) < len(p.words) || p.whole && len(c.Args) > len(p.words) {
		return No
	}
	for i, a := range c.Args {
		if !a.Known && (i < len(p.words) || p.whole || !c.takesFiles(a) && !c.takesText(i)) {
			return Unknown
		}
	}
	for i, word := range p.words {
		if !word.covers(c.Args[i]) {
			return No
		}
	}
	if p.exact() {
		return Yes
	}
	if _, ok := escalates(c, len(p.words)); ok {
		return No
	}
	return Yes
}

// takesText reports whether an argument that is not known leaves the command what
// it is, because it can only be a text: a message, or a word of echo.
func (c *Command) takesText(i int) bool {
	switch c.Program.Text {
	case "echo", "exit", "sleep", "test", "[": // unknown words of a test that may be code are unknown before this
		return c.IgnoresFiles()
	}
	return c.Args[i].single && c.roles()[i] == isText
}

// matters reports whether an assignment may change what a command does.
func (a Assign) matters() bool {
	return !a.Value.Known || !localeVariable(a.Name) && !optionSet(harmlessVariables).has(a.Name)
}

// harmlessVariables choose among what a build makes or prints, and name no
// program, file or option.
const harmlessVariables = "CGO_ENABLED GOOS GOARCH GOARM GOAMD64 CI NODE_ENV RUST_BACKTRACE FORCE_COLOR PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE COLUMNS LINES"

// takesFiles reports whether a word that the shell expands to names of files
// leaves the command what it is, whatever the names are: none of them may be an
// option, or an operand, with which the program writes or runs something.
func (c *Command) takesFiles(word Word) bool {
	if word.Pattern == "" {
		return false
	}
	name := versionless(programName(c.Program.Text))
	_, sub := subcommand(name, c.Args)
	plain := strings.IndexByte(`*?[\-`, word.Pattern[0]) < 0 // no name begins with a dash
	for _, key := range []string{name, name + " " + sub} {
		if dangers[key] != nil && (!plain || readsOperands(name)) {
			return false
		}
	}
	return !isAwk(name) && !setsShell(name)
}

// covers compares exactly. A wildcard never stands for an option.
func (w patternWord) covers(word Word) bool {
	if w.home != (word.Symbolic != "") {
		return false
	}
	if len(w.pieces) > 1 && w.pieces[0] == "" && strings.HasPrefix(word.Text, "-") {
		return false
	}
	return w.matches(word.Text)
}

// restrictive tries the command and every form around it, then what its arguments
// may hide.
func (p *Pattern) restrictive(c *Command) Answer {
	if answer := p.restrictiveForms(c); answer != No {
		return answer
	}
	return p.hidden(c)
}

func (p *Pattern) restrictiveForms(c *Command) Answer {
	answer := No
	for f := c; f != nil && answer != Yes; f = f.Outer {
		answer = answer.or(p.touches(f))
		if len(f.Unknown) > 0 || f.Opaque != "" {
			answer = answer.or(Unknown)
		}
	}
	return answer
}

// touches compares with one form, whatever its spelling.
func (p *Pattern) touches(c *Command) Answer {
	if sub, ok := strings.CutPrefix(programName(c.Program.Text), "git-"); ok && p.name.String() == "git" {
		c = &Command{Program: Word{Text: "git", Known: true}, Args: append([]Word{{Text: sub, Known: true}}, c.Args...)}
	}
	if c.bare() {
		return No
	}
	if !c.Program.Known {
		return Unknown
	}
	if !p.name.matches(programName(c.Program.Text)) {
		return No
	}
	if len(p.words) == 0 && !p.whole {
		return Yes
	}
	if p.absent(c.Args) {
		return No
	}
	line := newLine(p, c)
	answer := line.positional(p)
	for i := range p.flags {
		answer = answer.and(line.has(&p.flags[i]))
	}
	return answer
}

// absent is a quick no: all words are known and one that the pattern needs is
// not among them.
func (p *Pattern) absent(args []Word) bool {
	for _, a := range args {
		if !a.Known {
			return false
		}
	}
	for _, word := range p.plain {
		if len(word.pieces) == 1 && !word.pathLike() && !slices.ContainsFunc(args, func(a Word) bool { return a.Text == word.pieces[0] }) {
			return true
		}
	}
	return false
}

func (a Answer) and(b Answer) Answer {
	switch {
	case a == No || b == No:
		return No
	case a == Yes && b == Yes:
		return Yes
	}
	return Unknown
}

// arrange sorts the words of a pattern for restrictive matching.
func (p *Pattern) arrange() {
	p.name = p.program.folded()
	_, sub := subcommand(p.name.String(), literalWords(p.words))
	p.options = optionsFor(p.name.String(), sub)
	operands := false
	for _, word := range p.words {
		switch text := word.String(); {
		case operands || len(text) < 2 || text[0] != '-':
			p.plain = append(p.plain, word)
		default:
			operands = text == "--"
			p.flags = append(p.flags, newPatternFlag(text, p.options))
		}
	}
}

func literalWords(words []patternWord) []Word {
	list := make([]Word, len(words))
	for i, word := range words {
		list[i] = Word{Text: word.String(), Known: len(word.pieces) == 1}
	}
	return list
}

// folded is the program's name without directory, in lower case.
func (w patternWord) folded() patternWord {
	last := len(w.pieces) - 1
	start := 0
	for i, piece := range w.pieces {
		if strings.ContainsAny(piece, `/\`) {
			start = i
		}
	}
	out := patternWord{}
	for i := start; i <= last; i++ {
		piece := strings.ToLower(w.pieces[i])
		if k := strings.LastIndexAny(piece, `/\`); k >= 0 {
			piece = piece[k+1:]
		}
		out.pieces = append(out.pieces, piece)
	}
	out.pieces[len(out.pieces)-1] = strings.TrimSuffix(out.pieces[len(out.pieces)-1], ".exe")
	return out
}

// touches compares a positional word, paths after cleaning.
func (w patternWord) touches(word Word) Answer {
	text := word.Text
	if word.Symbolic != "" {
		text = word.Symbolic
	}
	if !word.Known && word.Symbolic == "" {
		if len(w.pieces) > 0 && len(text) > 0 && len(w.pieces[0]) > 0 && !samePrefix(w.pieces[0], text) {
			return No
		}
		return Unknown
	}
	if w.home && word.Symbolic == "" {
		// The home directory written out cannot be told from another one here.
		if strings.HasPrefix(text, "/") {
			return Unknown
		}
		return No
	}
	if w.matches(text) || w.pathLike() && w.matches(path.Clean(text)) || strings.HasSuffix(w.String(), "/") && w.matches(text+"/") {
		return Yes
	}
	return No
}

func samePrefix(a, b string) bool {
	n := min(len(a), len(b))
	return a[:n] == b[:n]
}

// pathLike words may stand anywhere among the operands.
func (w patternWord) pathLike() bool {
	text := w.String()
	return w.home || strings.Contains(text, "/") || strings.HasPrefix(text, ".")
}
