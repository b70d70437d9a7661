package compile

import (
	"fmt"
	"time"

	"github.com/plangate/plangate"
)

// findWarnings reports what is legal and probably not meant.
func (c *compiler) findWarnings() {
	c.warnFiles()
	for _, e := range c.policies {
		c.warnPolicy(e)
	}
	for _, e := range c.guards {
		if e.expired {
			c.warnExpired(e)
		}
	}
	c.findUnknownNames()
	c.findUnknownProfiles()
	c.lintConditions()
}

// findOutranked reports what loses to something else. It needs the table, to
// try its witnesses.
func (c *compiler) findOutranked() {
	if c.table != nil {
		c.findDead()
		c.findGuarded()
		c.findOverridden()
	}
}

func (c *compiler) warn(code string, at plangate.Range, summary, detail string) *plangate.Diagnostic {
	d := &plangate.Diagnostic{
		Severity: plangate.SeverityWarning, Code: code, Summary: summary, Detail: detail, Range: at,
	}
	c.findings = append(c.findings, d)
	return d
}

func (c *compiler) warnFiles() {
	for _, l := range c.Layers {
		f := l.File
		if len(f.Policies)+len(f.Guards)+len(f.Defaults)+len(f.Profiles) == 0 {
			c.warn("no_policy", startOf(f.Name), "File has no policy",
				"Nothing here decides anything, so the defaults hold: resources ask, reads and interactive calls are allowed.")
		}
	}
}

func startOf(file string) plangate.Range {
	start := plangate.Pos{Line: 1, Column: 1}
	return plangate.Range{File: file, Start: start, End: start}
}

func (c *compiler) warnPolicy(e *entry) {
	name := e.body.Name.Value
	switch {
	case e.expired:
		c.warnExpired(e)
	case cellsOf(&e.rule.Match) == 0:
		c.warn("contradiction", e.body.Header, "Kind and risk contradict each other",
			fmt.Sprintf("A resource is never read_only and a data_source always is, so only a call that contradicts itself "+
				"has the kind and risk that policy %q matches. Correct kind or risk.", name)).Context = &e.body.Range
	}
	if e.body.Match.Empty() {
		c.warn("empty_match", e.body.Match.Range, "Match is empty",
			fmt.Sprintf("Policy %q matches every call of every kind. Name what is meant, or use a defaults block.", name)).
			Context = &e.body.Range
	}
}

func (c *compiler) warnExpired(e *entry) {
	d := c.warn("expired", e.body.Expires.Range, "Block has expired",
		fmt.Sprintf("%q expired at %s and matches nothing any more. Remove it, or give it a new end.",
			e.body.Name.Value, e.body.Expires.Value.Format(time.RFC3339)))
	d.Context = &e.body.Range
}

// findGuarded reports policies that a guard overrules on every call they match,
// so that their action never shows.
func (c *compiler) findGuarded() {
	byOperation := map[string][]variant{}
	var wide []variant
	for _, g := range c.guards {
		if !g.static() || len(g.rule.Profiles) > 0 {
			continue
		}
		for _, v := range variantsOf(g) {
			if v.Operation.IsSet() && !v.Operation.IsGlob() {
				byOperation[v.Operation.String()] = append(byOperation[v.Operation.String()], v)
			} else {
				wide = append(wide, v)
			}
		}
	}
	if len(byOperation)+len(wide) == 0 {
		return
	}
	for _, e := range c.policies {
		if e.expired {
			continue
		}
		if g := overruled(e, byOperation, wide); g != nil {
			c.reportGuarded(e, g)
		}
	}
}

// overruled returns a guard that overrules the policy on every call it
// matches, or nil. Several guards may share the work; the last one is named.
func overruled(e *entry, byOperation map[string][]variant, wide []variant) *entry {
	var last *entry
	for _, v := range variantsOf(e) {
		left := v.states
		for _, guards := range [][]variant{byOperation[v.Operation.String()], wide} {
			for i := range guards {
				g := &guards[i]
				if g.entry.rule.Action < e.rule.Action && left&g.states != 0 &&
					g.Operation.Includes(&v.Operation) && g.Provider.Includes(&v.Provider) {
					left &^= g.states
					last = g.entry
				}
			}
		}
		if left != 0 {
			return nil
		}
	}
	return last
}

func (c *compiler) reportGuarded(e, guard *entry) {
	d := c.warn("guarded", e.body.Header, "Guard overrules this policy",
		fmt.Sprintf("Policy %q says %s, but guard %q says %s for every call it matches, and guards bind. "+
			"Remove the policy or narrow the guard.",
			e.body.Name.Value, e.rule.Action, guard.body.Name.Value, guard.rule.Action))
	d.Context = &e.body.Range
	d.Related = []plangate.Related{{Message: "this guard", Range: guard.body.Header}}
}
