package command

import "strings"

// listOptions take the names of files from another file or from the input.
const listOptions = "--files-from --files0-from --stdin-paths --batch --batch-check --batch-command --pathspec-from-file --stdin -@ --from-file0"

// NamesElsewhere reports whether the program may work on files whose names are
// not among its words (spec CMD-27).
func (c *Command) NamesElsewhere() bool {
	name := programName(c.Program.Text)
	for _, a := range c.Args {
		if optionSet(listOptions).has(firstPart(a.Text)) || name == "tar" && bundled(a.Text, "T") {
			return true
		}
	}
	switch name {
	case "cpio", "pax", "patch", "unzip":
		return true
	case "tar":
		return len(c.Args) > 0 && (bundled(c.Args[0].Text, "x") || !strings.HasPrefix(c.Args[0].Text, "-") && strings.Contains(c.Args[0].Text, "x"))
	case "git":
		_, sub := subcommand(name, c.Args)
		return sub == "apply" || sub == "am"
	}
	return false
}

// directoryOptions go to another directory first.
const directoryOptions = "-C --directory --prefix --cwd --dir --wd --chdir --project --work-tree"

// MovesTo returns the directories that options of the program may make it go to
// before it reads its operands (spec CMD-27). An empty unknown word is one that is
// not known.
func (c *Command) MovesTo() (dirs []Word) {
	for i, a := range c.Args {
		name, value, attached := strings.Cut(a.Text, "=")
		switch {
		case !optionSet(directoryOptions).has(name):
			if rest, ok := strings.CutPrefix(a.Text, "-C"); ok && rest != "" && a.Known {
				dirs = append(dirs, Word{Text: rest, Known: true})
			}
		case attached && a.Known:
			dirs = append(dirs, Word{Text: value, Known: true})
		case !attached && i+1 < len(c.Args):
			dirs = append(dirs, c.Args[i+1])
		default:
			dirs = append(dirs, Word{})
		}
	}
	return dirs
}
