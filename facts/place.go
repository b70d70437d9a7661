package facts

import (
	"path"
	"slices"
	"strings"

	"github.com/plangate/plangate/command"
	"github.com/plangate/plangate/eval"
)

// Place is a path that an item names, or may name.
type Place struct {
	Tree    bool // everything below it is reached too
	Sure    bool // it is a path if the program opens any file; otherwise it may be
	Written bool // what is there may be changed or removed
	// Inner is set for the command itself and not for a wrapper around it.
	Inner bool
	// standIn is set for what only permissive rules look at: the working directory
	// of a command that names nothing, and URLs that name no file.
	standIn bool
	reader  *Reader
	text    string // as [Reader.Path] reads it
	doubt   Reason // why the text is not all there is to know
	lost    bool   // nothing is known of the text
	glob    string // the word, if it is a pattern that the shell expands
	made    bool   // the glob is of names from another directory
	path    *Path  // read when a condition asks: most never do
}

// Path returns the readings of the place.
func (p *Place) Path() Path {
	if p.path == nil {
		read := UnknownPath(p.text)
		if !p.lost {
			read = p.reader.Path(p.text)
			read.Unknown = first(read.Unknown, p.doubt)
		} else if p.doubt != "" {
			read.Unknown = p.doubt
		}
		p.path = &read
	}
	return *p.path
}

// Places returns the paths of the call's arguments, the same for every item.
func (c *Call) Places() []Place {
	if c.placed {
		return c.paths
	}
	c.placed = true
	argument := c.pathArgument()
	for _, text := range argument.Texts {
		c.paths = append(c.paths, Place{text: text, Sure: true, Written: true, Inner: true, reader: c.here})
	}
	if argument.Unknown != "" {
		c.paths = append(c.paths, Place{lost: true, doubt: argument.Unknown, Sure: true, Written: true, Inner: true, reader: c.here})
	}
	for _, text := range c.LooseTexts() {
		c.paths = append(c.paths, Place{text: text, Written: true, reader: c.here})
	}
	return c.paths
}

// pathArgument is the role path. An optional path that is left out is the
// directory the call runs in.
func (c *Call) pathArgument() Argument {
	argument := c.argument(c.Roles.Path)
	if argument.State == NoneSuch && len(c.Roles.Path) > 0 {
		return Argument{Texts: []string{"."}}
	}
	return argument
}

// PathState says whether the call has arguments that are paths.
func (c *Call) PathState() State { return c.argument(c.Roles.Path).State }

// Places returns the paths that a command names: its words, those of the
// wrappers around it, and redirections.
func (u *Unit) Places() []Place {
	if !u.placed && u.Unknown == "" {
		u.placed = true
		for _, f := range u.forms() {
			u.placeForm(f)
		}
	}
	return u.places
}

func (u *Unit) placeForm(f *command.Command) {
	reader := u.readerAt(f)
	tree, written := f.Recursive(), !f.OnlyReads()
	operands := f.Operands()
	if f.IgnoresFiles() {
		operands = nil
	}
	for _, at := range readersOf(reader, f) {
		for _, operand := range operands {
			place := placeOf(at, operand.Word)
			place.Tree, place.Sure, place.Written, place.Inner = tree, operand.Sure, written, f == u.Command
			place.standIn = operand.Word.Known && remote(operand.Word.Text)
			u.places = append(u.places, place)
		}
	}
	if f.NamesElsewhere() {
		u.places = append(u.places, Place{lost: true, Sure: true, Written: written, Inner: f == u.Command, reader: reader})
	}
	if f.WorksInDir() {
		u.places = append(u.places, Place{text: ".", Tree: true, Sure: true, Written: written, Inner: f == u.Command, reader: reader})
	}
	for _, made := range madeIn(f, operands) {
		made.Written, made.reader = true, reader
		u.places = append(u.places, made)
	}
	for _, file := range f.Implied() {
		u.places = append(u.places, Place{text: file, Written: true, reader: reader})
	}
	for _, redirect := range f.Redirects {
		if !namesFile(redirect) {
			continue
		}
		place := placeOf(reader, redirect.Target)
		place.Sure, place.Written, place.Inner = true, redirect.Write, f == u.Command
		u.places = append(u.places, place)
	}
	if f == u.Command && len(u.places) == 0 {
		u.places = append(u.places, Place{text: ".", Inner: true, standIn: true, reader: reader})
	}
}

