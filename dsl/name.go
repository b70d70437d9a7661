package dsl

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// blank has the characters that count as printable and show nothing: joiners,
// fillers, variation selectors, the empty Braille pattern and the placeholder
// of an object.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1},
		{Lo: 0x115f, Hi: 0x1160, Stride: 1},
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1},
		{Lo: 0x180b, Hi: 0x180f, Stride: 1},
		{Lo: 0x2800, Hi: 0x2800, Stride: 1},
		{Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1},
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
		{Lo: 0xfffc, Hi: 0xfffc, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0100, Hi: 0xe01ef, Stride: 1}},
}

// label returns the name of a policy, guard or agent_profile, which must be
// valid and unique among its type (spec LNG-12, LNG-13).
func (p *parser) label(b *block) Lit[string] {
	if len(b.labels) == 0 {
		p.error(codeBadLabel, b.header, "Missing name",
			fmt.Sprintf("The block %s has one name. Write %s \"name\" { … }.", b.typ, b.typ))
		return Lit[string]{Range: b.header}
	}
	name := b.labels[0]
	if len(b.labels) > 1 {
		p.error(codeBadLabel, b.labels[1].Range, "Too many labels",
			fmt.Sprintf("The block %s has one name. Remove this label.", b.typ))
	}
	if p.validName(name) {
		p.unique(b.typ, name)
	}
	return name
}

func (p *parser) validName(name Lit[string]) bool {
	problem := nameProblem(name.Value)
	if problem != "" {
		p.error(codeBadName, name.Range, "Invalid name", problem+" Names appear in decisions; choose a plain one.")
	}
	return problem == ""
}

// nameProblem says why a name cannot be shown to people, or returns "".
func nameProblem(name string) string {
	switch {
	case name == "":
		return "The name is empty."
	case len(name) > MaxNameBytes:
		return fmt.Sprintf("The name has %d bytes; at most %d are allowed.", len(name), MaxNameBytes)
	}
	for _, c := range name {
		if !unicode.IsPrint(c) || unicode.Is(blank, c) {
			return fmt.Sprintf("The name contains the character U+%04X, which cannot be seen.", c)
		}
	}
	return ""
}

func (p *parser) unique(typ string, name Lit[string]) {
	known := p.names[typ]
	if known == nil {
		known = map[string]Lit[string]{}
		p.names[typ] = known
	}
	folded := foldName(name.Value)
	first, twice := known[folded]
	if !twice {
		known[folded] = name
		return
	}
	detail := "Names must differ, because decisions are reported by name. Rename one of the two."
	if first.Value != name.Value {
		detail = "It differs from " + quote(first.Value) + " only in case or in how its characters are composed. " + detail
	}
	p.second(codeDuplicateName, pairOf{name.Range, first.Range}, "Name given twice", detail)
}

// foldName maps names that look the same to people to the same text: NFC and
// Unicode case folding.
func foldName(name string) string {
	for i := range len(name) {
		if name[i] >= 0x80 {
			return norm.NFC.String(cases.Fold().String(norm.NFD.String(name)))
		}
	}
	return strings.ToLower(name)
}
