package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// escalates looks at the arguments from index from on; a pattern wrote those
// before it out.
func escalates(c *Command, from int) (string, bool) {
	name := versionless(programName(c.Program.Text))
	if isAwk(name) {
		name = "awk"
	}
	i, sub := subcommand(name, c.Args)
	if row := globalOptions[name]; row != nil && from < i && row.movesTarget(c.Args[from:i]) {
		return "options before the subcommand move where it acts", true
	}
	if name == "git" && slices.ContainsFunc(c.Args, func(a Word) bool { return strings.Contains(a.Text, "ext::") }) {
		return "runs the command of an ext:: address", true
	}
	keys := []string{name, name + " " + sub}
	if len(c.Args) > 1 && c.Args[0].Text == "-m" && from > 1 {
		keys = append(keys, c.Args[1].Text) // python -m pytest is pytest
	}
	for _, key := range keys {
		if row := dangers[key]; row != nil && (row.always && from < strings.Count(row.name, " ") || row.found(c.Args[from:]) || row.operands(c.Args, from)) {
			return row.why, true
		}
	}
	return "", false
}

// movesTarget reports whether global options take a value or are not known.
func (r *wrapper) movesTarget(args []Word) bool {
	for _, a := range args {
		if !optionSet(r.flags).has(strings.TrimLeft(a.Text, "-")) {
			return true
		}
	}
	return false
}

// found reports whether one of the row's options is among the arguments.
func (d *danger) found(args []Word) bool {
	for _, a := range args {
		name := firstPart(a.Text)
		long, isLong := strings.CutPrefix(name, "--")
		switch {
		case d.name == "tsc" && name != "" && name[0] == '-' && optionSet(d.long).has(strings.ToLower(strings.TrimLeft(name, "-"))):
			return true // tsc takes any case, and one dash for two
		case d.name == "npm" && name != "" && name[0] == '-' && optionSet(d.long).has(strings.TrimLeft(name, "-")):
			return true // npm takes any number of dashes
		case optionSet(d.words).has(name) || optionSet(d.words).has(a.Text):
			return true
		case isLong && d.words != "" && optionSet(d.words).has("-"+long): // for Go a second dash is the same
			return true
		case isLong:
			group, _, _ := strings.Cut(long, ".") // --config.key=value
			if len(group) > 0 && optionSet(d.long).abbreviated(group) > 0 {
				return true
			}
		case d.letters != "" && bundled(a.Text, d.letters):
			return true
		}
	}
	return false
}

// operands looks at programs whose operands are code or files that are written.
func (d *danger) operands(args []Word, from int) bool {
	switch d.name {
	case "sed":
		return sedRuns(args, from)
	case "awk":
		return from == 0 && awkHas(args, "|@>") || from > 0 && from < len(args) && awkHas(args[from:], "|@>")
	case "tee":
		return from < len(args)
	case "git fetch", "git push":
		return slices.ContainsFunc(args[min(from, len(args)):], func(a Word) bool { return strings.HasPrefix(a.Text, "+") })
	case "mvn":
		return countOperands(args) > max(from, 1) // a goal more
	case "date":
		return slices.ContainsFunc(args[min(from, len(args)):], func(a Word) bool { return a.Text != "" && strings.Trim(a.Text, "0123456789.") == "" })
	case "less", "more":
		return slices.ContainsFunc(args[min(from, len(args)):], func(a Word) bool { return strings.HasPrefix(a.Text, "+") })
	case "xxd", "hostname":
		first := map[string]int{"xxd": 1, "hostname": 0}[d.name]
		return countOperands(args) > max(first, from)
	case "uniq":
		return len(args) > max(from, 1)
	case "tar":
		return from == 0 && len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") && strings.ContainsAny(args[0].Text, d.letters)
	case "dd":
		for _, a := range args[from:] {
			if strings.HasPrefix(a.Text, "of=") {
				return true
			}
		}
	case "make":
		for _, a := range args[from:] {
			if strings.Contains(a.Text, "=") {
				return true
			}
		}
	}
	return setsShell(d.name) && len(args) > from
}

// countOperands counts the words that are no options.
func countOperands(args []Word) (n int) {
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") {
			n++
		}
	}
	return n
}

// readsOperands reports whether a program takes operands for code or for files
// to write; see [danger.operands].
func readsOperands(name string) bool {
	switch name {
	case "sed", "awk", "tee", "uniq", "tar", "dd", "make", "date", "less", "more", "xxd", "hostname":
		return true
	}
	return false
}

func setsShell(name string) bool {
	switch name {
	case "export", "declare", "typeset", "readonly", "local", "set", "shopt", "unset":
		return true
	}
	return false
}

// sedRuns reports whether a script may execute or write. The script is the
// first operand, or what follows -e.
func sedRuns(args []Word, from int) bool {
	script := -1
	for i, a := range args {
		switch {
		case a.Text == "-e" || a.Text == "--expression":
			if i+1 < len(args) && i+1 >= from && !safeSed().MatchString(args[i+1].Text) {
				return true
			}
			script = -2
		case strings.HasPrefix(a.Text, "--e") || strings.HasPrefix(a.Text, "-") && strings.Contains(a.Text, "e"):
			return i >= from
		case strings.HasPrefix(a.Text, "-") && len(a.Text) > 1 && !sedFlag().MatchString(a.Text):
			return true // it may take the next word, and the script is another one
		case script == -1 && !strings.HasPrefix(a.Text, "-"):
			script = i
		}
	}
	return script >= from && !safeSed().MatchString(args[script].Text)
}

// sedFlag are the options of sed that take no value from the next word.
var sedFlag = lazily(`^(?:-[nErsuz]+|-[nErsuz]*i.*|--in-place.*|--(?:quiet|silent|regexp-extended|posix|debug|null-data|separate|unbuffered|sandbox|help|version)?)$`)

// safeSed are the scripts that only print: line numbers, patterns, p d q =, and
// substitutions without the flags e and w.
var safeSed = lazily(`^(?:` + sedCommand + `)(?:[; ]+(?:` + sedCommand + `))*;?$`)

// lazily compiles a pattern when it is needed: few programs that decide a call see sed.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

const sedCommand = `(?:` + sedAddress + `(?:,` + sedAddress + `)?)?!?(?:[pdqDPnNgGhHx=]|` +
	`s/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/[gpiI0-9]*|` +
	`s\|(?:[^|\\\n]|\\.)*\|(?:[^|\\\n]|\\.)*\|[gpiI0-9]*|` +
	`s#(?:[^#\\\n]|\\.)*#(?:[^#\\\n]|\\.)*#[gpiI0-9]*)`

const sedAddress = `(?:[0-9]+|\$|/(?:[^/\\\n]|\\.)*/I?)`
