package command

import (
	"path"
	"strings"
)

// place is a working directory: a path as in [Command.Dir], or unknown.
type place struct {
	path    string
	unknown bool
}

var nowhere = place{unknown: true}

// to is the place after a successful cd to dir.
func (p place) to(dir string) place {
	switch {
	case strings.HasPrefix(dir, "/"):
		return place{path: path.Clean(dir)}
	case p.unknown:
		return nowhere
	}
	// Dropping "x/.." is what the shell's own cd does, also when x is a link.
	joined := path.Join(p.path, dir)
	if strings.HasPrefix(joined, "~") && !strings.HasPrefix(p.path, "~") {
		joined = "./" + joined // a directory that is called "~"
	}
	return place{path: joined}
}

// join is the place where one of two histories ended.
func (p place) join(q place) place {
	if p == q {
		return p
	}
	return nowhere
}

// ends are the places after a statement that succeeded and one that failed.
type ends struct{ ok, fail place }

func (e ends) either() place { return e.ok.join(e.fail) }

func same(p place) ends { return ends{p, p} }

// move is the effect of a command on the working directory.
func (w *walker) move(c *Command) ends {
	here := w.dir
	for c.Outer != nil && c.Outer != w.outer {
		c = c.Outer
	}
	if !c.Program.Known {
		return same(nowhere)
	}
	name, args := c.Program.Text, c.Args
	for (name == "command" || name == "builtin") && len(args) > 0 && args[0].Known {
		name, args = args[0].Text, args[1:]
	}
	switch name {
	case "cd":
		if w.ownCd || strings.Contains(w.source, "CDPATH") {
			return same(nowhere) // which may lead anywhere, or stay
		}
		return ends{ok: here.cd(args), fail: here}
	case "pushd", "popd", "eval", "source", ".":
		return same(nowhere)
	}
	return same(here)
}

// cd is the place after cd with these arguments. Options and anything that CDPATH could
// change are left unknown.
func (p place) cd(args []Word) place {
	if len(args) > 0 && args[0].Known && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return place{path: "~"}
	}
	dir := args[0]
	if len(args) > 1 || strings.HasPrefix(dir.Text, "-") || !dir.Known && dir.Symbolic == "" {
		return nowhere
	}
	if strings.HasPrefix(dir.Symbolic, "$PWD") {
		return p.to("./" + strings.TrimPrefix(dir.Symbolic, "$PWD"))
	}
	if dir.Symbolic != "" {
		return place{path: dir.Symbolic}
	}
	if strings.HasPrefix(dir.Text, "~") {
		return p.to("./" + dir.Text)
	}
	return p.to(dir.Text)
}
