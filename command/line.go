package command

import (
	"slices"
	"strings"
)

// line is a command's arguments sorted for restrictive matching.
type line struct {
	options *optionTable
	flags   []Word
	plain   []plainWord
	wild    bool // there is a word that may be an option
	end     bool // there is a "--"
	push    bool // of git push
}

// plainWord is a word that is not an option.
type plainWord struct {
	word  Word
	value bool // follows an option and may be its value
}

func newLine(p *Pattern, c *Command) *line {
	l := &line{options: p.options, flags: make([]Word, 0, len(c.Args)), plain: make([]plainWord, 0, len(c.Args))}
	start := l.skipGlobals(p, c.Args)
	value := false
	for i, word := range c.Args {
		text := word.Text
		switch {
		case l.end || word.Known && (len(text) < 2 || text[0] != '-') || !word.Known && text != "" && text[0] != '-':
			if i >= start || !l.global(p) {
				l.plain = append(l.plain, plainWord{word, value && !l.end})
			}
			l.wild = l.wild || !word.Known && !word.single && !l.end
			value = false
		case word.Known && text == "--":
			l.end = true
		case word.Known:
			l.flags = append(l.flags, word)
			value = !strings.Contains(text, "=")
		default:
			l.wild = true
			l.flags = append(l.flags, word)
			l.plain = append(l.plain, plainWord{word, value})
		}
	}
	return l
}

// skipGlobals is the index of the subcommand, for programs that have them.
func (l *line) skipGlobals(p *Pattern, args []Word) int {
	if !l.global(p) {
		return 0
	}
	i, sub := subcommand(p.name.String(), args)
	l.push = sub == "push" && p.name.String() == "git"
	return i
}

func (l *line) global(p *Pattern) bool { return globalOptions[p.name.String()] != nil }

// positional matches the positional words of a pattern in order. Words that
// may be values of options may be left out or used; words of the pattern that look like paths
// may come after others. It is a dynamic program over both lists, from the end.
func (l *line) positional(p *Pattern) Answer {
	var best, next [maxPattern + 1]Answer
	n := len(p.plain)
	for i := range n {
		next[i] = No
		if l.wild {
			next[i] = Unknown
		}
	}
	next[n] = Yes
	for k := len(l.plain) - 1; k >= 0; k-- {
		word := l.plain[k]
		many := !word.word.Known && !word.word.single
		best[n] = Yes
		if p.whole {
			best[n] = next[n].and(l.leftover(word))
		}
		for i := range n {
			best[i] = next[i+1].and(p.plain[i].touches(word.word))
			switch {
			case many:
				best[i] = best[i].or(Unknown)
			case word.value || p.plain[i].pathLike():
				best[i] = best[i].or(next[i])
			}
		}
		next = best
	}
	return next[0]
}

// leftover says whether a pattern for the whole list can end before a word.
func (l *line) leftover(word plainWord) Answer {
	switch {
	case word.value:
		return Yes
	case !word.word.Known && !word.word.single:
		return Unknown
	}
	return No
}

// has says whether the line has an option of the pattern.
func (l *line) has(f *patternFlag) Answer {
	if (f.text == "--force" || f.text == "-f") && l.push && l.forcesPush() {
		return Yes
	}
	if f.text == "--" {
		if l.end {
			return Yes
		}
		return l.missing()
	}
	if f.letters == "" || l.options.words {
		return l.hasLong(f)
	}
	answer := Yes
	for i := range len(f.letters) {
		answer = answer.and(l.hasLetter(f.letters[i]))
	}
	return answer.or(l.hasWord(f.text))
}

// forcesPush reports the other ways to write a forced push: a refspec with a plus
// in front, and a mirror. A lease is what people are asked to use instead.
func (l *line) forcesPush() bool {
	for _, word := range l.flags {
		if strings.HasPrefix(word.Text, "--mi") {
			return true
		}
	}
	return slices.ContainsFunc(l.plain, func(w plainWord) bool { return strings.HasPrefix(w.word.Text, "+") })
}

func (l *line) missing() Answer {
	if l.wild {
		return Unknown
	}
	return No
}

func (l *line) hasWord(text string) Answer {
	for _, word := range l.flags {
		if word.Text == text {
			return Yes
		}
	}
	return No
}

// hasLetter looks for a short option, also in a bundle and as its long name.
func (l *line) hasLetter(letter byte) Answer {
	answer := l.missing()
	long := l.options.longOf(letter)
	for _, word := range l.flags {
		name, isLong := strings.CutPrefix(firstPart(word.Text), "--")
		switch {
		case !isLong:
			if strings.IndexByte(l.options.letters(strings.TrimPrefix(word.Text, "-")), letter) >= 0 {
				return Yes
			}
			if long != "" && l.anyLetter(word.Text, long) {
				return Yes
			}
		case long != "" && name != "" && strings.HasPrefix(long, name):
			return Yes
		case long == "" && l.options.unknown && name != "" && name[0] == letter:
			answer = Unknown
		}
	}
	return answer
}

// hasLong looks for a long option, also abbreviated and as its letter.
func (l *line) hasLong(f *patternFlag) Answer {
	answer := l.missing()
	for _, word := range l.flags {
		name, value, valued := strings.Cut(word.Text, "=")
		if f.valued && valued && value != f.value {
			continue
		}
		bare := strings.TrimLeft(name, "-")
		switch {
		case bare == f.long && (strings.HasPrefix(name, "--") || l.options.words):
			return l.valueOf(f, valued)
		case strings.HasPrefix(name, "--") && bare != "" && strings.HasPrefix(f.long, bare):
			return l.valueOf(f, valued)
		case strings.HasPrefix(name, "--"):
		case l.anyLetter(word.Text, f.long):
			return l.valueOf(f, valued)
		case l.options.unknown && len(name) > 1 && strings.IndexByte(name[1:], f.long[0]) >= 0:
			answer = Unknown
		}
	}
	return answer
}

// valueOf is certain unless the pattern wants a value that may stand in the next word.
func (l *line) valueOf(f *patternFlag, valued bool) Answer {
	if !f.valued || valued {
		return Yes
	}
	answer := No
	for _, word := range l.plain {
		if word.value {
			answer = answer.or(patternWord{pieces: []string{f.value}}.touches(word.word))
		}
	}
	return answer
}

// anyLetter reports whether a bundle has a letter whose long name is long.
func (l *line) anyLetter(bundle, long string) bool {
	letters := l.options.letters(strings.TrimPrefix(bundle, "-"))
	for i := range len(letters) {
		if l.options.longOf(letters[i]) == long {
			return true
		}
	}
	return false
}

// patternFlag is an option in a pattern.
type patternFlag struct {
	text    string
	long    string // name without dashes
	letters string // for one dash and letters
	value   string // after =
	valued  bool
}

func newPatternFlag(text string, table *optionTable) patternFlag {
	f := patternFlag{text: text}
	f.long, f.value, f.valued = strings.Cut(strings.TrimLeft(text, "-"), "=")
	if !strings.HasPrefix(text, "--") && !table.words {
		f.letters = f.long
	}
	return f
}
