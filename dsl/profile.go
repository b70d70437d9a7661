package dsl

import (
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/suggest"
)

var profileAttributes = []string{"headless", "allowed_tools", "deny_tools", "grants", "escalation_grants"}

// profile reads what is ours in an agent_profile block. The rest belongs to the
// kernel, except what can only be a slip of the pen for one of ours: a
// misspelt deny_tools would deny nothing.
func (p *parser) profile(b *block) *Profile {
	for _, a := range b.attrs {
		p.kernelName(Lit[string]{a.name, a.rng})
	}
	for _, inner := range b.nested {
		if slices.Contains(profileAttributes, inner.Value) {
			p.nestedBlock(b, inner, profileAttributes)
		} else {
			p.kernelName(inner)
		}
	}
	return &Profile{
		Name:             p.label(b),
		Headless:         p.headless(b.attr("headless")),
		AllowedTools:     p.nameList(b.attr("allowed_tools"), p.toolName),
		DenyTools:        p.nameList(b.attr("deny_tools"), p.toolName),
		Grants:           p.nameList(b.attr("grants"), p.grantName),
		EscalationGrants: p.nameList(b.attr("escalation_grants"), p.grantName),
		Header:           b.header,
		Range:            b.rng,
	}
}

func (p *parser) kernelName(name Lit[string]) {
	if slices.Contains(profileAttributes, name.Value) {
		return
	}
	// Underscores at the end make no other name.
	given := strings.TrimRight(name.Value, "_")
	meant := suggest.Nearest(given, profileAttributes)
	if meant != "" && !strings.HasPrefix(given, meant+"_") {
		p.error(codeUnknownAttr, name.Range, "Unknown attribute",
			quote(name.Value)+" is too near to "+quote(meant)+" to be left to the kernel."+
				lookAlike(name.Value)+" Write "+meant+", or rename it.")
	}
}

func (p *parser) headless(a *attribute) *Lit[bool] {
	if a == nil {
		return nil
	}
	v := p.value(a.expr)
	if v.typ != boolValue {
		p.wrongType(v, "true or false")
		return nil
	}
	return &Lit[bool]{v.flag, v.rng}
}

// nameList reads a list of exact names. It is nil if the attribute is absent
// or is no list of strings at all: an empty list would mean something else.
func (p *parser) nameList(a *attribute, valid func(Lit[string]) bool) *Lit[[]Lit[string]] {
	if a == nil {
		return nil
	}
	v := p.value(a.expr)
	if v.typ != listValue && v.typ != stringValue {
		p.wrongType(v, "a list of strings")
		return nil
	}
	names := slices.DeleteFunc(listOf[string](p, v, emptyAllowed), func(s Lit[string]) bool { return !valid(s) })
	return &Lit[[]Lit[string]]{names, v.rng}
}

var defaultsAttributes = []string{"resource", "data_source", "interactive"}

func (p *parser) defaults(b *block) (list []*Default) {
	p.closed(b, defaultsAttributes)
	for i := range b.attrs {
		a := &b.attrs[i]
		kind, err := plangate.ParseKind(a.name)
		if err != nil {
			continue
		}
		if action, ok := wordAttribute(p, a, plangate.ParseAction, policyActions); ok {
			list = append(list, &Default{kind, action})
		}
	}
	slices.SortFunc(list, func(a, b *Default) int { return a.Action.Range.Start.Byte - b.Action.Range.Start.Byte })
	return list
}
