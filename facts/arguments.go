package facts

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/plangate/plangate"
)

// MaxValues bounds the values of one role.
const MaxValues = 1000

// Values are the arguments of one role.
type Values struct {
	Texts []string // in the order of the pointers and of the arrays they go through
	// Absent are the pointers that lead to nothing or to null.
	Absent []string
	// Unknown is why there may be values that are not in Texts. Among them is
	// [Absent]: no pointer leads to anything.
	Unknown Reason
}

// Arguments follows RFC 6901 pointers into a call's input; a segment `*` stands
// for every item of an array (spec CAT-4, PTH-13). A value that is no string
// makes the role unknown and the others stay.
func Arguments(input json.RawMessage, pointers []string) Values {
	var values Values
	if len(input) == 0 {
		return Values{Absent: pointers, Unknown: Absent}
	}
	if plangate.CheckJSON(input) != nil {
		return Values{Unknown: BadInput}
	}
	input = bytes.TrimSpace(input)
	for _, pointer := range pointers {
		if !values.follow(input, strings.Split(pointer, "/")[1:]) {
			values.Absent = append(values.Absent, pointer)
		}
	}
	if len(values.Absent) == len(pointers) {
		values.Unknown = first(values.Unknown, Absent)
	}
	return values
}

// follow adds the values at a path and reports whether there is anything.
func (v *Values) follow(at json.RawMessage, segments []string) bool {
	if string(at) == "null" {
		return false
	}
	if len(segments) == 0 {
		return v.add(at)
	}
	key := unescapePointer(segments[0])
	if at[0] == '{' && key != "*" {
		var members map[string]json.RawMessage
		if json.Unmarshal(at, &members) != nil || members[key] == nil {
			return false
		}
		return v.follow(members[key], segments[1:])
	}
	var items []json.RawMessage
	if json.Unmarshal(at, &items) != nil {
		v.Unknown = first(v.Unknown, WrongType)
		return true
	}
	if key == "*" {
		return v.each(items, segments[1:])
	}
	index, err := strconv.ParseUint(key, 10, 31)
	if err != nil || key != strconv.FormatUint(index, 10) || index >= uint64(len(items)) {
		return false
	}
	return v.follow(items[index], segments[1:])
}

// unescapePointer undoes the escapes of RFC 6901.
func unescapePointer(segment string) string {
	if !strings.Contains(segment, "~") {
		return segment
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)
}

// every adds the short strings in a value, wherever they stand.
func (v *Values) every(at json.RawMessage) {
	var items []json.RawMessage
	switch at[0] {
	case '{':
		var members map[string]json.RawMessage
		_ = json.Unmarshal(at, &members) // checked before
		for _, key := range sortedKeys(members) {
			items = append(items, members[key])
			v.addText(key) // {"files": {"a/b": "…"}}
		}
	case '[':
		_ = json.Unmarshal(at, &items)
	case '"':
		var text string
		_ = json.Unmarshal(at, &text) // checked before
		v.addText(text)
	}
	for _, item := range items {
		v.every(item)
	}
}

// addText adds a short text, or the paths that a patch names.
func (v *Values) addText(text string) {
	texts := []string{text}
	if strings.Contains(text, "\n") {
		texts = patched(text)
	}
	for _, text := range texts {
		if len(text) <= MaxPathBytes && len(v.Texts) < MaxValues {
			v.Texts = append(v.Texts, text)
		}
	}
}

// patchMarks begin the lines of patches that name a file.
var patchMarks = []string{
	"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ ", "--- ", "rename to ", "rename from ", "copy to ",
}

// patched returns the files that a patch names.
func patched(text string) (names []string) {
	for line := range strings.Lines(text) {
		for _, mark := range patchMarks {
			if name, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), mark); ok {
				name, _, _ = strings.Cut(name, "\t")
				names = append(names, name)
				if _, below, ok := strings.Cut(name, "/"); ok {
					names = append(names, below) // a/x and b/x of a diff
				}
			}
		}
	}
	return names
}

// each follows every item. An item that leads nowhere is a value that is
// missing, not an argument that was left out; an empty array is the latter.
func (v *Values) each(items []json.RawMessage, segments []string) bool {
	for _, item := range items {
		if !v.follow(item, segments) {
			v.Unknown = first(v.Unknown, WrongType)
		}
		if v.Unknown == TooMany {
			break
		}
	}
	return len(items) > 0
}

func (v *Values) add(value json.RawMessage) bool {
	var text string
	switch {
	case value[0] != '"' || json.Unmarshal(value, &text) != nil:
		v.Unknown = first(v.Unknown, WrongType)
	case len(v.Texts) == MaxValues:
		v.Unknown = TooMany
	default:
		v.Texts = append(v.Texts, text)
	}
	return true
}
