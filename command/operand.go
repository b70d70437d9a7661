package command

import (
	"slices"
	"strings"
)

// Operand is a text among the arguments that may name a file.
type Operand struct {
	Word Word
	// Sure is set if the text stands where programs take names of files. It is
	// not set for what some programs take out of a word: .env in -o.env,
	// key=.env, @.env and HEAD:.env.
	Sure bool
}

// maxParts bounds the texts that are taken out of one word.
const maxParts = 16

// Operands returns every text in the arguments of this form that may name a
// file (spec CMD-19). A word that is not known is returned as it is.
func (c *Command) Operands() []Operand {
	if len(c.Args) == 0 {
		return nil
	}
	o := operands{list: make([]Operand, 0, len(c.Args)), program: programName(c.Program.Text)}
	_, sub := subcommand(o.program, c.Args)
	o.table = optionsFor(o.program, sub)
	roles := c.roles()
	for i, word := range c.Args {
		switch roles[i] {
		case isText:
		case hides:
			o.list = append(o.list, Operand{Sure: true})
		default:
			o.word(word)
		}
	}
	if o.program == "sed" && !o.unsure() && sedRuns(c.Args, 0) {
		o.list = append(o.list, Operand{Sure: true}) // a script may name files, whichever word it is
	}
	return o.list
}

type operands struct {
	list    []Operand
	program string
	table   *optionTable
	end     bool // after "--"
}

// unsure reports whether there is an operand that is not known already.
func (o *operands) unsure() bool {
	return slices.ContainsFunc(o.list, func(operand Operand) bool { return !operand.Word.Known })
}

func (o *operands) word(word Word) {
	text := word.Text
	switch {
	case !word.Known:
		o.unknown(word)
	case text == "-":
	case text == "--" && !o.end:
		o.end = true
	case strings.HasPrefix(text, "--") && !o.end:
		if _, value, ok := strings.Cut(text, "="); ok {
			o.sure(Word{Text: value, Known: true})
		}
	case strings.HasPrefix(text, "-"):
		if o.end {
			o.list = append(o.list, Operand{word, true})
		}
		// Also after "--": that may be the value of the option before it.
		o.cluster(text)
	default:
		o.sure(word)
	}
}

// sure adds a word and the texts that programs may take out of it.
func (o *operands) sure(word Word) {
	o.list = append(o.list, Operand{word, true})
	before := len(o.list)
	o.parts(word)
	if o.program == "dd" && len(o.list) > before && (strings.HasPrefix(word.Text, "if=") || strings.HasPrefix(word.Text, "of=")) {
		o.list[before].Sure = true
	}
}

func (o *operands) maybe(text string) {
	if text != "" {
		o.list = append(o.list, Operand{Word: Word{Text: text, Known: true}})
	}
}

// unknown adds a word that is not known. What a program takes out of it begins
// and ends elsewhere.
func (o *operands) unknown(word Word) {
	o.list = append(o.list, Operand{word, true})
	if strings.HasPrefix(word.Text, "-") || strings.ContainsAny(word.Text, separators) {
		o.list = append(o.list, Operand{Word: Word{Suffix: word.Suffix}})
	}
	if i := strings.IndexAny(word.Suffix, separators); i >= 0 {
		o.maybe(word.Suffix[i+1:])
		o.parts(Word{Text: word.Suffix[i+1:], Known: true})
	}
}

// separators are the bytes before which or after which a name may begin or end.
const separators = "=:,;@"

// parts adds what stands after = : , ; in a word and after @ at the start of one, and
// what stands before them if it looks like a path.
func (o *operands) parts(word Word) {
	rest, start := word.Text, true
	for n := 0; ; n++ {
		if text, ok := strings.CutPrefix(rest, "@"); ok && text != "" {
			o.maybe(text)
			rest, start = text, false
		}
		i := strings.IndexAny(rest, "=:,;")
		switch {
		case i < 0 || isURL(rest):
			return
		case n == maxParts:
			o.list = append(o.list, Operand{})
			return
		}
		if left := rest[:i]; pathLike(left) {
			part := Word{Text: left, Known: true}
			if start && word.Symbolic != "" {
				part.Symbolic = left
			}
			o.list = append(o.list, Operand{Word: part})
		}
		rest, start = rest[i+1:], false
		o.maybe(rest)
	}
}

// pathLike reports a text that is more likely a path than a key or a host.
func pathLike(text string) bool {
	return text != "" && text[0] != '-' && (text[0] == '~' || strings.ContainsAny(text, "./"))
}

// isURL reports a text that begins with a scheme and "://".
func isURL(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	return ok && scheme != "" && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-") == ""
}

// cluster adds what may be glued to the letters of a word such as -o.env.
func (o *operands) cluster(text string) {
	if len(text) < 3 {
		return
	}
	letters := text[1:]
	if o.table.words && o.program != "gcc" && o.program != "clang" {
		o.parts(Word{Text: text, Known: true}) // letters are not bundled, and have no values glued to them
		return
	}
	if !o.table.unknown && !o.table.words {
		letters = o.table.letters(letters)
		if o.table.valueless("-"+letters[:max(0, len(letters)-1)]) || len(letters) == 1 {
			last := letters[len(letters)-1]
			switch {
			case strings.IndexByte(o.table.valued, last) >= 0:
				o.glued(text[1+len(letters):])
				return
			case len(letters) == len(text)-1 && o.table.longOf(last) != "":
				return
			}
		}
	}
	o.glued(text[2:])
	if i := strings.IndexAny(text[2:], "./~"); i > 0 && strings.IndexByte(separators, text[1+i]) < 0 {
		o.glued(text[2+i:])
	}
}

func (o *operands) glued(text string) {
	o.maybe(text)
	o.parts(Word{Text: text, Known: true})
}
