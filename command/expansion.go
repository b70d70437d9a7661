package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// within walks the substitutions in a node whose value does not matter.
func (w *walker) within(n syntax.Node) { syntax.Walk(n, w.visit) }

func (w *walker) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.CmdSubst:
		if n.Backquotes && (w.continued(n) || hasHeredoc(n)) || !n.Backquotes && misread(n, n.Stmts) {
			w.unknownAt(Dialect, n)
		}
		w.apart(n.Stmts)
	case *syntax.ProcSubst:
		if misread(n, n.Stmts) {
			w.unknownAt(Dialect, n)
		}
		w.apart(n.Stmts)
	case *syntax.ParamExp:
		w.param(n)
	case *syntax.ArithmExp:
		w.arith(n.X)
	case *syntax.ArithmCmd:
		w.arith(n.X)
	case *syntax.LetClause:
		for _, x := range n.Exprs {
			w.arith(x)
		}
	case *syntax.CStyleLoop:
		w.arith(n.Init)
		w.arith(n.Cond)
		w.arith(n.Post)
	case *syntax.ArrayElem:
		w.arith(n.Index)
		if n.Value != nil {
			w.within(n.Value)
		}
	case *syntax.BinaryTest:
		return w.compare(n)
	case *syntax.UnaryTest:
		w.unaryTest(n)
		return true
	default:
		return true
	}
	return false
}

// continued reports a line continuation in backquotes, where Bash joins lines even in
// single quotes and the parser does not.
func (w *walker) continued(n *syntax.CmdSubst) bool {
	from, to := offset(n.Left), min(offset(n.Right), len(w.source))
	return from < to && strings.Contains(w.source[from:to], "\\\n")
}

// misread reports a substitution with a here-document and more than one simple
// command: some versions of Bash lose a separator in it, so that the next
// command becomes arguments.
func misread(subst syntax.Node, list []*syntax.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	if _, simple := list[0].Cmd.(*syntax.CallExpr); simple && len(list) == 1 {
		return false
	}
	return hasHeredoc(subst)
}

// hasHeredoc reports a here-document in a node. In backquotes Bash looks for the
// end of the substitution first, also inside of the document; the parser does not.
func hasHeredoc(in syntax.Node) bool {
	found := false
	syntax.Walk(in, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.Redirect); ok && r.Hdoc != nil {
			found = true
		}
		return !found
	})
	return found
}

// param walks a parameter expansion and marks the forms that evaluate a
// variable's value as code.
func (w *walker) param(p *syntax.ParamExp) {
	if p.Excl && p.Names == 0 && !wholeArray(p.Index) {
		w.unknownAt(HiddenCode, p)
	}
	if !wholeArray(p.Index) {
		w.arith(p.Index)
	}
	if p.Slice != nil {
		w.arith(p.Slice.Offset)
		w.arith(p.Slice.Length)
	}
	if p.Repl != nil {
		w.maybeWithin(p.Repl.Orig)
		w.maybeWithin(p.Repl.With)
	}
	if p.NestedParam != nil || p.Flags != nil || len(p.Modifiers) > 0 {
		w.unknownAt(Dialect, p)
	}
	if p.Exp != nil {
		if from, to := offset(p.Pos()), min(offset(p.End()), len(w.source)); from < to &&
			(strings.Contains(w.source[from:to], "<(") || strings.Contains(w.source[from:to], ">(")) {
			w.unknownAt(Dialect, p) // the parser may miss a process substitution
		}
		w.expansion(p)
	}
}

func (w *walker) maybeWithin(x *syntax.Word) {
	if x != nil {
		w.within(x)
	}
}

func (w *walker) expansion(p *syntax.ParamExp) {
	switch p.Exp.Op {
	case syntax.OtherParamOps:
		if p.Exp.Word == nil || strings.Contains(p.Exp.Word.Lit(), "P") {
			w.unknownAt(HiddenCode, p) // ${x@P} runs substitutions
		}
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		name := p.Param.Value
		w.assigned(name, false)
		w.homeMoved = w.homeMoved || name == "HOME"
		if environment(name) {
			w.unknownAt(HiddenCode, p)
		}
	default: // the others need nothing of their own
	}
	w.maybeWithin(p.Exp.Word)
}

