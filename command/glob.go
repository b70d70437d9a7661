package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unknownParts is what can be said of a word that is not known and that no
// parameter can split: its pattern and its end.
func unknownParts(parts []syntax.WordPart, shell Shell) (pattern, suffix string) {
	if lit, ok := parts[0].(*syntax.Lit); ok && shell == Zsh && (strings.HasPrefix(lit.Value, "=") || zshGlob(parts)) {
		return "", ""
	}
	if shell == Zsh && zshGlob(parts) {
		return "", ""
	}
	return globPattern(parts), knownSuffix(parts)
}

// zshGlob reports bytes that are more than text in a pattern of zsh.
func zshGlob(parts []syntax.WordPart) bool {
	for _, part := range parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.ContainsAny(strings.TrimPrefix(lit.Value, "~/"), "#^~|<>()") {
			return true
		}
	}
	return false
}

// globPattern is the word as a pattern, "" if anything but unquoted * ? and
// brackets is special in it.
func globPattern(parts []syntax.WordPart) string {
	g := globBuilder{plain: true}
	for i, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			g.literal(p.Value, i == 0)
		case *syntax.SglQuoted:
			g.plain = g.plain && !p.Dollar
			g.quoted(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return ""
				}
				g.quoted(unescapeQuoted(lit.Value))
			}
		default:
			return ""
		}
	}
	text := g.text.String()
	switch {
	case !g.plain || !g.wild, strings.HasPrefix(text, "~") != g.home,
		g.bracket && (g.quotes || !plainBrackets(text)):
		return ""
	}
	return text
}

type globBuilder struct {
	text    strings.Builder
	plain   bool // nothing but what a pattern can say
	wild    bool // there is an unquoted * ? or [
	star    bool // the last byte is an unquoted *
	bracket bool
	quotes  bool
	home    bool
}

func (g *globBuilder) literal(s string, first bool) {
	g.home = g.home || first && strings.HasPrefix(s, "~/")
	if strings.Contains(s, "=~") || strings.Contains(s, ":~") {
		g.plain = false
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i+1 < len(s) {
				i++
			}
			g.quoted(s[i : i+1])
			continue
		case '{', '}':
			g.plain = false
		case '*', '?':
			// What two stars mean depends on the shell's options.
			g.plain = g.plain && !(g.star && s[i] == '*')
			g.wild = true
		case '[', ']':
			g.wild, g.bracket = true, true
		}
		g.star = s[i] == '*'
		g.text.WriteByte(s[i])
	}
}

func (g *globBuilder) quoted(s string) {
	g.quotes = true
	g.star = g.star && s == ""
	for i := range len(s) {
		if strings.IndexByte(`*?[]\{}`, s[i]) >= 0 {
			g.text.WriteByte('\\')
		}
		g.text.WriteByte(s[i])
	}
}

// plainBrackets reports whether all brackets are closed sets of characters and
// ranges, which shells and other readers of patterns agree on.
func plainBrackets(text string) bool {
	for text != "" {
		open := strings.IndexAny(text, "[]")
		if open < 0 {
			return true
		}
		if text[open] == ']' {
			return false
		}
		set, rest, ok := strings.Cut(text[open+1:], "]")
		if !ok || strings.Trim(set, "!^") == "" || strings.ContainsAny(set, "[/\\") {
			return false
		}
		text = rest
	}
	return true
}

// knownSuffix is the literal text after the last part that is not.
func knownSuffix(parts []syntax.WordPart) string {
	var pieces []string // from the end
	for i := len(parts) - 1; i >= 0; i-- {
		text, whole := literalEnd(parts[i])
		pieces = append(pieces, text)
		if !whole {
			break
		}
	}
	var b strings.Builder
	for i := len(pieces) - 1; i >= 0; i-- {
		b.WriteString(pieces[i])
	}
	return b.String()
}

// literalEnd is the text at the end of a part, and whether that is all of it.
func literalEnd(part syntax.WordPart) (text string, whole bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		return unquotedEnd(p.Value)
	case *syntax.SglQuoted:
		if !p.Dollar {
			return p.Value, true
		}
	case *syntax.DblQuoted:
		for i := len(p.Parts) - 1; i >= 0; i-- {
			lit, ok := p.Parts[i].(*syntax.Lit)
			if !ok {
				return text, false
			}
			text = unescapeQuoted(lit.Value) + text
		}
		return text, !p.Dollar
	}
	return "", false
}

// unquotedEnd is the text after the last byte that may stand for something
// else. A tilde stands for a name that ends at the next slash.
func unquotedEnd(s string) (text string, whole bool) {
	var b strings.Builder
	whole, tilde := true, false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
		case s[i] == '~':
			tilde, whole = true, false
		case s[i] == '/':
			if tilde {
				b.Reset()
			}
			tilde = false
		case strings.IndexByte("*?[]{}", s[i]) >= 0:
			b.Reset()
			whole = false
			continue
		}
		b.WriteByte(s[i])
	}
	if tilde {
		return "", false
	}
	return b.String(), whole
}
