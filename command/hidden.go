package command

import "strings"

// maxHidden bounds the text of an argument that is read as a command.
const maxHidden = 4096

// hidden reports whether the arguments of a program hold a command that the
// pattern matches: words that a wrapper nobody knows would run, or a text that an
// option hands to a shell. That is possible and no more, so the answer is
// unknown or no (spec CMD-26).
func (p *Pattern) hidden(c *Command) Answer {
	if c.bare() || !p.mentioned(c.Args) || c.IgnoresFiles() || c.OnlyReads() {
		return No
	}
	first := 0
	if name := programName(c.Program.Text); globalOptions[name] != nil {
		i, _ := subcommand(name, c.Args)
		first = i + 1 // docker rm is no rm
	}
	var roles []role
	for i := first; i < len(c.Args); i++ {
		word := c.Args[i]
		if !word.Known || len(word.Text) > maxHidden {
			continue
		}
		if roles == nil {
			roles = c.roles()
		}
		if roles[i] != isText && (p.startsAt(c.Args[i:]) || p.inText(word.Text)) {
			return Unknown
		}
	}
	return No
}

// mentioned is a quick look for the program's name, or a wildcard in it.
func (p *Pattern) mentioned(args []Word) bool {
	piece := ""
	for _, x := range p.name.pieces {
		if len(x) > len(piece) {
			piece = x
		}
	}
	for _, a := range args {
		if len(a.Text) >= len(piece) && strings.Contains(strings.ToLower(a.Text), piece) {
			return true
		}
	}
	return false
}

// startsAt reports whether words, taken as a command, match.
func (p *Pattern) startsAt(words []Word) bool {
	if !p.name.matches(programName(words[0].Text)) {
		return false
	}
	return p.touches(&Command{Program: words[0], Args: words[1:]}) == Yes
}

// inText reports whether a text holds a command that matches, at its start or
// after a byte with which programs introduce one. Prose that mentions a command
// does not.
func (p *Pattern) inText(text string) bool {
	name := p.name.String()
	if !strings.ContainsAny(text, " \t\n,") || strings.Contains(name, "*") {
		return false
	}
	for from := 0; ; {
		i := strings.Index(strings.ToLower(text[from:]), name)
		if i < 0 {
			return false
		}
		before := strings.TrimRight(text[:from+i], " \t\n")
		if before == "" || strings.IndexByte("!|=;&(`", before[len(before)-1]) >= 0 {
			for _, c := range Parse(text[from+i:], Bash).Commands {
				if p.restrictiveForms(c) == Yes {
					return true
				}
			}
		}
		from += i + len(name)
	}
}
