package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call walks a simple command.
func (w *walker) call(s *syntax.Stmt, c *syntax.CallExpr) ends {
	cmd := w.form(s)
	for _, a := range c.Assigns {
		w.assign(cmd, a)
	}
	if len(c.Args) > 0 {
		cmd.Program = w.word(c.Args[0])
		cmd.Args = w.words(c.Args[1:])
	}
	w.add(cmd)
	return w.move(cmd)
}

// decl walks declare, export, local, readonly and typeset.
func (w *walker) decl(s *syntax.Stmt, c *syntax.DeclClause) ends {
	cmd := w.form(s)
	cmd.Program = Word{Text: c.Variant.Value, Known: true}
	for _, a := range c.Args {
		switch {
		case a.Name == nil:
			cmd.Args = append(cmd.Args, w.word(a.Value))
		case a.Naked:
			cmd.Args = append(cmd.Args, Word{Text: a.Name.Value, Known: a.Index == nil})
			w.within(a)
		default:
			w.assign(cmd, a)
			cmd.Args = append(cmd.Args, cmd.Assigns[len(cmd.Assigns)-1].word())
		}
	}
	w.add(cmd)
	return same(w.dir)
}

func (a Assign) word() Word {
	return Word{Text: a.Name + "=" + a.Value.Text, Known: a.Value.Known && a.Value.Symbolic == ""}
}

// form starts the command of a statement with its redirections.
func (w *walker) form(s *syntax.Stmt) *Command {
	c := &Command{Pos: offset(s.Position), End: simpleEnd(s)}
	c.Program.Known = true
	for _, r := range s.Redirs {
		c.Redirects = append(c.Redirects, w.redirect(r))
	}
	return c
}

// simpleEnd is where a statement ends without its separator. Only for
// statements whose command cannot nest: End is recursive.
func simpleEnd(s *syntax.Stmt) int {
	end := offset(s.Position)
	if s.Cmd != nil {
		end = offset(s.Cmd.End())
	}
	if n := len(s.Redirs); n > 0 {
		end = max(end, offset(s.Redirs[n-1].Word.End()))
	}
	return end
}

// redirectsAlone makes the redirections of a compound command, or of a
// statement without command, an element of their own if they open a file.
func (w *walker) redirectsAlone(s *syntax.Stmt) {
	if len(s.Redirs) == 0 {
		return
	}
	c := &Command{Program: Word{Known: true}, Pos: offset(s.Redirs[0].Pos())}
	for _, r := range s.Redirs {
		c.Redirects = append(c.Redirects, w.redirect(r))
	}
	c.End = offset(s.Redirs[len(s.Redirs)-1].Word.End())
	if slices.ContainsFunc(c.Redirects, Redirect.opens) {
		w.add(c)
	}
}

// opens reports whether a redirection names a file.
func (r Redirect) opens() bool { return r.Write || r.Op == "<" || r.Op == "<>" }

func (w *walker) redirect(r *syntax.Redirect) Redirect {
	red := Redirect{Op: r.Op.String(), Target: w.word(r.Word)}
	if r.N != nil {
		red.FD = r.N.Value
		if name := strings.Trim(red.FD, "{}"); name != red.FD && environment(name) {
			w.unknownAt(HiddenCode, r.N)
		}
	}
	if r.Hdoc != nil && !quotedStop(r.Word) {
		w.within(r.Hdoc)
	}
	red.Write = writes(r.Op, red.Target)
	if r.Op == syntax.DplOut || r.Op == syntax.DplIn {
		w.duplicate(r, red.Target)
	}
	if w.shell == Zsh && red.Target.Text == "!" {
		w.unknownAt(Dialect, r.Word) // >! is an operator there
	}
	return red
}

// duplicate looks at the target of >& and <&. Bash begins another word after
// ">&-", and expands the target a second time, quoted or not.
func (w *walker) duplicate(r *syntax.Redirect, target Word) {
	if text := r.Word.Lit(); len(text) > 1 && text[0] == '-' {
		w.unknownAt(Dialect, r.Word)
	}
	if !target.Known || strings.ContainsAny(target.Text, "$`<>") {
		w.unknownAt(HiddenCode, r.Word)
	}
}

// quotedStop reports whether the delimiter has quotes, which make the body of
// a here-document plain data.
func quotedStop(word *syntax.Word) bool {
	for _, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || strings.Contains(lit.Value, `\`) {
			return true
		}
	}
	return false
}

func writes(op syntax.RedirOperator, target Word) bool {
	switch op {
	case syntax.RdrIn:
		return strings.HasPrefix(target.Text, "/dev/tcp/") || strings.HasPrefix(target.Text, "/dev/udp/")
	case syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return false
	case syntax.DplOut:
		if target.Known && (isDigits(strings.TrimSuffix(target.Text, "-")) || target.Text == "-") {
			return false
		}
	default: // the others need nothing of their own
	}
	return !target.Known || !harmlessTarget(target.Text)
}

func harmlessTarget(name string) bool {
	switch name {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2":
		return true
	}
	return false
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// because adds a reason to a command.
func (w *walker) because(c *Command, code Code) {
	c.Unknown = append(c.Unknown, Reason{Code: code, Pos: c.Pos, End: c.End})
}

// assign adds an assignment to a command, or to the shell if there is no
// program.
func (w *walker) assign(c *Command, a *syntax.Assign) {
	value := Word{Known: true}
	if a.Value != nil {
		value = w.word(a.Value)
	}
	if a.Array != nil || a.Index != nil {
		w.withinAssign(a)
		value = Word{}
	}
	if a.Append {
		value = Word{}
	}
	name := a.Name.Value
	if !syntax.ValidName(name) {
		w.unknownAt(Dialect, a.Name) // a program to Bash: "x]=[ y"
	}
	c.Assigns = append(c.Assigns, Assign{Name: name, Value: value})
	w.assigned(name, isNumber(value) || computed(a))
	if name == "HOME" {
		w.homeMoved = true
	}
	if numberVariable(name) && !isNumber(value) {
		w.because(c, HiddenCode) // the shell evaluates the value
	}
}

func (w *walker) withinAssign(a *syntax.Assign) {
	if a.Array != nil {
		w.within(a.Array)
	}
	if a.Index != nil {
		w.arith(a.Index)
	}
}

// computed reports an assignment whose whole value is arithmetic: a number.
func computed(a *syntax.Assign) bool {
	if a.Value == nil || a.Append || len(a.Value.Parts) != 1 {
		return false
	}
	_, ok := a.Value.Parts[0].(*syntax.ArithmExp)
	return ok
}

func isNumber(word Word) bool {
	return word.Known && isDigits(strings.TrimPrefix(word.Text, "-"))
}
