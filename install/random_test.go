package install

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plangate/plangate/harness"
)

// drawn writes random JSON in random layout, with comments where the dialect has them.
type drawn struct {
	t       *rapid.T
	dialect dialect
	newline string
	h       Hook
}

func (d *drawn) pick(label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(d.t, label)
}

func (d *drawn) space() string {
	options := []string{"", "", " ", d.newline + "  ", d.newline + "\t", "  " + d.newline}
	if d.dialect == comments {
		options = append(options, "/* c, { */", " // c ]"+d.newline, "/*"+d.newline+"*/ ", d.newline+"  // \"c\""+d.newline+"  ")
	}
	return d.pick("space", options...)
}

func (d *drawn) scalar() string {
	return d.pick("scalar", "1", "-1.5e9", "true", "null", `"x"`, `"//"`, `"/* ]}"`, `"\""`, `"é,\\"`)
}

func (d *drawn) list(open, closing string, elements []string) string {
	var out strings.Builder
	out.WriteString(open + d.space())
	for i, one := range elements {
		out.WriteString(one + d.space())
		if i+1 < len(elements) || d.dialect == comments && rapid.Bool().Draw(d.t, "last comma") {
			out.WriteString("," + d.space())
		}
	}
	return out.String() + closing
}

func (d *drawn) member(key, value string) string { return key + d.space() + ":" + d.space() + value }

func (d *drawn) value(depth int) string {
	count := rapid.IntRange(0, 3).Draw(d.t, "count")
	var elements []string
	switch kind := rapid.IntRange(0, 3).Draw(d.t, "kind"); {
	case depth == 0 || kind < 2:
		return d.scalar()
	case kind == 2:
		for range count {
			elements = append(elements, d.value(depth-1))
		}
		return d.list("[", "]", elements)
	default:
		for i := range count {
			elements = append(elements, d.member(fmt.Sprintf(`"k%d"`, i), d.value(depth-1)))
		}
		return d.list("{", "}", elements)
	}
}

// entry is an entry of an event's list: of others, or an older one of ours.
func (d *drawn) entry(old bool) string {
	command := `"other"`
	if old && rapid.IntRange(0, 3).Draw(d.t, "old") == 0 {
		command = `"/old/policyctl hook ` + d.h.info.Name + `"`
		if d.h.layout() == ruled {
			command = `"/old/policyctl-amp"`
		}
	}
	switch {
	case d.h.layout() == ruled:
		return d.list("{", "}", []string{d.member(`"tool"`, `"*"`), d.member(`"action"`, `"delegate"`), d.member(`"to"`, command)})
	case rapid.IntRange(0, 4).Draw(d.t, "strange") == 0:
		return d.value(2)
	}
	handler := d.list("{", "}", []string{d.member(`"command"`, command)})
	if d.h.layout() == plain {
		return handler
	}
	handlers := []string{handler}
	if rapid.Bool().Draw(d.t, "second") {
		handlers = append(handlers, `{"command":"second"}`)
	}
	return d.list("{", "}", []string{d.member(`"hooks"`, d.list("[", "]", handlers))})
}

func (d *drawn) entries(old bool) string {
	var entries []string
	for range rapid.IntRange(0, 3).Draw(d.t, "entries") {
		entries = append(entries, d.entry(old))
	}
	return d.list("[", "]", entries)
}

// document is a file of the CLI.
func (d *drawn) document(old bool) string {
	var all []string
	for i := range rapid.IntRange(0, 2).Draw(d.t, "before") {
		all = append(all, d.member(fmt.Sprintf(`"b%d"`, i), d.value(3)))
	}
	switch {
	case rapid.Bool().Draw(d.t, "no hooks"):
	case d.h.layout() == ruled:
		all = append(all, d.member(`"amp.permissions"`, d.entries(old)))
	default:
		var events []string
		for _, name := range append([]string{"Other"}, eventNames(d.h)...) {
			if rapid.Bool().Draw(d.t, "event") {
				events = append(events, d.member(`"`+name+`"`, d.entries(old)))
			}
		}
		all = append(all, d.member(`"hooks"`, d.list("{", "}", events)))
	}
	for i := range rapid.IntRange(0, 2).Draw(d.t, "after") {
		all = append(all, d.member(fmt.Sprintf(`"a%d"`, i), d.value(3)))
	}
	return d.space() + d.list("{", "}", all) + d.space()
}

func eventNames(h Hook) []string {
	var names []string
	for _, event := range h.info.Events {
		names = append(names, event.Name)
	}
	return names
}

// TestRandomDocuments proves install and remove on random files: see settled, and that
// no byte of before is lost if there is nothing of ours in it.
func TestRandomDocuments(t *testing.T) {
	for _, name := range harness.Names() {
		h := testHook(t, name)
		if h.layout() == whole {
			continue
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				d := &drawn{t: t, dialect: h.dialect(), newline: rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline"), h: h}
				old := rapid.Bool().Draw(t, "with older entries")
				before := []byte(d.document(old))
				settled(t, h, before)
				if old {
					return
				}
				change, err := h.Install(before)
				if err != nil || !subsequence(before, change.Text) {
					t.Fatalf("bytes were lost, %v:\n%s\n%s", err, before, change.Text)
				}
				if again, err := h.edit(change.Text, h.removeStep); err != nil || countComments(again.Text) != countComments(before) {
					t.Fatalf("comments were lost, %v:\n%s\n%s", err, before, again.Text)
				}
			})
		})
	}
}

// countComments counts comments, outside of strings.
func countComments(text []byte) int {
	count := 0
	for i := 0; i < len(text); {
		switch text[i] {
		case '"':
			i = stringEnd(text, i)
		case '/':
			count++
			i = commentEnd(text, i)
		default:
			i++
		}
	}
	return count
}

func FuzzJSON(f *testing.F) {
	for _, text := range odd {
		f.Add([]byte(text))
	}
	f.Add([]byte(`{"hooks":{"BeforeTool":[/*c*/{"hooks":[{"command":"policyctl hook gemini"},]},]}} // x`))
	f.Add([]byte("{\"hooks\":{\"BeforeTool\":[// x\n{\"hooks\":[{\"command\":\"policyctl hook gemini\"}]}]}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range []string{"gemini", "claude", "cursor", "amp"} {
			h := testHook(t, name)
			if _, err := h.Install(text); err != nil {
				continue
			}
			settled(t, h, text)
		}
	})
}