// readersOf returns readers at the directories from which a command may read its
// operands: where it runs, and where its options say.
func readersOf(reader *Reader, f *command.Command) []*Reader {
	all := []*Reader{reader}
	for _, dir := range f.MovesTo() {
		place := placeOf(reader, dir)
		if !dir.Known && dir.Symbolic == "" {
			return append(all, reader.In(""))
		}
		all = append(all, reader.Enter(place.Path()))
	}
	return all
}

// maxMade bounds the operands that are put together by madeIn.
const maxMade = 8

// madeIn returns the files that a program may make in a directory under the
// names of its other operands: cp x/agent.hcl . writes agent.hcl.
func madeIn(f *command.Command, operands []command.Operand) (made []Place) {
	dirs := operands
	switch f.Copies() {
	case command.CopiesIntoOperand:
		if len(operands) < 2 {
			return nil
		}
		if len(operands) > maxMade {
			dirs = operands[len(operands)-1:]
		}
	case command.CopiesHere:
		dirs = append([]command.Operand{{Word: command.Word{Text: ".", Known: true}}}, operands[:min(len(operands), maxMade)]...)
	default:
		return nil
	}
	for i, dir := range dirs {
		for k, source := range operands {
			if dir.Word.Known && !remote(dir.Word.Text) && (i != k || len(dirs) != len(operands)) {
				made = append(made, copied(dir.Word.Text, source.Word)...)
			}
		}
	}
	return made
}

// copied is the place of a file under its own name in another directory.
func copied(dir string, source command.Word) []Place {
	name := path.Base(source.Text)
	switch {
	case source.Pattern != "":
		_, last := cutLast(source.Pattern)
		return []Place{{text: dir, lost: true, glob: path.Join(dir, last), made: true, Sure: true}}
	case !source.Known || name == "." || name == "..":
		return nil
	}
	return []Place{{text: path.Join(dir, name)}}
}

// remote reports a URL that certainly names no file here.
func remote(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	return ok && slices.Contains([]string{"http", "https", "ssh", "git", "wss", "ws"}, scheme)
}

// namesFile leaves out here-documents and duplicated descriptors.
func namesFile(r command.Redirect) bool {
	switch {
	case strings.HasPrefix(r.Op, "<<"):
		return false
	case r.Op == ">&" || r.Op == "<&":
		return r.Write || !r.Target.Known
	default:
		return !r.Target.Known || r.Target.Text != "/dev/null"
	}
}

// readerAt returns a reader at the directory in which a form runs.
func (u *Unit) readerAt(f *command.Command) *Reader {
	switch here := u.call.here; {
	case f.DirUnknown:
		return here.In("")
	case f.Dir == "":
		return here
	default:
		return here.Enter(here.Path(f.Dir))
	}
}

// placeOf reads a word as the path that the program gets.
func placeOf(reader *Reader, word command.Word) Place {
	place := Place{reader: reader}
	text, symbolic := word.Text, word.Symbolic != ""
	if symbolic {
		text = word.Symbolic
		if rest, ok := strings.CutPrefix(text, "$PWD"); ok {
			text = "." + rest
		}
	}
	switch {
	case !word.Known && !symbolic:
		place.lost, place.glob = true, word.Pattern
	case !symbolic && strings.HasPrefix(text, "~"):
		text = "./" + text // quoted, so the shell leaves it alone
	case !word.Known:
		place.doubt = Dynamic
	}
	place.text = text
	return place
}

// Rooted returns the place as it is if the call was made in the root of the file
// system, provided that the call does not say where it is made: a guard that is
// always there must not ask about every relative path of such a call.
func (p Place) Rooted(c *Call) Place {
	if c.Call.Cwd == "" && c.Call.Workspace == "" && p.reader == c.here && p.Path().Unknown == NoCwd {
		p.reader, p.path = c.here.In("/"), nil
	}
	return p
}

