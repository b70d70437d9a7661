package command

import "mvdan.cc/sh/v3/syntax"

// stmts walks statements that run one after the other.
func (w *walker) stmts(list []*syntax.Stmt) ends {
	result := same(w.dir)
	if w.depth >= maxDepth {
		if len(list) > 0 {
			w.unknown(TooLarge, offset(list[0].Position), w.end)
		}
		return same(nowhere)
	}
	w.depth++
	for _, stmt := range list {
		if w.full {
			break
		}
		result = w.stmt(stmt)
		w.dir = result.either()
	}
	w.depth--
	return result
}

// apart walks statements in a subshell, which cannot move the shell around it.
func (w *walker) apart(list []*syntax.Stmt) {
	dir := w.dir
	w.stmts(list)
	w.dir = dir
}

func (w *walker) stmt(s *syntax.Stmt) ends {
	dir, background := w.dir, w.background
	w.background = background || s.Background || s.Coprocess || s.Disown
	result := w.command(s)
	if w.background && !background {
		result = same(dir)
	}
	w.background = background
	if s.Negated {
		result.ok, result.fail = result.fail, result.ok
	}
	return result
}

// command walks a statement's command. Every kind of node either is handled
// here or makes the script unknown.
func (w *walker) command(s *syntax.Stmt) ends {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return w.call(s, c)
	case *syntax.DeclClause:
		return w.decl(s, c)
	case *syntax.BinaryCmd:
		return w.binary(c)
	case nil:
		w.redirectsAlone(s)
		return same(w.dir)
	}
	w.redirectsAlone(s)
	start := len(w.script.Commands)
	before := w.dir
	result := w.compound(s)
	if loops(s.Cmd) && result.either() != before {
		w.forgetDir(start)
		return same(nowhere)
	}
	return result
}

// declare notes a function that replaces what changes the directory. Functions of
// zsh may have several names, or none.
func (w *walker) declare(f *syntax.FuncDecl) {
	names := f.Names
	if f.Name != nil {
		names = append(names, f.Name)
	}
	for _, name := range names {
		w.ownCd = w.ownCd || optionSet("cd command builtin").has(name.Value)
	}
}

func (w *walker) compound(s *syntax.Stmt) ends {
	switch c := s.Cmd.(type) {
	case *syntax.Block:
		return w.stmts(c.Stmts)
	case *syntax.Subshell:
		w.apart(c.Stmts)
	case *syntax.IfClause:
		return w.ifClause(c)
	case *syntax.WhileClause:
		w.stmts(c.Cond)
		return same(w.dir.join(w.stmts(c.Do).either()))
	case *syntax.ForClause:
		return w.forClause(c)
	case *syntax.CaseClause:
		return w.caseClause(c)
	case *syntax.FuncDecl:
		w.declare(c)
		return w.stmt(c.Body)
	case *syntax.TimeClause:
		return w.timeClause(c)
	case *syntax.CoprocClause:
		w.coproc(c)
	case *syntax.TestClause, *syntax.ArithmCmd:
		if w.shell == Sh {
			w.unknownAt(Dialect, s.Cmd) // an ordinary command or two subshells there
		}
		w.within(s.Cmd)
	case *syntax.LetClause:
		w.unknownAt(Dialect, c) // the parser takes "let 1|x" for arithmetic
		w.within(c)
	default:
		w.unknownAt(Syntax, s.Cmd)
	}
	return same(w.dir)
}

// loops reports whether the body may run again, or later: its first command then starts
// where its last one ended.
func loops(c syntax.Command) bool {
	switch c.(type) {
	case *syntax.WhileClause, *syntax.ForClause, *syntax.FuncDecl:
		return true
	}
	return false
}

func (w *walker) forgetDir(start int) {
	for _, c := range w.script.Commands[start:] {
		for ; c != nil && c != w.outer; c = c.Outer {
			c.DirUnknown = true
		}
	}
}

// binary walks a list or pipeline. Lists lean to the left and may be long, so the
// left side is a loop.
func (w *walker) binary(b *syntax.BinaryCmd) ends {
	spine := []*syntax.BinaryCmd{b}
	for {
		x := spine[len(spine)-1].X
		left, ok := x.Cmd.(*syntax.BinaryCmd)
		if !ok || x.Negated || x.Background {
			break
		}
		spine = append(spine, left)
	}
	result := w.side(spine[len(spine)-1].Op, spine[len(spine)-1].X)
	for i := len(spine) - 1; i >= 0 && !w.full; i-- {
		result = w.right(spine[i], result)
	}
	return result
}