func wholeArray(index syntax.ArithmExpr) bool {
	word, ok := index.(*syntax.Word)
	return ok && (word.Lit() == "@" || word.Lit() == "*")
}

// compare walks a test; the operands of numeric ones are arithmetic.
func (w *walker) compare(t *syntax.BinaryTest) bool {
	switch t.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		w.operand(t.X)
		w.operand(t.Y)
		return false
	default: // the others need nothing of their own
	}
	return true
}

func (w *walker) operand(x syntax.TestExpr) {
	if word, ok := x.(*syntax.Word); ok {
		w.arith(word)
		return
	}
	w.within(x)
}

func (w *walker) unaryTest(t *syntax.UnaryTest) {
	if t.Op != syntax.TsVarSet && t.Op != syntax.TsRefVar {
		return
	}
	if word, ok := t.X.(*syntax.Word); !ok || !syntax.ValidName(word.Lit()) {
		w.unknownAt(HiddenCode, t.X)
	}
}

// use is a variable whose value is evaluated.
type use struct {
	name     string
	pos, end int
}

// arith walks an arithmetic expression. Bash evaluates the values of variables
// in it as expressions, and a subscript in such a value can run a command.
func (w *walker) arith(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			w.evaluate(n.Value, n)
		case *syntax.BinaryArithm:
			w.arithAssign(n)
		case *syntax.SglQuoted:
			w.unknownAt(HiddenCode, n)
		case *syntax.CmdSubst:
			w.unknownAt(HiddenCode, n)
			w.apart(n.Stmts)
			return false
		case *syntax.ParamExp:
			w.arithParam(n)
			return false
		}
		return true
	})
}

func (w *walker) arithAssign(n *syntax.BinaryArithm) {
	if name, ok := n.X.(*syntax.Word); ok && n.Op == syntax.Assgn && syntax.ValidName(name.Lit()) && !environment(name.Lit()) {
		w.assigned(name.Lit(), true)
	}
}

func (w *walker) arithParam(p *syntax.ParamExp) {
	switch {
	case p.Length:
	case plainParam(p), p.Index != nil && p.Param != nil && !p.Excl && p.Exp == nil && p.Repl == nil:
		w.evaluate(p.Param.Value, p)
	default:
		w.unknownAt(HiddenCode, p)
	}
	w.param(p)
}

// evaluate notes that the value of a variable is evaluated. Whether it is
// harmless is known at the end: an assignment may follow in a loop.
func (w *walker) evaluate(name string, n syntax.Node) {
	switch {
	case syntax.ValidName(name):
		u := use{name, offset(n.Pos()), offset(n.End())}
		if w.outer != nil {
			u.pos, u.end = w.outer.Pos, w.outer.End
		}
		w.evaluated = append(w.evaluated, u)
	case name == "@" || name == "*" || name == "_" || strings.ContainsAny(name, "[$`"):
		w.unknownAt(HiddenCode, n)
	case isDigits(name) && name != "0":
		if _, ok := n.(*syntax.ParamExp); ok {
			w.unknownAt(HiddenCode, n) // an argument of the script or function
		}
	}
}

func (w *walker) checkEvaluated() {
	for _, u := range w.evaluated {
		if !w.numbers[u.name] && !numberVariable(u.name) {
			w.unknown(HiddenCode, u.pos, u.end)
		}
	}
}

func numberVariable(name string) bool {
	switch name {
	case "?", "#", "$", "!", "RANDOM", "SRANDOM", "SECONDS", "EPOCHSECONDS", "LINENO", "UID", "EUID", "PPID", "BASHPID", "SHLVL",
		"OPTIND", "HISTCMD":
		return true
	}
	return false
}

// assigned notes an assignment. A variable that ever held something other than
// a number stays suspect.
func (w *walker) assigned(name string, number bool) {
	if w.numbers == nil {
		w.numbers = map[string]bool{}
	}
	if old, ok := w.numbers[name]; ok && !old {
		return
	}
	w.numbers[name] = number
}
