package reference

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
)

// profile is an agent_profile, merged over the layers (LAY-5).
type profile struct {
	headless  bool
	deny      list
	grants    list
	narrowing []list // each escalation_grants, outer to inner
	narrowest entry  // where the innermost of them is set
	allowed   list
	isBounded bool  // allowed_tools is set
	bound     entry // where allowed_tools is set
}

// entry is one name of a list, and the list it stands in.
type entry struct {
	name    string
	layer   plangate.Layer
	at      plangate.Range
	trusted bool
}

type list []entry

// entry finds what lists a call (PRF-2).
func (l list) entry(call plangate.Call) (entry, bool) {
	for _, e := range l {
		if e.name == call.Operation || e.name == "mcp__"+call.Provider+"__"+call.Operation {
			return e, true
		}
	}
	return entry{}, false
}

// permits finds what lists a call in an allowlist (PRF-2): an operation spelled
// like an MCP name of some server only as that server's.
func (l list) permits(call plangate.Call) (entry, bool) {
	for _, e := range l {
		plain := e.name == call.Operation && (call.Provider == "" || !strings.HasPrefix(call.Operation, "mcp__"))
		if plain || call.Provider != "" && e.name == "mcp__"+call.Provider+"__"+call.Operation {
			return e, true
		}
	}
	return entry{}, false
}

func listed(action plangate.Action, t plangate.RuleType, name string, e entry) verdict {
	return verdict{action: action, rule: plangate.Rule{
		Type: t, Name: name, Layer: e.layer, File: e.at.File, Line: e.at.Start.Line,
	}}
}

// profileOf merges the blocks of one name, outer to inner (LAY-5).
func profileOf(p Policy, name string) profile {
	var merged profile
	for _, l := range outerToInner(p.Layers) {
		for _, block := range l.File.Profiles {
			if block.Name.Value == name {
				merged = merge(merged, l, block)
			}
		}
	}
	return merged
}

func merge(outer profile, l Layer, block *dsl.Profile) profile {
	merged := outer
	if block.Headless != nil && block.Headless.Value {
		merged.headless = true
	}
	if block.DenyTools != nil {
		merged.deny = append(slices.Clone(outer.deny), entries(l, block.DenyTools)...)
	}
	if block.AllowedTools != nil {
		merged.isBounded = true
		merged.allowed = entries(l, block.AllowedTools)
		merged.bound = entry{layer: l.Layer, at: block.AllowedTools.Range, trusted: l.Trusted}
	}
	// LAY-4: the grants of an untrusted layer count as absent.
	if block.Grants != nil && l.Trusted {
		merged.grants = append(slices.Clone(outer.grants), entries(l, block.Grants)...)
	}
	// PRF-5: those of all layers narrow.
	if block.EscalationGrants != nil {
		merged.narrowing = append(slices.Clone(outer.narrowing), entries(l, block.EscalationGrants))
		merged.narrowest = entry{layer: l.Layer, at: block.EscalationGrants.Range}
	}
	return merged
}

func entries(l Layer, names *dsl.Lit[[]dsl.Lit[string]]) list {
	var all list
	for _, n := range names.Value {
		all = append(all, entry{name: n.Value, layer: l.Layer, at: names.Range, trusted: l.Trusted})
	}
	return all
}

// profileKnown is PRF-3. An untrusted file cannot make a name known, because
// that would lift a ceiling (LAY-4).
func profileKnown(p Policy, name string) bool {
	blocks := 0
	for _, l := range p.Layers {
		blocks += len(l.File.Profiles)
		if l.Trusted && names(l.File, name) {
			return true
		}
	}
	return blocks == 0 || name == ""
}

// names reports whether an agent_profile block or a policy has the name.
func names(file *dsl.File, name string) bool {
	for _, block := range file.Profiles {
		if block.Name.Value == name {
			return true
		}
	}
	for _, policy := range file.Policies {
		if contains(policy.Profiles, name) {
			return true
		}
	}
	// Not a guard's: it could lift a ceiling, and a guard can only tighten.
	return false
}

// outerToInner puts the layers in the order of LAY-1, and the files of one
// layer in the order of their names, trusted ones first.
func outerToInner(layers []Layer) []Layer {
	ordered := slices.Clone(layers)
	slices.SortStableFunc(ordered, func(a, b Layer) int {
		if a.Layer == b.Layer && a.Trusted != b.Trusted {
			if a.Trusted {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.File.Name, b.File.Name))
	})
	return ordered
}

// ProfileErrors returns the agent_profile blocks that would widen what an outer
// layer says (LAY-5), outer to inner. A policy with one must be refused.
func ProfileErrors(p Policy) []*dsl.Profile {
	var wrong []*dsl.Profile
	outer := map[string]profile{}
	for _, l := range outerToInner(p.Layers) {
		for _, block := range l.File.Profiles {
			inherited := outer[block.Name.Value]
			if widens(inherited, block) {
				wrong = append(wrong, block)
			}
			outer[block.Name.Value] = merge(inherited, l, block)
		}
	}
	return wrong
}

// SetTwice returns the places where a second file of a layer sets a default or
// an allowed_tools that another one has set already (SEL-5).
func SetTwice(p Policy) []plangate.Range {
	var places []plangate.Range
	layers := outerToInner(p.Layers)
	for i, later := range layers {
		for _, l := range layers[:i] {
			if l.Layer == later.Layer && l.Trusted && later.Trusted {
				places = append(places, setByBoth(l.File, later.File)...)
			}
		}
	}
	return places
}

func setByBoth(a, b *dsl.File) []plangate.Range {
	var places []plangate.Range
	for _, first := range a.Defaults {
		for _, second := range b.Defaults {
			if first.Kind == second.Kind {
				places = append(places, second.Action.Range)
			}
		}
	}
	for _, first := range a.Profiles {
		for _, second := range b.Profiles {
			if first.Name.Value == second.Name.Value && first.AllowedTools != nil && second.AllowedTools != nil {
				places = append(places, second.AllowedTools.Range)
			}
		}
	}
	return places
}

func widens(outer profile, inner *dsl.Profile) bool {
	if inner.Headless != nil && outer.headless && !inner.Headless.Value {
		return true
	}
	return inner.AllowedTools != nil && outer.isBounded &&
		slices.ContainsFunc(inner.AllowedTools.Value, func(name dsl.Lit[string]) bool {
			return !slices.ContainsFunc(outer.allowed, func(e entry) bool { return e.name == name.Value })
		})
}
