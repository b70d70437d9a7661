package command

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Parse analyses a text in the language of shell. It never fails: trouble is in
// [Script.Unknown] (spec CMD-1, CMD-2).
func Parse(text string, shell Shell) *Script {
	w := &walker{script: &Script{}, end: len(text)}
	w.text(text, shell)
	w.checkEvaluated()
	if len(w.script.Unknown) > 0 {
		w.script.Commands = append(w.script.Commands, &Command{
			Program: Word{Known: true}, DirUnknown: true, Unknown: w.script.Unknown, End: len(text),
		})
	}
	return w.script
}

// walker collects the commands of one text and of the texts inside it.
type walker struct {
	script  *Script
	shell   Shell
	source  string // the text being walked
	depth   int
	nesting int

	// For a text inside a text: the form that carries it, whose place its
	// commands have.
	outer *Command
	end   int

	dir        place
	background bool
	homeMoved  bool            // the script sets HOME
	ownCd      bool            // the script defines a function with the name of what moves
	numbers    map[string]bool // variables assigned: to numbers only?
	evaluated  []use           // variables whose value arithmetic evaluates
	full       bool
}

// text parses and walks one text. What was parsed before a syntax error is
// walked too.
func (w *walker) text(text string, shell Shell) {
	if shell != Bash && shell != Sh && shell != Zsh {
		w.unknown(OtherShell, 0, len(text))
		return
	}
	if tooLarge(text) {
		w.unknown(TooLarge, 0, len(text))
		return
	}
	if strangeBytes(text) {
		w.unknown(ControlBytes, 0, len(text))
	}
	if misreadBytes(text) {
		w.unknown(Dialect, 0, len(text))
	}
	w.shell, w.source = shell, text
	w.homeMoved = w.homeMoved || setsHome(text)
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		w.unknown(Syntax, errorOffset(err, len(text)), len(text))
	}
	w.stmts(file.Stmts)
}

func errorOffset(err error, size int) int {
	if parse, ok := errors.AsType[syntax.ParseError](err); ok {
		return min(int(parse.Pos.Offset()), size)
	}
	if lang, ok := errors.AsType[syntax.LangError](err); ok {
		return min(int(lang.Pos.Offset()), size)
	}
	return 0
}

// unknown records that the script as a whole is not certain, once per place.
func (w *walker) unknown(code Code, pos, end int) {
	if w.outer != nil {
		pos, end = w.outer.Pos, w.outer.End
	}
	reason := Reason{Code: code, Pos: pos, End: end}
	if len(w.script.Unknown) < 100 && !hasReason(w.script.Unknown, reason) {
		w.script.Unknown = append(w.script.Unknown, reason)
	}
}

func hasReason(list []Reason, reason Reason) bool {
	for _, r := range list {
		if r == reason {
			return true
		}
	}
	return false
}

// unknownAt is unknown with the place of a node.
func (w *walker) unknownAt(code Code, node syntax.Node) {
	w.unknown(code, offset(node.Pos()), offset(node.End()))
}

func offset(p syntax.Pos) int { return int(p.Offset()) }

// add takes a finished command, unwraps it and stores what is inside, or the
// command itself if it wraps nothing.
func (w *walker) add(c *Command) {
	if len(w.script.Commands) >= maxCommands {
		if !w.full {
			w.full = true
			w.unknown(TooLarge, c.Pos, w.end)
		}
		return
	}
	if w.outer != nil {
		c.Pos, c.End = w.outer.Pos, w.outer.End
		c.Outer = w.outer
	}
	c.End = max(c.End, c.Pos)
	c.Background = w.background
	c.Dir, c.DirUnknown = w.dir.path, w.dir.unknown
	w.unwrap(c)
}

// store makes c an element of the script.
func (w *walker) store(c *Command) {
	w.script.Commands = append(w.script.Commands, c)
}
