package install

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/plangate/plangate/harness"
)

// raw is JSON as it is to be written.
func raw(text string) json.RawMessage { return json.RawMessage(text) }

// maxSteps bounds the edits of one file.
const maxSteps = 200

// Change is what is to become of a file.
type Change struct {
	Text   []byte   // the new text
	Delete bool     // the file is to be removed: it was ours alone
	Keep   bool     // a backup is to be made even so: it was changed since
	What   []string // what is done, for people; empty if nothing is
}

// Changed reports whether there is anything to do.
func (c Change) Changed() bool { return len(c.What) > 0 }

// Install returns the file with the hook in it. The text is nil if there is no file. On
// error, which is a [*TextError] if the text is at fault, nothing must be written.
func (h Hook) Install(text []byte) (Change, error) {
	if h.layout() == whole {
		return h.installWhole(text)
	}
	return h.edit(text, h.installStep)
}

// Remove returns the file without the hook. Earlier are older contents of the file, the
// newest first: one that gives the present text if the hook is installed is the text of
// before.
func (h Hook) Remove(text []byte, earlier [][]byte) (Change, error) {
	if text == nil {
		return Change{}, nil
	}
	var removed Change
	var err error
	if h.layout() == whole {
		removed = h.removeWhole(text)
	} else {
		removed, err = h.edit(text, h.removeStep)
	}
	if err != nil || !removed.Changed() {
		return removed, err
	}
	for _, old := range append(slices.Clip(earlier), nil) {
		was, err := h.Status(old)
		if err != nil || len(was.Entries) > 0 {
			continue
		}
		if again, err := h.Install(old); err != nil || !bytes.Equal(again.Text, text) {
			continue
		}
		if old == nil {
			return Change{Delete: true, What: []string{"remove the file, which held nothing else"}}, nil
		}
		return Change{Text: old, What: []string{"restore the content of before"}}, nil
	}
	return removed, nil
}

// step makes one edit. It returns what was done, "" if nothing is left to do.
type step func(text []byte, root *node) (edited []byte, what string, err error)

// edit makes edits until none is left. Every one is made on a text that was parsed
// anew.
func (h Hook) edit(text []byte, next step) (Change, error) {
	var change Change
	for range maxSteps {
		root, err := h.parse(text)
		if err != nil {
			return Change{}, err
		}
		edited, what, err := next(text, root)
		if err != nil {
			return Change{}, err
		}
		if what == "" {
			change.Text = text
			return change, nil
		}
		text = edited
		change.What = append(change.What, what)
	}
	return Change{}, textError(text, 0, "there are too many entries of ours; remove them by hand")
}

// parse parses a file and examines what stands on our way in it.
func (h Hook) parse(text []byte) (*node, error) {
	root, err := parseJSON(text, h.dialect())
	if err != nil || root == nil {
		return nil, err
	}
	if root.open != '{' {
		return nil, textError(text, root.start, "the file does not hold an object")
	}
	for i, e := range root.elems {
		if e.key == h.key() && indexOf(root, root.get(e.key)) != i {
			return nil, textError(text, e.start, "%q stands twice in one object", e.key)
		}
	}
	top := root.get(h.key())
	if top == nil {
		return root, nil
	}
	if err := uniqueBelow(text, top); err != nil {
		return nil, err
	}
	if h.layout() == ruled {
		if top.open != '[' {
			return nil, textError(text, top.start, "%s is not a list", h.key())
		}
		return root, nil
	}
	if top.open != '{' {
		return nil, textError(text, top.start, "%s is not an object", h.key())
	}
	for _, event := range h.events() {
		if list := top.get(event.Name); list != nil && list.open != '[' {
			return nil, textError(text, list.start, "%s is not a list", event.Name)
		}
	}
	return root, nil
}

// unique refuses an object that names a member twice: readers differ in which one counts.
func unique(text []byte, n *node) error {
	seen := map[string]bool{}
	for _, e := range n.elems {
		if seen[e.key] {
			return textError(text, e.start, "%.64q stands twice in one object", e.key)
		}
		seen[e.key] = true
	}
	return nil
}

