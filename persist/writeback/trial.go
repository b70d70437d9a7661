package writeback

import (
	"bytes"
	"strconv"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
)

// trial makes a change in memory and looks at what it does.
type trial struct {
	policy *policy
	req    *Request
	call   plangate.Call
	trace  *eval.Trace
	block  *compile.Block
}

func (t *trial) run() (*planned, error) {
	p := t.policy
	file := p.input.Layers[p.index].File
	existing, edit := t.place(file)
	if existing != nil && existing.Action.Value == t.req.Action {
		return t.already(existing)
	}
	if existing != nil && (existing.Action.Value == plangate.Deny || existing.Action.Value == plangate.Hook) {
		return nil, ErrWouldLoosen.because("policy %q (%s:%d) says %s for just these calls; remove it by hand if that is no longer meant",
			existing.Name.Value, p.name, existing.Header.Start.Line, existing.Action.Value)
	}
	if err := t.checkDenies(); err != nil {
		return nil, err
	}
	content := edit.apply(p.old)
	if len(content) > dsl.MaxBytes {
		return nil, ErrNoStore.because("%s would become larger than any policy file that is read", p.name)
	}
	table, changed, findings := p.with(content)
	if findings.HasErrors() {
		return nil, t.rejected(findings)
	}
	written := policyNamed(changed, t.block.Name)
	if written == nil || !same(written, t.block) || written.Action.Value != t.req.Action ||
		len(changed.Policies)-len(file.Policies) != t.added(existing) {
		return nil, ErrTooBroad.because("a name of the call cannot be written so that it is read again as it is")
	}
	after := table.Decide(t.call)
	if after.Action() != t.req.Action || after.MatchedAction() != t.req.Action {
		return nil, t.ineffective(after)
	}
	d := difference{in: p.input, before: p.table, after: table, block: t.block}
	cells := d.changed()
	if err := t.checkCells(cells); err != nil {
		return nil, err
	}
	change := t.change()
	change.Line, change.Policy = written.Header.Start.Line, written.Name.Value
	change.Cells, change.After, change.Created = cells, after, p.info == nil
	change.NewDigest, change.Diff = digestOf(content), unified(p.name, p.old, content)
	return t.planned(change, &edit, content), nil
}

func (t *trial) added(existing *dsl.Policy) int {
	if existing != nil {
		return 0
	}
	return 1
}

// place says where the change is made: in a policy for the same calls if there
// is one, else at the end.
func (t *trial) place(file *dsl.File) (existing *dsl.Policy, change edit) {
	for _, policy := range file.Policies {
		if same(policy, t.block) {
			t.block.Name = policy.Name.Value
			return policy, replaced(policy, t.policy.old, t.req.Action)
		}
	}
	t.block.Name = label(t.policy.input.Layers, t.trace.Call.Operation)
	return nil, appended(t.policy.old, comment(t.req), t.block.HCL())
}

func policyNamed(file *dsl.File, name string) *dsl.Policy {
	for _, policy := range file.Policies {
		if policy.Name.Value == name {
			return policy
		}
	}
	return nil
}

// already is the answer if the file says so already.
func (t *trial) already(existing *dsl.Policy) (*planned, error) {
	decision := t.trace.Decision
	if decision.MatchedAction() != t.req.Action {
		return nil, t.ineffective(decision)
	}
	change := t.change()
	change.Line, change.Policy, change.AlreadyThere = existing.Header.Start.Line, existing.Name.Value, true
	change.After, change.NewDigest = decision, change.Digest
	change.Cells = plangate.List[CellChange]{}
	return &planned{change: change}, nil
}

// checkDenies refuses an allow against a deny, in any layer.
func (t *trial) checkDenies() error {
	if t.req.Action != plangate.Allow {
		return nil
	}
	for _, part := range t.trace.Parts {
		d := part.Decision
		if d.MatchedAction() == plangate.Deny || d.MatchedAction() == plangate.Hook {
			return ErrWouldLoosen.because("%s says %s%s, and an allow does not lift that", d.DecidedBy(), d.MatchedAction(), at(d.Rule()))
		}
		for _, guard := range part.Guards {
			if guard.Outcome == eval.Won || guard.Outcome == eval.Tightened {
				return ErrWouldLoosen.because("%s says %s%s, and nothing lifts a guard", guard.Rule.DecidedBy(), guard.Action, at(guard.Rule))
			}
		}
	}
	if rule := lifts(t.policy, t.block, t.call, t.call.Time); rule != nil {
		return ErrWouldLoosen.because("for some calls of the same kind %s says %s%s, and the allow would lift that",
			rule.DecidedBy(), rule.Action, at(rule.Rule))
	}
	return nil
}