// MatchPlace judges a place by the patterns of a condition. What only may be a path
// is at most unknown.
func (ps PathPatterns) MatchPlace(place *Place, mode Mode) eval.Truth {
	if place.standIn && mode == Restrictive {
		return eval.No
	}
	truth := ps.matchPlace(place, mode)
	switch {
	case place.Sure:
		return truth
	case truth == eval.Yes && mode == Restrictive:
		return eval.Unknown
	case truth == eval.Unknown && mode == Restrictive && !place.Inner:
		return eval.No
	default:
		return truth
	}
}

func (ps PathPatterns) matchPlace(place *Place, mode Mode) eval.Truth {
	switch {
	case place.glob != "" && mode == Restrictive && !ps.mayExpand(place):
		return eval.No
	case place.Tree:
		answer := ps.MatchTree(place.Path(), place.reader, mode)
		if mode == Restrictive && answer == eval.Unknown {
			return ps.matchListed(place)
		}
		return answer
	default:
		return ps.Match(place.Path(), place.reader, mode)
	}
}

// mayExpand reports whether the shell's expansion of a pattern may contain a
// path that one of ours matches, or that lies below one. It looks at what is
// there; in a directory that is too big for that, names alone must tell, and
// links among them are not seen.
func (ps PathPatterns) mayExpand(place *Place) bool {
	dir, name := cutLast(place.glob)
	if strings.ContainsAny(dir, `*?[\`) {
		return true
	}
	if dir == "" {
		dir = "."
	}
	expanded, err := parseSegment(name)
	at := place.reader.Path(dir)
	if err != nil || !at.Known() {
		return true
	}
	below := place.reader.disk.list(at.Resolved, 1)
	if place.made || !below.whole && (place.reader.disk.exists(at.Resolved) || !place.reader.isHere()) {
		return ps.Match(at, place.reader, Restrictive) != eval.No || ps.mayName(expanded, name, place)
	}
	return slices.ContainsFunc(below.names, func(found string) bool {
		if !expands(expanded, name, found) {
			return false
		}
		target := Place{text: path.Join(at.Resolved, found), Sure: true, Tree: place.Tree, reader: place.reader}
		return ps.matchPlace(&target, Restrictive) != eval.No
	})
}

// mayName reports whether one of the patterns may name what a pattern of the
// shell expands to, or something below it.
func (ps PathPatterns) mayName(expanded segment, name string, place *Place) bool {
	for _, p := range ps {
		for _, f := range p.forms {
			if place.Tree && f.mayLieBelow(expanded, name) || f.mayName(expanded, name) {
				return true
			}
		}
	}
	return false
}

// mayLieBelow reports whether a form may name something in a directory that a
// pattern of the shell expands to: any of its names may be that directory.
func (f form) mayLieBelow(expanded segment, pattern string) bool {
	tail := f.tail
	for len(tail) > 0 && tail[len(tail)-1].cross {
		tail = tail[:len(tail)-1]
	}
	for _, s := range tail {
		if s.cross || !s.isLiteral() || expands(expanded, pattern, s.literal) {
			return true
		}
	}
	for name := range strings.SplitSeq(f.prefix, "/") {
		if name != "" && expands(expanded, pattern, name) {
			return true
		}
	}
	return false
}

// expands reports whether the shell expands a pattern to a name. It leaves out
// names with a dot in front, unless the pattern has it.
func expands(expanded segment, pattern, name string) bool {
	hidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(pattern, ".")
	return !hidden && expanded.match(name)
}

// mayName reports whether the last name of a form may be one that a pattern of
// the shell expands to.
func (f form) mayName(expanded segment, pattern string) bool {
	last := segment{literal: path.Base(f.prefix)}
	for i := len(f.tail) - 1; i >= 0; i-- {
		if !f.tail[i].cross {
			last = f.tail[i]
			break
		}
	}
	if last.isLiteral() {
		return last.literal == "." || last.literal == "/" || expands(expanded, pattern, last.literal)
	}
	if strings.HasPrefix(last.beginning(), ".") && !strings.HasPrefix(pattern, ".") {
		return false
	}
	one, other := last.ending(), expanded.ending()
	first, second := last.beginning(), expanded.beginning()
	return (strings.HasSuffix(one, other) || strings.HasSuffix(other, one)) &&
		(strings.HasPrefix(first, second) || strings.HasPrefix(second, first))
}
