package facts

import (
	"github.com/plangate/plangate/command"
	"github.com/plangate/plangate/eval"
)

// Unit is an item of a call: one simple command, or the call as a whole.
type Unit struct {
	Command *command.Command // nil if the item is no command
	Text    string           // that the command stands in
	Unknown Reason           // why there may be commands that are not seen
	// State is Given if the call has command arguments.
	State State
	// Loose is set if nobody said that the text is a command.
	Loose bool

	call   *Call
	blank  bool // there is a command text with no command in it
	places []Place
	placed bool
}

// Blank reports whether there certainly is no command.
func (u *Unit) Blank() bool {
	return u.blank || u.Command == nil && u.Unknown == "" && u.State != Unstated
}

// Surrounded reports whether another argument of the call may change what the
// command does.
func (u *Unit) Surrounded() bool { return u.Command != nil && u.call.Surrounded() }

// Certain reports whether all is known about what the unit runs.
func (u *Unit) Certain() bool {
	return u.Unknown == "" && (u.Command == nil || u.Command.Certain())
}

// forms yields the command and the wrappers around it.
func (u *Unit) forms() (list []*command.Command) {
	for f := u.Command; f != nil; f = f.Outer {
		list = append(list, f)
	}
	return list
}

// describe tells traces what the unit is.
func (u *Unit) describe() eval.Item {
	item := eval.Item{Text: u.Text, Unknown: []string{}, Effects: []string{}}
	if u.Unknown != "" {
		item.Unknown = append(item.Unknown, string(u.Unknown))
	}
	if u.Command == nil {
		return item
	}
	item.Start, item.End = u.Command.Pos, u.Command.End
	for _, f := range u.forms() {
		for _, reason := range f.Unknown {
			item.Unknown = append(item.Unknown, string(reason.Code))
		}
		if f.Opaque != "" {
			item.Unknown = append(item.Unknown, "opaque:"+f.Opaque)
		}
	}
	item.Effects = append(item.Effects, effects(u.Command)...)
	return item
}

// effects tells what about a command is more than its words.
func effects(c *command.Command) (list []string) {
	for _, r := range c.Writes() {
		list = append(list, "writes "+r.Target.Text)
	}
	for f := c; f != nil; f = f.Outer {
		for _, assign := range f.Assigns {
			list = append(list, "assigns "+assign.Name)
		}
		if f.Background {
			list = append(list, "runs in the background")
		}
		if f != c {
			list = append(list, "runs under "+f.Program.Text)
		}
	}
	if why, ok := command.Escalates(c); ok {
		list = append(list, why)
	}
	return list
}
