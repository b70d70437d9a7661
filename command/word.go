package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (w *walker) words(list []*syntax.Word) []Word {
	if len(list) == 0 {
		return nil
	}
	out := make([]Word, len(list))
	for i, x := range list {
		if text, ok := w.plain(x); ok {
			out[i].Text, out[i].Known = text, true
			continue
		}
		out[i] = w.word(x)
	}
	return out
}

// plain is the text of a word that is one unquoted literal without any byte that
// means something.
func (w *walker) plain(x *syntax.Word) (string, bool) {
	if len(x.Parts) != 1 {
		return "", false
	}
	lit, ok := x.Parts[0].(*syntax.Lit)
	if !ok || w.shell == Zsh && strings.HasPrefix(lit.Value, "=") {
		return "", false
	}
	for i := range len(lit.Value) {
		switch lit.Value[i] {
		case '\\', '*', '?', '[', ']', '{', '}', '~':
			return "", false
		}
	}
	return lit.Value, true
}

// word removes the quotes of a word and walks the substitutions in it.
func (w *walker) word(x *syntax.Word) Word {
	if text, ok := w.plain(x); ok {
		return Word{Text: text, Known: true}
	}
	b := wordBuilder{w: w, known: true, single: true}
	for i, part := range x.Parts {
		b.part(part, i == 0, len(x.Parts) == 1)
	}
	one := b.single && !b.split
	word := b.word()
	if !word.Known {
		word.param = onlyParam(x)
	}
	if !word.Known && one && !changesGlobs(w.source) {
		word.Pattern, word.Suffix = unknownParts(x.Parts, w.shell)
	}
	return word
}

// onlyParam returns the variable whose value the word is, if it is nothing else.
func onlyParam(x *syntax.Word) *use {
	if len(x.Parts) != 1 {
		return nil
	}
	p, ok := x.Parts[0].(*syntax.ParamExp)
	if !ok || !plainParam(p) {
		return nil
	}
	return &use{name: p.Param.Value, pos: offset(p.Pos()), end: offset(p.End())}
}

// changesGlobs reports a text that may change what patterns expand to.
func changesGlobs(text string) bool {
	return strings.Contains(text, "glob") && (strings.Contains(text, "dotglob") || strings.Contains(text, "nocaseglob") || strings.Contains(text, "globstar")) ||
		strings.Contains(text, "GLOBIGNORE")
}

// wordBuilder gathers the value of one word.
type wordBuilder struct {
	w      *walker
	text   strings.Builder
	known  bool   // no part so far is unknown
	single bool   // no part so far can give none or several words
	symbol string // "~" or "$PWD" if the word begins so
	split  bool   // the symbol is unquoted and may be split
	lost   bool   // something after the symbol is unknown
	meta   strings.Builder
}

func (b *wordBuilder) word() Word {
	text, meta := b.text.String(), b.meta.String()
	if globs(meta) {
		b.known, b.single, b.lost = false, false, true
		text = knownPrefix(text)
	}
	if b.symbol != "" && b.lost {
		text = "" // what begins with the home directory has no prefix known here
	}
	word := Word{Text: text, Known: b.known && (b.symbol == "" || !b.lost), single: b.single}
	if b.symbol != "" && !b.lost {
		word.Symbolic = b.symbol + text
		word.Known = !b.split
		word.Text = word.Symbolic
		if b.split {
			word.Text, word.single = "", false
		}
	}
	return word
}

// knownPrefix cuts a text before the first byte that an expansion may replace. It
// may cut too early, at a quoted byte.
func knownPrefix(text string) string {
	if i := strings.IndexAny(text, "*?[{"); i >= 0 {
		return text[:i]
	}
	return text
}

// globs reports whether unquoted bytes make a pattern or a brace expansion.
func globs(meta string) bool {
	if strings.ContainsAny(meta, "*?") {
		return true
	}
	if i := strings.IndexByte(meta, '['); i >= 0 && strings.IndexByte(meta[i:], ']') >= 0 {
		return true
	}
	i := strings.IndexByte(meta, '{')
	return i >= 0 && strings.IndexByte(meta[i:], '}') >= 0 &&
		(strings.IndexByte(meta[i:], ',') >= 0 || strings.Contains(meta[i:], ".."))
}

