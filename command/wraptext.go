package command

import "strings"

// replaced is the command that xargs runs: with a replacement string, words
// that hold it are unknown; otherwise unknown words follow.
func replaced(opts []option, words []Word) []Word {
	mark := ""
	for _, o := range opts {
		switch {
		case o.name == "I" || o.name == "J" || o.name == "replace":
			mark = o.value.Text
		case o.name == "i":
			mark = o.value.Text
		default:
			continue
		}
		if mark == "" {
			mark = "{}"
		}
	}
	if mark == "" {
		return append(words[:len(words):len(words)], Word{})
	}
	out := make([]Word, len(words))
	for i, word := range words {
		if strings.Contains(word.Text, mark) {
			word = Word{single: true}
		}
		out[i] = word
	}
	return out
}

// parallel walks the words before ":::"; each run gets more of them, and
// without words before it the inputs are the commands.
func (w *walker) parallel(c *Command, words []Word) bool {
	n := 0
	for n < len(words) && !strings.HasPrefix(words[n].Text, ":::") {
		n++
	}
	if n == 0 {
		w.because(c, DynamicCode)
		return false
	}
	w.joined(c, append(words[:n:n], Word{Text: `"$@"`, Known: true}))
	return true
}

// joined walks words that a shell reads as one text.
func (w *walker) joined(c *Command, words []Word) {
	texts := make([]string, len(words))
	for i, word := range words {
		if !word.Known || word.Symbolic != "" {
			w.because(c, DynamicCode)
			return
		}
		texts[i] = word.Text
	}
	w.nested(strings.Join(texts, " "), w.shellFor(c), c)
}

func (w *walker) shellFor(c *Command) Shell {
	if name := programName(c.Program.Text); name == "eval" || name == "trap" {
		return w.shell
	}
	return Sh
}

// codeWord walks a word that a shell reads as text.
func (w *walker) codeWord(c *Command, word Word) {
	if !word.Known || word.Symbolic != "" {
		w.because(c, DynamicCode)
		return
	}
	w.nested(word.Text, w.shellFor(c), c)
}
