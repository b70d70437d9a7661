package install

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/plangate/plangate/harness"
)

// Entry is an entry of ours in a file.
type Entry struct {
	Event   string   // "" where the CLI's file has no events
	Command []string // what it runs, as far as it is plain
	Line    string   // what a shell runs, "" if it is started without one
	Same    bool     // it is exactly what [Hook.Install] writes
	// Elsewhere means that it is as it must be, but runs another copy of the program.
	Elsewhere bool
	Closed    bool          // the CLI's fail-closed switch is set in it
	Limit     time.Duration // of time, 0 if there is none in it
}

// Status is what a file says of our hook.
type Status struct {
	Entries []Entry
	// Missing are events that have no entry of ours.
	Missing []harness.Event
}

// Status examines a file. The text is nil if there is none.
func (h Hook) Status(text []byte) (Status, error) {
	var status Status
	if h.layout() == whole {
		return h.statusWhole(text), nil
	}
	root, err := h.parse(text)
	if err != nil {
		return status, err
	}
	for _, one := range h.find(text, root) {
		value, _ := decode(text, one.entry).(map[string]any)
		status.Entries = append(status.Entries, Entry{
			Event: one.event, Command: h.commandOf(value), Line: lineOf(value), Same: one.same,
			Elsewhere: !one.same && h.sameElsewhere(text, &one),
			Closed:    h.info.FailClosed != "" && reflect.DeepEqual(value[h.info.FailClosed], wantedValue(raw(h.info.FailClosedValue))),
			Limit:     h.limitOf(value),
		})
	}
	for _, event := range h.events() {
		if !slices.ContainsFunc(status.Entries, func(e Entry) bool { return e.Event == event.Name }) {
			status.Missing = append(status.Missing, event)
		}
	}
	return status, nil
}

// sameElsewhere reports whether an entry would be as wanted if the program were the one
// that it runs.
func (h Hook) sameElsewhere(text []byte, one *found) bool {
	value, _ := decode(text, one.entry).(map[string]any)
	words := h.commandOf(value)
	if len(words) == 0 || h.layout() == ruled && one.index != 0 {
		return false
	}
	other := h
	if h.layout() == ruled {
		other.wrapper = words[0]
	} else {
		other.program = words[0]
	}
	all := other.findIn(text, one.event, one.list)
	return slices.ContainsFunc(all, func(f found) bool { return f.entry == one.entry && f.same })
}

// CanaryEntry returns the entry that sees the canary call.
func (h Hook) CanaryEntry(s Status) (Entry, bool) {
	i := slices.IndexFunc(s.Entries, h.answersCanary)
	if i < 0 {
		return Entry{}, false
	}
	return s.Entries[i], true
}

// lineOf returns the command line of an entry that a shell runs.
func lineOf(handler map[string]any) string {
	if handler["args"] != nil {
		return ""
	}
	for _, key := range []string{"command", "bash"} {
		if line, ok := handler[key].(string); ok {
			return line
		}
	}
	return ""
}

// Installed reports whether everything is exactly as [Hook.Install] writes it.
func (s Status) Installed() bool {
	return len(s.Missing) == 0 && !slices.ContainsFunc(s.Entries, func(e Entry) bool { return !e.Same })
}

// String returns a word for people.
func (s Status) String() string {
	return fmt.Sprintf("%d entries, %d missing", len(s.Entries), len(s.Missing))
}