func (b *wordBuilder) lose(single bool) {
	b.known = false
	b.lost = true
	b.single = b.single && single
}

func (b *wordBuilder) add(text string) {
	if b.known {
		b.text.WriteString(text)
	}
}

func (b *wordBuilder) part(part syntax.WordPart, first, only bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		b.literal(p.Value, first, only)
	case *syntax.SglQuoted:
		b.quoted(p)
	case *syntax.DblQuoted:
		for i, inner := range p.Parts {
			b.inQuotes(inner, first && i == 0)
		}
	case *syntax.ParamExp:
		if first && b.home(p) {
			b.split = true
			return
		}
		b.w.param(p)
		b.lose(false)
	case *syntax.ProcSubst:
		if first && len(p.Stmts) > 0 {
			b.add("/") // the name of a pipe, which is absolute in every shell
		}
		b.w.within(p)
		b.lose(len(p.Stmts) > 0) // "<()" may be no word at all
	case *syntax.ExtGlob:
		if b.w.shell == Zsh {
			b.w.unknownAt(Dialect, p) // qualifiers there can run code
		}
		b.lose(false)
	default:
		b.w.within(p)
		b.lose(false)
	}
}

func (b *wordBuilder) quoted(q *syntax.SglQuoted) {
	if !q.Dollar {
		b.add(q.Value)
		return
	}
	text, ok := ansiC(q.Value)
	if b.w.shell == Sh || !ok {
		b.lose(true) // a plain sh keeps the dollar
		return
	}
	b.add(text)
}

// literal adds an unquoted literal.
func (b *wordBuilder) literal(s string, first, only bool) {
	if first {
		s = b.tilde(s, only)
	}
	if strings.Contains(s, "=~") || strings.Contains(s, ":~") || first && b.w.shell == Zsh && strings.HasPrefix(s, "=") {
		b.lose(true)
	}
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		} else if strings.IndexByte("*?[]{},.", s[i]) >= 0 {
			b.meta.WriteByte(s[i])
		}
		if b.known {
			b.text.WriteByte(s[i])
		}
	}
}

// tilde takes a leading tilde off. Only "~" and "~/" alone are the home
// directory for certain; a quoted byte before the slash keeps a tilde plain.
func (b *wordBuilder) tilde(s string, only bool) string {
	if !strings.HasPrefix(s, "~") {
		return s
	}
	if b.w.homeMoved || !(s == "~" && only || strings.HasPrefix(s, "~/")) {
		b.lose(true)
		return s
	}
	b.symbol = "~"
	return s[1:]
}

// home takes $HOME or $PWD at the start of a word.
func (b *wordBuilder) home(p *syntax.ParamExp) bool {
	if !plainParam(p) {
		return false
	}
	switch {
	case p.Param.Value == "HOME" && !b.w.homeMoved:
		b.symbol = "~"
	case p.Param.Value == "PWD" && !b.w.dir.unknown:
		b.symbol = "$PWD"
	default:
		return false
	}
	return true
}

// inQuotes adds a part that stands in double quotes.
func (b *wordBuilder) inQuotes(part syntax.WordPart, first bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		b.add(unescapeQuoted(p.Value))
	case *syntax.ParamExp:
		if first && b.home(p) {
			return
		}
		b.w.param(p)
		b.lose(!severalWords(p))
	default:
		b.w.within(p)
		b.lose(true)
	}
}

// severalWords reports whether a quoted expansion can give none or several words.
func severalWords(p *syntax.ParamExp) bool {
	return p.Param == nil || p.Param.Value == "@" || p.Index != nil || p.Excl || p.Names != 0 || p.Exp != nil || p.Repl != nil
}

func unescapeQuoted(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func plainParam(p *syntax.ParamExp) bool {
	return p.Param != nil && p.NestedParam == nil && p.Flags == nil && !p.Excl && !p.Length && !p.Width &&
		!p.IsSet && p.Index == nil && len(p.Modifiers) == 0 && p.Slice == nil && p.Repl == nil &&
		p.Names == 0 && p.Exp == nil
}

func setsHome(text string) bool {
	n := strings.Count(text, "HOME")
	return n > 0 && n > strings.Count(text, "$HOME")+strings.Count(text, "${HOME")
}