// uniqueBelow refuses the same anywhere below a value.
func uniqueBelow(text []byte, n *node) error {
	if n.open == '{' {
		if err := unique(text, n); err != nil {
			return err
		}
	}
	for _, e := range n.elems {
		if err := uniqueBelow(text, e.value); err != nil {
			return err
		}
	}
	return nil
}

// key is the name of the member that holds the hooks. A dot in it is escaped.
func (h Hook) key() string { return strings.ReplaceAll(h.info.Files[0].Key, `\.`, ".") }

// found is an entry of ours in a file.
type found struct {
	event string
	list  *node // of the event
	index int   // of the group or the entry in it
	group *node // with more than our entry in it, or nil
	inner int   // of our entry in the group
	entry *node
	same  bool // it is exactly what is wanted
	named bool // its event is one of the CLI's that we use
}

// find returns the entries of ours.
func (h Hook) find(text []byte, root *node) []found {
	var all []found
	top := root.get(h.key())
	if top == nil {
		return nil
	}
	if h.layout() == ruled {
		return h.findIn(text, "", top)
	}
	for _, e := range top.elems {
		if e.value.open == '[' {
			all = append(all, h.findIn(text, e.key, e.value)...)
		}
	}
	return all
}

func (h Hook) findIn(text []byte, name string, list *node) []found {
	var all []found
	events := h.events()
	at := slices.IndexFunc(events, func(e harness.Event) bool { return e.Name == name })
	for i := range list.elems {
		element := list.elems[i].value
		one := found{event: name, list: list, index: i, entry: element, named: at >= 0}
		var wanted any
		if at >= 0 {
			wanted = wantedValue(h.wanted(&events[at]))
		}
		hooks := element.get("hooks")
		if h.layout() != grouped || hooks == nil || hooks.open != '[' {
			if value := decode(text, element); h.ours(value) {
				one.same = equalEntry(value, wanted) && (h.layout() != ruled || i == 0)
				all = append(all, one)
			}
			continue
		}
		for j := range hooks.elems {
			one.entry, one.inner = hooks.elems[j].value, j
			if !h.ours(decode(text, one.entry)) {
				continue
			}
			one.group = nil
			if len(hooks.elems) > 1 {
				one.group = hooks
			}
			one.same = h.sameGroup(text, element, one.entry, wanted)
			all = append(all, one)
		}
	}
	return all
}

// wantedValue returns a value as it will be read.
func wantedValue(value any) any {
	text := compact(value)
	root, err := parseJSON(text, strict)
	if err != nil {
		return nil
	}
	return decode(text, root)
}

func equalEntry(a, b any) bool { return b != nil && reflect.DeepEqual(a, b) }

// sameGroup reports whether a group calls our entry for every tool, and our entry is as
// wanted. Other entries in the group do not matter.
func (h Hook) sameGroup(text []byte, group, entry *node, wanted any) bool {
	want, ok := wanted.(map[string]any)
	if !ok {
		return false
	}
	have, ok := decode(text, group).(map[string]any)
	if !ok {
		return false
	}
	list, _ := want["hooks"].([]any)
	if len(list) != 1 || !equalEntry(decode(text, entry), list[0]) {
		return false
	}
	return everyTool(have["matcher"])
}

// everyTool reports whether a matcher lets every tool through.
func everyTool(matcher any) bool {
	return matcher == nil || matcher == "" || matcher == "*" || matcher == ".*"
}

// installStep makes the first edit that brings the file nearer to having exactly one
// entry of ours for each event, as wanted.
func (h Hook) installStep(text []byte, root *node) (edited []byte, what string, err error) {
	s := styleOf(text, root)
	if root == nil {
		return h.create(text, s)
	}
	all := h.find(text, root)
	kept := map[string]*found{}
	for i := range all {
		one := &all[i]
		if before := kept[one.event]; before == nil && one.named {
			kept[one.event] = one
			continue
		}
		return h.dropEntry(text, one), "remove " + one.describe("an entry of ours that is one too many"), nil
	}
	for _, event := range h.events() {
		one := kept[event.Name]
		switch {
		case one == nil:
			edited, err = h.addEntry(text, root, &event, s)
			return edited, "add " + describe("an entry", event.Name), err
		case !one.same:
			return h.update(text, one, &event, s), "bring " + one.describe("our entry") + " up to date", nil
		}
	}
	return text, "", nil
}

