package command

import "strings"

// HostWords returns the words that may name a host, as written, and whether the
// program or a redirection is known to connect (spec CMD-22). An unknown word
// with no text stands for hosts that the words do not name.
func (c *Command) HostWords() (words []Word, network bool) {
	for _, r := range c.Redirects {
		if host, ok := deviceHost(r.Target); ok {
			words, network = append(words, host), true
		}
	}
	row, from := c.network()
	if row == nil {
		for _, word := range c.Args {
			words = appendURLs(words, word)
		}
		return words, network
	}
	for _, word := range c.Args[:from] {
		words = appendURLs(words, word)
	}
	for _, a := range c.Assigns {
		if strings.HasSuffix(strings.ToLower(a.Name), "_proxy") {
			words = append(words, a.Value)
		}
	}
	if args := c.Args[from:]; row.names == "curl" || row.names == "wget" {
		words = row.told(words, args)
	} else {
		for _, word := range args {
			words = row.word(words, word)
		}
	}
	if row.elsewhere.found(c.Args) {
		words = append(words, Word{})
	}
	return words, true
}

// network finds the row of a program that connects, and where its arguments begin.
func (c *Command) network() (row *network, from int) {
	if !c.Program.Known {
		return nil, 0
	}
	name := programName(c.Program.Text)
	if row = networks[name]; row == nil {
		i, sub := subcommand(name, c.Args)
		row, from = networks[name+" "+sub], i+1
	}
	if row == nil || row.only.name != "" && !row.only.found(c.Args[from:]) {
		return nil, 0
	}
	return row, from
}

// deviceHost is the host in a redirection that opens a connection.
func deviceHost(target Word) (Word, bool) {
	rest, ok := strings.CutPrefix(target.Text, "/dev/tcp/")
	if !ok {
		rest, ok = strings.CutPrefix(target.Text, "/dev/udp/")
	}
	if !ok {
		return Word{}, false
	}
	host, _, whole := strings.Cut(rest, "/")
	return Word{Text: host, Known: target.Known || whole}, true
}

// word adds the hosts that one argument may name.
func (n *network) word(words []Word, word Word) []Word {
	text := word.Text
	switch {
	case !word.Known:
		return append(words, word)
	case strings.HasPrefix(text, "--"):
		if _, value, ok := strings.Cut(text, "="); ok {
			return n.word(words, Word{Text: value, Known: true})
		}
	case len(text) > 1 && text[0] == '-':
		if i := strings.IndexAny(text, n.glued); i > 0 && i+1 < len(text) {
			return append(words, Word{Text: text[i+1:], Known: true})
		}
		return appendURLs(words, word)
	case text != "" && text != "-" && !localPath(word):
		return append(words, word)
	}
	return words
}

// told adds the hosts of a program whose options are told apart. From one on that
// is not in the table, any word may be a host.
func (n *network) told(words, args []Word) []Word {
	for len(args) > 0 {
		word := args[0]
		used := 1
		if word.Known && len(word.Text) > 1 && word.Text[0] == '-' && word.Text != "--" {
			var opts []option
			if opts, used = n.syntax.option(nil, args); used == 0 {
				break
			}
			if last := opts[len(opts)-1]; last.has && last.matches(n.hosts) || used == 2 && !last.value.Known && !last.value.single {
				words = append(words, last.value)
			}
		} else {
			words = n.word(words, word)
			if !word.Known && word.mayBeOption() {
				args = args[1:]
				break
			}
		}
		args = args[used:]
	}
	for _, word := range args {
		words = n.word(words, word)
	}
	return words
}

// localPath reports a word that is obviously no host.
func localPath(word Word) bool {
	text := word.Text
	return word.Symbolic != "" || text == "." || text == ".." || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") ||
		strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//")
}

// appendURLs adds the URLs in a known word: the word itself, or each place in it that
// looks like the start of one, up to white space or a quote.
func appendURLs(words []Word, word Word) []Word {
	if !word.Known {
		return words
	}
	if isURL(word.Text) && word.Text[0] != '-' {
		return append(words, word)
	}
	text := word.Text
	for n := 0; ; n++ {
		i := strings.Index(text, "://")
		switch {
		case i < 0:
			return words
		case n == maxParts:
			return append(words, Word{})
		}
		start := i
		for start > 0 && (nameByte(text[start-1]) && text[start-1] != '_' || strings.IndexByte("+.-", text[start-1]) >= 0) {
			start--
		}
		url := strings.TrimLeft(text[start:], "+.-0123456789")
		if end := strings.IndexAny(url, " \t\n\"'`"); end >= 0 {
			url = url[:end]
		}
		words = append(words, Word{Text: url, Known: true})
		text = text[i+3:]
	}
}
