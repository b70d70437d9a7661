package command

// role is what an argument is.
type role uint8

const (
	mayName role = iota // may name a file
	isText              // certainly names none
	hides               // is text that may name files inside
)

// roles finds the arguments that are certainly no names of files: the words of
// the subcommand, and text by the table textRows.
func (c *Command) roles() []role {
	roles := make([]role, len(c.Args))
	name := systemProgram(c.Program.Text)
	if !c.Program.Known || name == "" {
		return roles // a file elsewhere may be any program
	}
	from := 0
	if globalOptions[name] != nil {
		from = c.subcommandRoles(name, roles)
	}
	row := textRows[name]
	if row == nil && from > 0 {
		row = textRows[name+" "+c.Args[from-1].Text]
	}
	if row != nil {
		row.mark(c.Args[from:], roles[from:])
	}
	return roles
}

// subcommandRoles marks the words of a subcommand and returns the index after
// them, 0 if it is not certain which they are.
func (c *Command) subcommandRoles(name string, roles []role) int {
	i, sub := subcommand(name, c.Args)
	if !commandWord(sub) || !globalOptions[name].knows(c.Args[:i]) {
		return 0
	}
	roles[i] = isText
	groups, ok := commandGroups[name]
	if next := i + 1; ok && next < len(c.Args) && c.Args[next].Known && commandWord(c.Args[next].Text) &&
		(groups == "" || optionSet(groups).has(sub)) {
		roles[next] = isText
	}
	return i + 1
}

// knows reports whether all global options are in the table, so that the word
// after them is the subcommand.
func (r *wrapper) knows(args []Word) bool {
	for len(args) > 0 {
		_, used := r.option(nil, args)
		if used == 0 || used > len(args) {
			return false
		}
		args = args[used:]
	}
	return true
}

// commandWord reports a text that looks like a subcommand and not like a path.
func commandWord(text string) bool {
	for i := range len(text) {
		if !nameByte(text[i]) && (text[i] != '-' || i == 0) {
			return false
		}
	}
	return text != ""
}

// mark goes through the arguments as long as it is certain what they are.
func (t *textRow) mark(args []Word, roles []role) {
	first := t.first && !t.replaced(args)
	for i := 0; i < len(args); {
		word := args[i]
		switch {
		case t.opens == nil && word.longOption():
			if _, used := t.syntax.option(nil, []Word{{Text: word.Text, Known: true}}); used == 0 {
				return
			}
			i++
		case word.mayBeOption() || !word.Known && !word.single:
			return
		case word.Known && word.Text == "--" && !t.words:
			if first && i+1 < len(args) {
				t.markText(args[i+1], &roles[i+1])
			}
			return
		case word.Known && len(word.Text) > 1 && word.Text[0] == '-':
			used := t.option(args[i:], roles[i:])
			if used == 0 {
				return
			}
			i += used
		default:
			if first {
				t.markText(word, &roles[i])
			}
			first = false
			i++
		}
	}
}

// option marks the value of an option and returns how many words it takes, 0 if
// that is not certain.
func (t *textRow) option(args []Word, roles []role) int {
	name, used := args[0].Text[1:], 1
	if t.words {
		switch {
		case optionSet(t.syntax.values).has(name):
			used = 2
		case !optionSet(t.syntax.flags).has(name):
			return 0
		}
		if used == 2 && len(args) > 1 && optionSet(t.text).has(name) {
			t.markText(args[1], &roles[1])
		}
		return min(used, len(args))
	}
	opts, used := t.syntax.option(nil, args)
	if used == 0 || used == 2 && !args[1].Known && !args[1].single {
		return 0
	}
	if last := opts[len(opts)-1]; last.has && last.matches(t.text) {
		t.markText(last.value, &roles[used-1])
	}
	return used
}

func (t *textRow) markText(word Word, r *role) {
	switch {
	case !word.Known && !word.single:
	case t.opens != nil && (!word.Known || t.opens(word.Text)):
		*r = hides
	default:
		*r = isText
	}
}

// replaced reports whether an option may take the place of the first operand,
// wherever it stands.
func (t *textRow) replaced(args []Word) bool {
	for _, word := range args {
		if word.mayBeOption() && !word.longOption() {
			return true
		}
	}
	return t.instead.found(args)
}

// hasOperand reports whether it is certain that an operand that names a file is
// there.
func (c *Command) hasOperand() bool {
	name := programName(c.Program.Text)
	_, sub := subcommand(name, c.Args)
	if name == "git" && sub == "clean" {
		return c.cleans()
	}
	row := textRows[name]
	if row == nil {
		return false
	}
	operands := 0
	for i := 0; i < len(c.Args); {
		word := c.Args[i]
		switch {
		case word.mayBeOption() || !word.Known && !word.single && word.Pattern == "":
			return false
		case word.Known && len(word.Text) > 1 && word.Text[0] == '-' && word.Text != "--":
			if row.words {
				return operands > 0 // the expression of find
			}
			_, used := row.syntax.option(nil, c.Args[i:])
			if used == 0 {
				return false
			}
			i += used
			continue
		case word.Text != "--":
			operands++
		}
		i++
	}
	if row.first && !row.replaced(c.Args) {
		operands--
	}
	return operands > 0
}

// cleanSyntax are the options of git clean.
var cleanSyntax = &wrapper{flags: "d f x X n q i force dry-run quiet interactive", values: "e exclude"}

// cleans reports whether git clean certainly has an operand.
func (c *Command) cleans() bool {
	i, _ := subcommand("git", c.Args)
	_, rest, ok := cleanSyntax.scan(c.Args[i+1:])
	return len(rest) > 0 && !rest[0].mayBeOption() && (ok || rest[0].Pattern != "")
}