func describe(what, event string) string {
	if event == "" {
		return what
	}
	return what + " for " + event
}

func (f *found) describe(what string) string { return describe(what, f.event) }

// update replaces an entry in its place, if that will do.
func (h Hook) update(text []byte, one *found, event *harness.Event, s style) []byte {
	if h.layout() == ruled && one.index != 0 || one.group != nil {
		return h.dropEntry(text, one) // the next step adds it where it belongs
	}
	element := one.list.elems[one.index].value
	s.flat = !bytes.Contains(text[element.start:element.end], []byte("\n"))
	value := s.render(h.wanted(event), indentAt(text, element.start))
	return splice(text, element.start, element.end, value)
}

// dropEntry takes an entry out, and its group if nothing else is in it.
func (h Hook) dropEntry(text []byte, one *found) []byte {
	if one.group != nil {
		return drop(text, one.group, one.inner)
	}
	return drop(text, one.list, one.index)
}

// create fills a file that holds nothing.
func (h Hook) create(text []byte, s style) (edited []byte, what string, err error) {
	empty := append(slices.Clip(text), "{}"...)
	if len(bytes.TrimSpace(bytes.TrimPrefix(text, bom))) > 0 { // comments
		empty = append(slices.Clip(text), s.newline+"{}"...)
	}
	root, err := h.parse(empty)
	if err != nil {
		return nil, "", err
	}
	edited = empty
	if h.layout() == plain {
		edited = s.add(edited, root, addition{key: "version", value: 1})
	}
	return append(edited, s.newline...), "create the file", nil
}

// addEntry adds the entry of an event, with the containers that are missing.
func (h Hook) addEntry(text []byte, root *node, event *harness.Event, s style) ([]byte, error) {
	wanted := h.wanted(event)
	top := root.get(h.key())
	switch {
	case top == nil && h.layout() == ruled:
		return s.add(text, root, addition{key: h.key(), value: []any{wanted}}), nil
	case top == nil:
		return s.add(text, root, addition{key: h.key(), value: members{{event.Name, []any{wanted}}}}), nil
	case h.layout() == ruled:
		return s.add(text, top, addition{value: wanted, first: true}), nil
	}
	list := top.get(event.Name)
	if list == nil {
		return s.add(text, top, addition{key: event.Name, value: []any{wanted}}), nil
	}
	if list.open != '[' {
		return nil, textError(text, list.start, "%s is not a list", event.Name)
	}
	return s.add(text, list, addition{value: wanted}), nil
}

// removeStep takes one entry of ours out, or a container that this left empty.
func (h Hook) removeStep(text []byte, root *node) (edited []byte, what string, err error) {
	if root == nil {
		return text, "", nil
	}
	all := h.find(text, root)
	if len(all) == 0 {
		return text, "", nil
	}
	one := &all[0]
	what = "remove " + one.describe("our entry")
	if one.group != nil || len(one.list.elems) > 1 {
		return h.dropEntry(text, one), what, nil
	}
	top := root.get(h.key())
	if h.layout() == ruled {
		if commented(text, root, indexOf(root, top)) {
			return h.dropEntry(text, one), what, nil
		}
		return drop(text, root, indexOf(root, top)), what, nil
	}
	event := indexOf(top, one.list)
	switch {
	case commented(text, top, event):
		return h.dropEntry(text, one), what, nil
	case len(top.elems) > 1 || commented(text, root, indexOf(root, top)):
		return drop(text, top, event), what, nil
	default:
		return drop(text, root, indexOf(root, top)), what, nil
	}
}

// commented reports whether there is a comment between the key of a member and its value,
// or beside the only element of that.
func commented(text []byte, n *node, index int) bool {
	e := n.elems[index]
	only := e.value.elems[0]
	for _, part := range [][]byte{
		text[stringEnd(text, e.start):e.value.start], text[e.value.start:only.start], text[only.end():e.end()],
	} {
		if bytes.IndexByte(part, '/') >= 0 {
			return true
		}
	}
	return false
}

// indexOf returns the index of a value in its container.
func indexOf(in *node, value *node) int {
	return slices.IndexFunc(in.elems, func(e elem) bool { return e.value == value })
}
