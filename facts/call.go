package facts

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/command"
	"github.com/plangate/plangate/eval"
)

// Subject is what a call is read for: the call, and what is known of its
// arguments.
type Subject struct {
	Call  plangate.Call
	Roles eval.Roles
	// Declared is set if Roles come from a catalog. Otherwise they are names that
	// are usual, and any other argument may be a path, URL or command too.
	Declared bool
	Settings Settings
}

// Call is what one call would do, as far as its input tells. It implements
// [eval.Readings]. It belongs to one goroutine and to one decision.
type Call struct {
	Subject
	members map[string]json.RawMessage // of the input
	bad     Reason                     // why the input cannot be read
	here    *Reader                    // at the directory the call runs in
	units   []*Unit
	paths   []Place // of the call's path arguments; see Places
	placed  bool
}

// ConventionalRoles are the roles of an operation that no catalog knows: all
// usual names (spec CAT-5).
func ConventionalRoles() eval.Roles {
	return eval.Roles{
		Command: []string{"/cmd", "/command", "/script"},
		Path:    []string{"/file_path", "/notebook_path", "/path", "/paths/*"},
		URL:     []string{"/uri", "/url"},
		Cwd:     []string{"/cwd", "/workdir", "/working_directory"},
	}
}

// ReadCall reads a call (spec CND-2 to CND-4). Commands are parsed; paths are
// looked at when a condition asks for them.
func ReadCall(s Subject) *Call {
	c := &Call{Subject: s}
	roots := Roots{Workspace: s.Call.Workspace, Home: s.Call.Home, Cwd: s.Call.Cwd}
	c.here = NewReader(roots, s.Settings)
	if len(s.Call.Input) > 0 {
		if plangate.CheckJSON(s.Call.Input) != nil || json.Unmarshal(s.Call.Input, &c.members) != nil {
			c.bad = BadInput
		}
	}
	c.enter()
	c.readCommands()
	return c
}

// enter goes to the directory that the call names.
func (c *Call) enter() {
	switch dir := c.argument(c.Roles.Cwd); {
	case dir.State != Given || dir.Unknown == Absent:
	case dir.Unknown != "" || len(dir.Texts) != 1:
		c.here = c.here.In("")
	default:
		c.here = c.here.Enter(c.here.Path(dir.Texts[0]))
	}
}

// State says whether a call has an argument of a role.
type State uint8

// The states of a role's arguments.
const (
	Given    State = iota // there is one, or there should be one
	NoneSuch              // there is none, and the catalog says so
	Unstated              // there is none under a usual name, and no catalog to ask
)

// Argument is the arguments of one role.
type Argument struct {
	Texts   []string
	Unknown Reason // why there may be values that are not in Texts
	State   State
}

// URLs are the arguments with the role url.
func (c *Call) URLs() Argument { return c.argument(c.Roles.URL) }

func (c *Call) argument(pointers []string) Argument {
	switch {
	case len(pointers) == 0:
		return Argument{State: NoneSuch}
	case c.bad != "":
		return Argument{Unknown: c.bad}
	}
	values := c.collect(pointers)
	if len(values.Absent) < len(pointers) {
		return Argument{Texts: values.Texts, Unknown: values.Unknown}
	}
	switch {
	case !c.Declared:
		return Argument{State: Unstated}
	case c.optional(pointers):
		return Argument{State: NoneSuch}
	default:
		return Argument{Unknown: Absent}
	}
}

// optional reports whether a call may leave all these arguments out.
func (c *Call) optional(pointers []string) bool {
	return !slices.ContainsFunc(pointers, func(p string) bool { return !slices.Contains(c.Roles.Optional, p) })
}

// collect follows pointers from the members of the input, which are decoded
// once.
func (c *Call) collect(pointers []string) Values {
	var values Values
	for _, pointer := range pointers {
		key, rest, deeper := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
		member, there := c.members[unescapePointer(key)]
		var segments []string
		if deeper {
			segments = strings.Split(rest, "/")
		}
		if !there || !values.follow(member, segments) {
			values.Absent = append(values.Absent, pointer)
		}
	}
	return values
}

// readCommands makes the units of the call.
func (c *Call) readCommands() {
	shell := shells[c.Roles.Shell]
	if c.bad != "" && len(c.Roles.Command) > 0 {
		c.units = []*Unit{{call: c, Unknown: c.bad}}
		return
	}
	found := c.parseCommands(c.Roles.Command, shell)
	switch {
	case c.Declared:
	case found:
		c.parseSplit()
	default:
		c.parseLoose()
	}
	if len(c.units) == 0 {
		c.units = []*Unit{c.bare(found)}
	}
	c.bound()
}

// maxWords bounds the words of all commands of a call that are read as paths and
// hosts: those of a command around many others count for each of them.
const maxWords = 20_000

// bound makes the items past the bound unknown. It is done before anything is
// asked, so that no answer depends on what was asked before.
func (c *Call) bound() {
	left := maxWords
	for _, u := range c.units {
		for f := u.Command; f != nil && left >= 0; f = f.Outer {
			left -= len(f.Args) + len(f.Redirects)
		}
		if left < 0 {
			u.Unknown = first(u.Unknown, TooMany)
		}
	}
}

// bare is the only unit of a call without commands.
func (c *Call) bare(found bool) *Unit {
	u := &Unit{call: c}
	if found {
		u.blank = true
		return u
	}
	argument := c.argument(c.Roles.Command)
	u.State, u.Unknown = argument.State, argument.Unknown
	return u
}

