package compile

import (
	"fmt"
	"slices"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
)

// merging is a profile while the layers are merged from outer to inner.
type merging struct {
	eval.Profile
	headless   *dsl.Lit[bool] // the last attribute, or nil
	setBy      plangate.Layer // the layer of that attribute
	headlessAt plangate.Range // of the attribute that set it to true
	allowedAt  plangate.Range // of the list in force
}

// mergeProfiles merges agent_profile blocks of one name (spec LAY-5).
func (c *compiler) mergeProfiles() []eval.Profile {
	byName := map[string]*merging{}
	var order []*merging
	for _, l := range c.Layers {
		for _, block := range l.File.Profiles {
			m := byName[block.Name.Value]
			if m == nil {
				m = &merging{Profile: eval.Profile{Name: block.Name.Value, Untrusted: true}}
				byName[block.Name.Value] = m
				order = append(order, m)
			}
			c.mergeProfile(m, l, block)
		}
	}
	profiles := make([]eval.Profile, len(order))
	for i, m := range order {
		profiles[i] = m.Profile
	}
	return profiles
}

func (c *compiler) mergeProfile(m *merging, l LayerFile, block *dsl.Profile) {
	m.Untrusted = m.Untrusted && !l.Trusted
	c.mergeHeadless(m, l, block)
	if list := block.DenyTools; list != nil {
		denied := listOf("deny_tools", l, list)
		denied.Names = c.aliases.expand(denied.Names)
		m.DenyTools = append(m.DenyTools, denied)
	}
	if list := block.Grants; list != nil && l.Trusted {
		m.Grants = append(m.Grants, listOf("grants", l, list))
	}
	if list := block.EscalationGrants; list != nil {
		m.EscalationGrants = append(m.EscalationGrants, listOf("escalation_grants", l, list))
	}
	if list := block.AllowedTools; list != nil {
		if m.AllowedTools != nil && m.AllowedTools.Rule.Layer == l.Layer && l.Trusted {
			c.reportTwice(fmt.Sprintf("allowed_tools of profile %q", m.Name), list.Range, m.allowedAt)
		}
		c.checkNarrows(m, list)
		allowed := listOf("allowed_tools", l, list)
		allowed.Names = c.aliases.expand(allowed.Names)
		m.AllowedTools, m.allowedAt = &allowed, list.Range
	}
}

// mergeHeadless keeps headless once it is set.
func (c *compiler) mergeHeadless(m *merging, l LayerFile, block *dsl.Profile) {
	if block.Headless == nil {
		return
	}
	last, layer := m.headless, m.setBy
	m.headless, m.setBy = block.Headless, l.Layer
	switch {
	case last != nil && layer == l.Layer && l.Trusted && last.Value != block.Headless.Value:
		c.reportTwice(fmt.Sprintf("headless of profile %q", m.Name), block.Headless.Range, last.Range)
	case block.Headless.Value:
		if !m.Headless {
			m.Headless, m.headlessAt = true, block.Headless.Range
		}
	case m.Headless:
		c.report(plangate.Diagnostic{
			Code:    "headless_lifted",
			Summary: "Inner layer lifts headless",
			Detail: fmt.Sprintf("An outer layer makes profile %q headless, and an inner layer cannot take that back. "+
				"Remove this attribute, or use a profile of another name.", m.Name),
			Range:   block.Headless.Range,
			Context: &block.Range,
			Related: []plangate.Related{{Message: "headless is set here", Range: m.headlessAt}},
		})
	}
}

// checkNarrows refuses an inner allowlist with more than the outer one.
func (c *compiler) checkNarrows(m *merging, list *dsl.Lit[[]dsl.Lit[string]]) {
	if m.AllowedTools == nil {
		return
	}
	for _, name := range list.Value {
		if c.listed(m.AllowedTools.Names, name.Value) {
			continue
		}
		c.report(plangate.Diagnostic{
			Code:    "allowlist_widens",
			Summary: "Inner allowlist is wider than the outer one",
			Detail: fmt.Sprintf("The outer layer's allowed_tools of profile %q does not list %q. "+
				"An inner list can only leave names out. Remove the name here, or add it there.", m.Name, name.Value),
			Range:   name.Range,
			Context: &list.Range,
			Related: []plangate.Related{{Message: "the outer list", Range: m.allowedAt}},
		})
	}
}

// listed reports whether an outer allowlist has a name, or all that it stands for.
func (c *compiler) listed(outer []string, name string) bool {
	if slices.Contains(outer, name) {
		return true
	}
	meant := c.aliases[name]
	return len(meant) > 0 && !slices.ContainsFunc(meant, func(n string) bool { return !slices.Contains(outer, n) })
}

func listOf(name string, l LayerFile, list *dsl.Lit[[]dsl.Lit[string]]) eval.List {
	return eval.List{
		Names: values(list.Value),
		Rule: plangate.Rule{
			Type: plangate.RuleList, Name: name, Layer: l.Layer,
			File: list.Range.File, Line: list.Range.Start.Line,
		},
		Untrusted: !l.Trusted,
	}
}