// side walks one side of an operator; those of a pipe are subshells.
func (w *walker) side(op syntax.BinCmdOperator, s *syntax.Stmt) ends {
	if op == syntax.AndStmt || op == syntax.OrStmt {
		return w.stmt(s)
	}
	dir := w.dir
	moved := w.stmt(s).either()
	w.dir = dir
	if moved != dir {
		// The last part of a pipe runs in the shell itself under lastpipe, and in zsh.
		return same(nowhere)
	}
	return same(dir)
}

func (w *walker) right(b *syntax.BinaryCmd, left ends) ends {
	switch b.Op {
	case syntax.AndStmt:
		w.dir = left.ok
		r := w.stmt(b.Y)
		return ends{ok: r.ok, fail: left.fail.join(r.fail)}
	case syntax.OrStmt:
		w.dir = left.fail
		r := w.stmt(b.Y)
		return ends{ok: left.ok.join(r.ok), fail: r.fail}
	default: // the others need nothing of their own
	}
	if c, ok := b.Y.Cmd.(*syntax.TimeClause); ok {
		w.pipedTime(b.Y, c)
		return same(left.either())
	}
	r := w.side(b.Op, b.Y)
	return same(r.either().join(left.either()))
}

func (w *walker) ifClause(c *syntax.IfClause) ends {
	var result place
	for first := true; c != nil; c, first = c.Else, false {
		cond := same(w.dir)
		if len(c.Cond) > 0 {
			cond = w.stmts(c.Cond)
		}
		w.dir = cond.ok
		end := w.stmts(c.Then).either()
		if !first {
			end = end.join(result)
		}
		result, w.dir = end, cond.fail
	}
	return same(result.join(w.dir))
}

func (w *walker) forClause(c *syntax.ForClause) ends {
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		numbers := loop.InPos.IsValid()
		for _, word := range loop.Items {
			numbers = isNumber(w.word(word)) && numbers
		}
		w.assigned(loop.Name.Value, numbers)
		if environment(loop.Name.Value) {
			// An element that no allow covers: for PATH in ... changes what runs.
			w.add(&Command{Program: Word{Known: true}, Assigns: []Assign{{Name: loop.Name.Value}},
				Pos: offset(loop.Name.Pos()), End: offset(loop.Name.End())})
		}
	case *syntax.CStyleLoop:
		w.within(loop)
	}
	return same(w.dir.join(w.stmts(c.Do).either()))
}

func (w *walker) caseClause(c *syntax.CaseClause) ends {
	w.word(c.Word)
	dir := w.dir
	result := dir
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.within(p)
		}
		result = result.join(w.stmts(item.Stmts).either())
		if item.Op == syntax.Break {
			w.dir = dir
		}
	}
	return same(result)
}

// timeClause: the keyword changes nothing about the command, so it is not a
// wrapper. Where time is a program its options come first.
func (w *walker) timeClause(c *syntax.TimeClause) ends {
	if c.Stmt == nil {
		return same(w.dir)
	}
	if call, ok := c.Stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
		if first := call.Args[0].Lit(); first != "" && first[0] == '-' {
			w.unknownAt(Dialect, call.Args[0])
		}
	}
	return w.stmt(c.Stmt)
}

// pipedTime: after a pipe time is not a keyword but a program.
func (w *walker) pipedTime(s *syntax.Stmt, c *syntax.TimeClause) {
	w.redirectsAlone(s)
	if c.Stmt == nil {
		w.unknown(Dialect, offset(c.Time), offset(c.Time)+len("time"))
		return
	}
	call, ok := c.Stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || c.Stmt.Negated {
		w.unknown(Dialect, offset(c.Time), w.end)
		w.apart([]*syntax.Stmt{c.Stmt})
		return
	}
	cmd := w.form(c.Stmt)
	cmd.Program = Word{Text: "time", Known: true}
	if c.PosixFormat {
		cmd.Args = append(cmd.Args, Word{Text: "-p", Known: true})
	}
	cmd.Args = append(cmd.Args, w.words(call.Args)...)
	cmd.Pos = offset(c.Time)
	w.add(cmd)
}

// coproc walks a coprocess. What is its name and what its program differs
// between shells, and in Bash between a text and the same text in a substitution.
func (w *walker) coproc(c *syntax.CoprocClause) {
	w.unknown(Dialect, offset(c.Coproc), w.end)
	if c.Name != nil {
		w.word(c.Name)
	}
	dir, background := w.dir, w.background
	w.background = true
	w.stmt(c.Stmt)
	w.dir, w.background = dir, background
}
