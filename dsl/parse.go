package dsl

import (
	"slices"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/hclsource"
	"github.com/plangate/plangate/internal/suggest"
)

// The block types (spec LNG-7, LNG-8).
var (
	labelledTypes = []string{"policy", "guard", "agent_profile"}
	ourTypes      = []string{"policy", "guard", "defaults", "agent_profile", "decision_hook", "approvals", "circuit_breaker"}
	foreignTypes  = []string{"required_providers", "provider", "hook", "settings"}
)

func isOurs(typ string) bool { return slices.Contains(ourTypes, typ) }

// Parse reads a policy file, in JSON syntax if the name ends in .json. Name is
// for ranges only. The file is never nil, and holds what could be read; it must
// not be enforced if the diagnostics have errors. All mistakes are reported,
// sorted by place, except that a block with a syntax error in it is not looked
// into any further.
func Parse(name string, src []byte) (*File, plangate.Diagnostics) {
	p := &parser{
		source: source{src: string(src), json: hclsource.IsJSON(name)},
		file:   &File{Name: name, Source: src},
		names:  map[string]map[string]Lit[string]{},
		blocks: map[string]plangate.Range{},
	}
	if p.json {
		p.parseJSON()
	} else {
		p.parseNative()
	}
	p.diags.Sort()
	return p.file, p.diags
}

// parser builds a File and collects diagnostics.
type parser struct {
	source
	report
	file *File
	// names has the first block of each folded name, by block type.
	names map[string]map[string]Lit[string]
	// blocks has the first block of each type that may stand once.
	blocks map[string]plangate.Range
}

// deceives reports the text of LNG-43, which ends the reading, unless the file
// was refused for one of the limits. Found is what HCL has to say: often the
// same, in other words.
func (p *parser) deceives(found plangate.Diagnostics) bool {
	for _, d := range found {
		if d.Code != codeSyntax && d.Code != codeSingleLine && d.Code != codeDuplicateAttr {
			return false
		}
	}
	list := hclsource.Deceptive(p.file.Name, p.file.Source)
	p.add(list...)
	return list != nil
}

func (p *parser) block(b *block) {
	if p.full() {
		return
	}
	switch b.typ {
	case "policy":
		p.file.Policies = append(p.file.Policies, &Policy{p.body(b)})
	case "guard":
		p.file.Guards = append(p.file.Guards, &Guard{p.body(b)})
	case "agent_profile":
		p.file.Profiles = append(p.file.Profiles, p.profile(b))
	case "defaults":
		if list := p.defaults(b); p.once(b) {
			p.file.Defaults = list
		}
	case "decision_hook":
		if hook := p.decisionHook(b); p.once(b) {
			p.file.Hook = hook
		}
	case "approvals":
		if approvals := p.approvals(b); p.once(b) {
			p.file.Approval = approvals
		}
	case "circuit_breaker":
		if breaker := p.breaker(b); p.once(b) {
			p.file.Breaker = breaker
		}
	default:
		p.foreign(b)
	}
}

// once reports whether this is the first block of its type.
func (p *parser) once(b *block) bool {
	if len(b.labels) > 0 {
		p.error(codeBadLabel, b.labels[0].Range, "Unexpected label", "The block "+b.typ+" has no name. Remove the label.")
	}
	first, twice := p.blocks[b.typ]
	if twice {
		p.second(codeDuplicateBlock, pairOf{b.at, first}, "Block given twice",
			"A file may have one "+b.typ+" block. Merge the two.")
		return false
	}
	p.blocks[b.typ] = b.at
	return true
}

// foreign records a block of a kernel and refuses any other.
func (p *parser) foreign(b *block) {
	if !slices.Contains(foreignTypes, b.typ) {
		known := slices.Concat(ourTypes, foreignTypes)
		p.error(codeUnknownBlock, b.at, "Unknown block", "There is no block "+quote(b.typ)+"."+hint(b.typ, known))
		return
	}
	labels := make([]string, len(b.labels))
	for i, label := range b.labels {
		labels[i] = label.Value
	}
	p.file.Foreign = append(p.file.Foreign, Foreign{b.typ, labels, b.rng})
}

// strayAttribute refuses an attribute outside all blocks.
func (p *parser) strayAttribute(name string, at plangate.Range) {
	detail := "A file consists of blocks." + hint(name, ourTypes)
	if isOurs(name) {
		detail = quote(name) + " is a block: write it with braces and without an equals sign."
	}
	p.error(codeUnknownAttr, at, "Attribute outside of a block", detail)
}

// closed refuses what is not in the schema of a block.
func (p *parser) closed(b *block, known []string) {
	for _, a := range b.attrs {
		if !slices.Contains(known, a.name) && !p.full() {
			p.error(codeUnknownAttr, a.rng, "Unknown attribute",
				"The block "+b.typ+" has no attribute "+quote(a.name)+"."+p.misplaced(a.name)+hint(a.name, known))
		}
	}
	for _, inner := range b.nested {
		p.nestedBlock(b, inner, known)
	}
}

// misplaced explains a match key that stands beside the match.
func (p *parser) misplaced(name string) string {
	if slices.Contains(matchKeys[:], name) {
		return " It belongs in match: match = { " + name + " = … }."
	}
	return ""
}

func (p *parser) nestedBlock(b *block, inner Lit[string], known []string) {
	detail := "This is no block that " + b.typ + " may have inside." + lookAlike(inner.Value)
	switch name := suggest.Nearest(inner.Value, known); {
	case name != "":
		detail += ` "` + name + `" is an attribute: write ` + name + ` = …`
	case isOurs(inner.Value):
		detail += " Close the braces of the block before this line."
	}
	p.error(codeUnknownBlock, inner.Range, "Unknown block", detail)
}

func (p *parser) missing(b *block, name, example string) {
	p.error(codeMissingAttr, b.header, "Missing attribute",
		"The block "+b.typ+" needs "+name+". Add "+example+".")
}
