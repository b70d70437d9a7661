package command

import "strings"

// option is one option as written, with its value if it has one.
type option struct {
	name  string
	value Word
	has   bool
}

// optionSet answers for a list of names separated by spaces.
type optionSet string

func (s optionSet) has(name string) bool {
	if name == "" {
		return false
	}
	for rest := string(s); rest != ""; {
		var item string
		item, rest, _ = strings.Cut(rest, " ")
		if item == name {
			return true
		}
	}
	return false
}

// abbreviated counts the long names that begin with prefix.
func (s optionSet) abbreviated(prefix string) int {
	n := 0
	for item := range strings.FieldsSeq(string(s)) {
		if len(item) > 1 && strings.HasPrefix(item, prefix) {
			n++
		}
	}
	return n
}

// scan reads the options at the start of args. It returns what follows, and no
// if an option or its value cannot be told.
func (r *wrapper) scan(args []Word) (opts []option, rest []Word, ok bool) {
	for len(args) > 0 {
		word := args[0]
		if !word.Known {
			return opts, args, word.Text != "" && word.Text[0] != '-' && word.single
		}
		if word.Text == "--" {
			return opts, args[1:], true
		}
		if len(word.Text) < 2 || word.Text[0] != '-' {
			if word.Text != "-" || !optionSet(r.flags).has("-") {
				return opts, args, true
			}
		}
		var used int
		if opts, used = r.option(opts, args); used == 0 {
			return opts, args, false
		}
		args = args[used:]
	}
	return opts, nil, true
}

// option reads one word of options and returns how many words it took, 0 if
// there is one that the table does not know.
func (r *wrapper) option(opts []option, args []Word) ([]option, int) {
	text := args[0].Text
	if text == "-" {
		return append(opts, option{name: "-"}), 1
	}
	if strings.HasPrefix(text, "--") {
		return r.long(opts, args)
	}
	if name := text[1:]; len(name) > 1 && optionSet(r.flags).has(name) {
		return append(opts, option{name: name}), 1
	}
	return r.short(opts, args)
}

func (r *wrapper) long(opts []option, args []Word) ([]option, int) {
	name, value, attached := strings.Cut(args[0].Text[2:], "=")
	takes, ok := r.takesValue(name)
	switch {
	case !ok:
		return opts, 0
	case attached:
		return append(opts, option{name, Word{Text: value, Known: true}, true}), 1
	case !takes:
		return append(opts, option{name: name}), 1
	case len(args) < 2:
		return opts, 0
	}
	return append(opts, option{name, args[1], true}), 2
}

// takesValue looks a long option up, also abbreviated.
func (r *wrapper) takesValue(name string) (takes, ok bool) {
	switch {
	case len(name) < 2:
		return false, false
	case optionSet(r.values).has(name):
		return true, true
	case optionSet(r.flags).has(name) || optionSet(r.stop).has(name):
		return false, true
	}
	values := optionSet(r.values).abbreviated(name)
	flags := optionSet(r.flags).abbreviated(name) + optionSet(r.stop).abbreviated(name)
	return values > 0, (values > 0) != (flags > 0)
}

func (r *wrapper) short(opts []option, args []Word) ([]option, int) {
	text := args[0].Text
	for i := 1; i < len(text); i++ {
		name := text[i : i+1]
		switch {
		case optionSet(r.glued).has(name):
			return append(opts, option{name, Word{Text: text[i+1:], Known: true}, true}), 1
		case optionSet(r.values).has(name):
			if i+1 < len(text) {
				return append(opts, option{name, Word{Text: text[i+1:], Known: true}, true}), 1
			}
			if len(args) < 2 {
				return opts, 0
			}
			return append(opts, option{name, args[1], true}), 2
		case optionSet(r.flags).has(name) || optionSet(r.stop).has(name):
			opts = append(opts, option{name: name})
		default:
			return opts, 0
		}
	}
	return opts, 1
}

// matches reports whether an option, perhaps abbreviated, is one of a list.
func (o option) matches(list string) bool {
	if optionSet(list).has(o.name) {
		return true
	}
	return len(o.name) > 1 && optionSet(list).abbreviated(o.name) > 0
}