// rejected is the error for a change that does not compile.
func (t *trial) rejected(findings plangate.Diagnostics) error {
	for _, d := range errorsOf(findings) {
		if d.Code == "conflict" {
			return ErrTooBroad.found("a policy for more than these calls is in the way, and changing it would change those too; "+
				"edit it by hand", plangate.Diagnostics{d})
		}
	}
	return ErrInvalid.found("with the change the policy would not load, so nothing is written", findings)
}

// ineffective is the error if the call would not get the answer.
func (t *trial) ineffective(after plangate.Decision) error {
	layer := t.policy.input.Layers[t.policy.index]
	by, place := after.DecidedBy(), at(after.Rule())
	switch rule := after.Rule(); {
	case t.req.Action == plangate.Allow && !layer.Trusted:
		return ErrNoStore.because("%s is not trusted, so nothing in it can allow; read it and run policyctl trust, or name another file",
			t.policy.name)
	case rule.Type == plangate.RuleGuard || rule.Type == plangate.RuleBuiltin && by != "builtin:unknown_profile":
		return ErrWouldLoosen.because("%s says %s%s, and no policy lifts that", by, after.MatchedAction(), place)
	case rule.Type == plangate.RulePolicy || rule.Type == plangate.RuleList || rule.Type == plangate.RuleGrant || by == "builtin:unknown_profile":
		return ErrOutranked.because("%s says %s%s and comes first, so the policy would have no effect", by, after.MatchedAction(), place)
	default:
		return ErrTooBroad.because("what the call does is not certain enough for a policy that is as narrow as it")
	}
}

// at is the place of a rule in parentheses, or nothing.
func at(rule plangate.Rule) string {
	if rule.File == "" {
		return ""
	}
	r := plangate.Range{File: rule.File, Start: plangate.Pos{Line: rule.Line}}
	return " (" + r.File + ":" + strconv.Itoa(rule.Line) + ")"
}

// checkCells refuses a change of cells that was not meant.
func (t *trial) checkCells(cells []CellChange) error {
	for i := range cells {
		c := &cells[i]
		if !intended(t.block, c) {
			return ErrTooBroad.because("it would also change what %s %s (%s) gets", c.Provider, c.Operation, c.Kind)
		}
		if t.req.Action == plangate.Allow && c.Before.MatchedAction == plangate.Deny && c.After.MatchedAction != plangate.Deny {
			return ErrWouldLoosen.because("%s denies some calls that it would allow", c.Before.DecidedBy)
		}
	}
	return nil
}

// change begins the description.
func (t *trial) change() *Change {
	p := t.policy
	return &Change{
		Action: t.req.Action, File: p.name, Target: p.real, Layer: p.input.Layers[p.index].Layer,
		Before: t.trace.Decision, Digest: p.digest(),
	}
}

// planned completes the description and says how to make the change.
func (t *trial) planned(change *Change, e *edit, content []byte) *planned {
	p := t.policy
	if len(e.removed) == 0 {
		change.Block = string(bytes.TrimLeft(e.inserted, "\r\n"))
	}
	made := entry{
		File: p.real, Policy: change.Policy, Action: t.req.Action.String(), Before: change.Digest, After: change.NewDigest,
		Offset: e.offset, Removed: e.removed, Inserted: e.inserted, Trusted: p.trustedPaths(),
	}
	change.Trusted = len(made.Trusted) > 0
	return &planned{change: change, commit: commit{
		policy: p, content: content, entry: made,
		journal: func(entries []entry) []entry { return append(entries, made) },
	}}
}

// unified is the difference of two contents.
func unified(name string, old, content []byte) string {
	return string(diff.Diff(name, old, name, content))
}