// parseCommands reads each command argument, a text or a list of words, and
// reports whether there is any.
func (c *Call) parseCommands(pointers []string, shell command.Shell) bool {
	found := false
	for _, pointer := range pointers {
		values := c.collect([]string{pointer})
		if len(values.Absent) > 0 {
			continue
		}
		found = true
		if values.Unknown == WrongType {
			c.parseWords(pointer, shell)
			continue
		}
		for _, text := range values.Texts {
			c.add(text, command.Parse(text, shell))
		}
		if values.Unknown != "" {
			c.units = append(c.units, &Unit{call: c, Unknown: values.Unknown})
		}
	}
	return found
}

// parseWords reads an argument that is a list of words.
func (c *Call) parseWords(pointer string, shell command.Shell) {
	words := c.collect([]string{pointer + "/*"})
	if words.Unknown != "" || len(words.Texts) == 0 {
		c.units = append(c.units, &Unit{call: c, Unknown: WrongType})
		return
	}
	c.add(command.Quote(words.Texts), command.ParseArgs(words.Texts, shell))
}

func (c *Call) add(text string, script *command.Script) {
	for _, found := range script.Commands {
		c.units = append(c.units, &Unit{call: c, Command: found, Text: text})
	}
}

// shells are the words of a catalog.
var shells = map[string]command.Shell{
	"": command.Bash, "bash": command.Bash, "sh": command.Sh, "zsh": command.Zsh,
	"powershell": command.PowerShell, "cmd": command.Cmd,
}

// parseLoose reads arguments of an operation that no catalog knows, whose names
// sound like a command. They count for restrictive rules, and only where they
// match for certain (spec CND-4).
func (c *Call) parseLoose() {
	read := 0
	for _, name := range sortedKeys(c.members) {
		if !soundsLikeCommand(name) {
			continue
		}
		if read++; read > maxLoose {
			c.units = append(c.units, &Unit{call: c, Unknown: TooMany})
			return
		}
		var texts []string
		var text string
		if json.Unmarshal(c.members[name], &text) == nil {
			texts = []string{text}
		} else if json.Unmarshal(c.members[name], &texts) == nil && len(texts) > 0 && len(texts) <= MaxValues {
			texts = append(texts, command.Quote(texts))
		}
		for _, text := range texts {
			c.addLoose(text)
		}
	}
}

// maxLoose is how many arguments are read because of how their names sound.
const maxLoose = 32

func (c *Call) addLoose(text string) {
	for _, found := range command.Parse(text, command.Bash).Commands {
		c.units = append(c.units, &Unit{call: c, Command: found, Text: text, Loose: true, State: Unstated})
	}
}

// surroundings are names of arguments that change what a command is or does
// although nobody gave them a role.
var surroundings = []string{"env", "environment", "env_vars", "args", "arguments", "argv", "shell", "stdin", "sandbox"}

// Surrounded reports whether the call has an argument that may change what its
// command does. Nothing is permitted for its command then.
func (c *Call) Surrounded() bool {
	return slices.ContainsFunc(surroundings, func(name string) bool {
		value, there := c.members[name]
		return there && string(value) != "null" && !slices.Contains(c.Roles.Command, "/"+name)
	})
}

// Moved reports whether the call says where it runs, in an argument with that
// role or with a name that sounds so.
func (c *Call) Moved() bool {
	return len(c.collect(c.Roles.Cwd).Texts) > 0 || slices.ContainsFunc([]string{"cwd", "workdir", "working_directory", "dir", "directory"},
		func(name string) bool { return c.members[name] != nil })
}

// parseSplit reads a program and its arguments that are given apart.
func (c *Call) parseSplit() {
	for _, name := range []string{"args", "arguments", "argv"} {
		var args []string
		if json.Unmarshal(c.members[name], &args) != nil || len(args) == 0 || len(args) > MaxValues {
			continue
		}
		for _, text := range c.argument(c.Roles.Command).Texts {
			words := append([]string{text}, args...)
			c.add(command.Quote(words), command.ParseArgs(words, command.Bash))
		}
	}
}

func soundsLikeCommand(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"command", "cmd", "script", "shell", "stdin", "exec", "bash", "argv", "chars", "keys", "code", "run"}, func(word string) bool {
		return strings.Contains(name, word)
	})
}

func sortedKeys(members map[string]json.RawMessage) []string {
	return slices.Sorted(maps.Keys(members))
}

// CommandTexts returns the command arguments that are texts, for conditions on
// the text as a whole (spec CMD-16), and whether that is all there is.
func (c *Call) CommandTexts() (texts []string, complete bool) {
	argument := c.argument(c.Roles.Command)
	return argument.Texts, argument.State == Given && argument.Unknown == "" && c.bad == ""
}

// LooseTexts returns the short strings of the input of an operation that no
// catalog knows, wherever they stand: each may be a path or a URL.
func (c *Call) LooseTexts() []string {
	if c.Declared {
		return nil
	}
	var values Values
	for _, name := range sortedKeys(c.members) {
		if !c.hasRole(name) {
			values.every(c.members[name])
		}
	}
	return values.Texts
}

// hasRole reports whether an argument is read as what it is already.
func (c *Call) hasRole(name string) bool {
	r := &c.Roles
	return soundsLikeCommand(name) || slices.ContainsFunc(slices.Concat(r.Command, r.Path, r.URL, r.Cwd), func(pointer string) bool {
		key, _, _ := strings.Cut(pointer[1:], "/")
		return key == name
	})
}

// Here is the reader at the directory the call runs in.
func (c *Call) Here() *Reader { return c.here }

// Items implements [eval.Readings].
func (c *Call) Items() int { return len(c.units) }

// Unit returns an item.
func (c *Call) Unit(i int) *Unit { return c.units[i] }

// Item implements [eval.Readings].
func (c *Call) Item(i int) eval.Item { return c.units[i].describe() }
