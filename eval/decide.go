package eval

import (
	"strings"

	"github.com/plangate/plangate"
)

// Decide returns the decision on a call (spec decision.md). It cannot fail and
// allocates nothing unless a condition is involved.
func (t *Table) Decide(call plangate.Call) plangate.Decision {
	if cell := t.lookup(&call); cell != nil {
		return plangate.NewDecision(call.ID, cell)
	}
	return t.decideSlow(call)
}

// lookup returns the cell that settles a call by its names, kind and risk
// alone, or nil.
func (t *Table) lookup(call *plangate.Call) *plangate.Outcome {
	if call.Profile != "" && t.profiled {
		return nil
	}
	r := t.settledRow(call.Provider, call.Operation)
	if r == nil {
		return nil
	}
	kind, risk := call.Kind, call.Risk
	if r.kind != plangate.KindUnspecified {
		if kind == plangate.KindUnspecified {
			kind = r.kind
		}
		if risk == plangate.RiskUnspecified {
			risk = r.risk
		}
		if kind != r.kind || risk != r.risk {
			return nil
		}
	}
	if kind == plangate.KindUnspecified || kind > plangate.Interactive || risk > plangate.Critical {
		return nil
	}
	cell := r.cells[cellIndex(kind, risk)]
	if cell != nil && len(call.Input)+len(call.Session) > 0 && t.needsArguments(call, r, kind, cell.Action) {
		return nil
	}
	return cell
}

// needsArguments reports whether a built-in guard or an escalation session may
// change what a cell says.
func (t *Table) needsArguments(call *plangate.Call, r *row, kind plangate.Kind, action plangate.Action) bool {
	if mayEscalate(call.Session) {
		return true
	}
	harmless := r.known != nil && r.known.Roles.none()
	return len(t.builtins) > 0 && len(call.Input) > 0 && kind == plangate.Resource &&
		action != plangate.Deny && !harmless
}

// settledRow returns the one row that a call meets, or nil if it meets several.
func (t *Table) settledRow(provider, operation string) *row {
	if r := t.pairs.find(pair{provider, operation}); r != nil {
		return r
	}
	if provider == "" && strings.HasPrefix(operation, mcpPrefix) {
		return nil
	}
	byOperation, byProvider := t.operations.find(pair{operation: operation}), t.providers.find(pair{provider: provider})
	switch {
	case byProvider == nil && byOperation == nil:
		return &t.base
	case byProvider == nil:
		return byOperation
	case byOperation == nil:
		return byProvider
	default:
		return nil
	}
}

// collect fills in the buckets that concern a call, and returns what the
// catalog knows of it.
func (t *Table) collect(provider, operation string, s *stages) *Operation {
	if r := t.pairs.find(pair{provider, operation}); r != nil {
		*s = r.stages
		return r.known
	}
	*s = t.base.stages
	if r := t.operations.find(pair{operation: operation}); r != nil {
		s[stageOperation], s[stageGlobs] = r.stages[stageOperation], r.stages[stageGlobs]
	}
	if r := t.providers.find(pair{provider: provider}); r != nil {
		s[stageProvider] = r.stages[stageProvider]
	}
	return nil
}

// reading is a kind and risk under which a call is judged (spec DEC-3 to DEC-5).
type reading struct {
	kind   plangate.Kind // never unspecified
	risk   plangate.Risk // unspecified if unknown
	source Origin
}

// inquiry is a call prepared for judging.
type inquiry struct {
	call      *plangate.Call
	provider  string // after DEC-6
	operation string
	stages    *stages
	evidence  *evidence
	profile   *profile
	grants    *heldGrants
	readings  [2]reading
	count     int        // of readings
	unknown   unknownSet // whatever rule decides
	ambiguous bool       // spec DEC-6
	stranger  bool       // spec PRF-3: the profile is not known
}

// scratch is the memory that judging a call needs. It is kept apart from the
// inquiry so that nothing of it moves to the heap.
type scratch struct {
	stages   stages
	evidence evidence
	grants   heldGrants
}

// prepare does everything about a call that is the same for all its parts. It
// splits the call's name, so the call must be the caller's own copy.
func (t *Table) prepare(call *plangate.Call, s *scratch) inquiry {
	q := inquiry{call: call, stages: &s.stages, evidence: &s.evidence, grants: &s.grants}
	provider, operation, ambiguous := splitName(call.Provider, call.Operation)
	call.Provider, call.Operation = provider, operation
	q.provider, q.operation, q.ambiguous = provider, operation, ambiguous
	known := t.collect(provider, operation, &s.stages)
	s.evidence.known = known
	if known != nil {
		q.setReadings(known.Kind, known.Risk)
	} else {
		q.setReadings(plangate.KindUnspecified, plangate.RiskUnspecified)
	}
	profile := t.profiles[call.Profile]
	q.profile, s.grants = profile, t.held(profile, call.Session)
	if call.Profile != "" && len(t.profiles) > 0 && !t.mentioned[call.Profile] {
		q.stranger = true
		q.unknown |= unknownProfile
	}
	return q
}

// setReadings fills in what the call leaves out from the catalog, and makes a
// second reading if the two contradict each other.
func (q *inquiry) setReadings(catalogKind plangate.Kind, catalogRisk plangate.Risk) {
	kind, risk, source := q.call.Kind, q.call.Risk, SourceCall
	if kind > plangate.Interactive {
		kind = plangate.KindUnspecified
	}
	if risk > plangate.Critical {
		risk = plangate.RiskUnspecified
	}
	if catalogKind != plangate.KindUnspecified {
		if kind == plangate.KindUnspecified {
			kind, source = catalogKind, SourceCatalog
		}
		if risk == plangate.RiskUnspecified {
			risk = catalogRisk
		}
		if kind != catalogKind {
			q.unknown |= unknownKindMismatch
		}
		if risk != catalogRisk {
			q.unknown |= unknownRiskMismatch
		}
		if kind != catalogKind || risk != catalogRisk {
			q.add(catalogKind, catalogRisk, SourceCatalog)
		}
	}
	if kind == plangate.KindUnspecified {
		q.unknown |= unknownKind
	}
	q.add(kind, risk, source)
}

func (q *inquiry) add(kind plangate.Kind, risk plangate.Risk, source Origin) {
	if kind == plangate.KindUnspecified {
		kind = plangate.Resource
	}
	if kind != plangate.Resource && risk == plangate.RiskUnspecified {
		risk = plangate.ReadOnly
	}
	q.readings[q.count] = reading{kind, risk, source}
	q.count++
}

func (t *Table) judge(q *inquiry, r reading) judge {
	return judge{
		table: t, call: q.call, operation: q.operation, provider: q.provider,
		kind: r.kind, risk: r.risk, stages: q.stages, evidence: q.evidence,
		profile: q.profile, grants: q.grants, profileName: q.call.Profile, stranger: q.stranger, ambiguous: q.ambiguous,
	}
}

// decideSlow judges every reading and item; the strictest decides (spec DEC-5, DEC-11).
func (t *Table) decideSlow(call plangate.Call) plangate.Decision {
	var memory scratch
	q := t.prepare(&call, &memory)
	var strictest plangate.Decision
	for i, r := range q.readings[:q.count] {
		j := t.judge(&q, r)
		for {
			d := conclude(&q, &j, j.decide())
			if i == 0 && j.item == 0 || d.StricterThan(strictest) {
				strictest = d
			}
			if !j.next() {
				break
			}
		}
	}
	return strictest
}

// next moves on to the next item, if conditions have shown that there is one.
func (j *judge) next() bool {
	if j.evidence.readings == nil || j.item+1 >= j.evidence.readings.Items() {
		return false
	}
	j.item++
	return true
}

// conclude turns a verdict into the decision on a call (spec DEC-9, DEC-14).
func conclude(q *inquiry, j *judge, v verdict) plangate.Decision {
	v.unknown |= q.unknown
	return plangate.NewDecision(q.call.ID, v.outcome(j.ending()))
}

// ending is how a call ends that has to be asked about.
type ending uint8

const (
	canAsk ending = iota
	noApplyStep
	headless
	kindless // canAsk, and the kind is unknown
	endingCount
)

// endingOf returns how calls of a kind end without a headless profile.
func endingOf(kind plangate.Kind) ending {
	if kind != plangate.Resource {
		return noApplyStep
	}
	return canAsk
}

func (j *judge) ending() ending {
	e := endingOf(j.kind)
	if e == canAsk && j.profile != nil && j.profile.headless {
		return headless
	}
	return e
}

// The deciders that no file can hold.
var (
	ambiguousName = newDecider(
		plangate.Rule{Type: plangate.RuleBuiltin, Name: "ambiguous_name"},
		plangate.Ask,
		"The name mcp__SERVER__TOOL can be split in more than one way; give provider and operation separately.")
	unknownProfileName = newDecider(
		plangate.Rule{Type: plangate.RuleBuiltin, Name: "unknown_profile"},
		plangate.Ask,
		"No agent_profile block declares the profile that the call names.")
)

// outcome returns the finished form of a verdict. It allocates only if it is
// not one that the decider has prepared.
func (v verdict) outcome(e ending) *plangate.Outcome {
	if prepared := v.preparedOutcome(e); prepared != nil {
		return prepared
	}
	made := v.finish(e)
	return &made
}

func (v verdict) preparedOutcome(e ending) *plangate.Outcome {
	switch {
	case v.action != v.by.action:
		return nil
	case v.unknown == 0:
		return v.by.prepared[e]
	case v.unknown == unknownKind && e == canAsk:
		return v.by.prepared[kindless]
	default:
		return nil
	}
}

// finish applies the downgrade of spec DEC-9.
func (v verdict) finish(e ending) plangate.Outcome {
	out := plangate.Outcome{
		Action: v.action, MatchedAction: v.action, DecidedBy: v.by.decidedBy,
		Reason: v.by.reason, Rule: v.by.Rule, Unknown: v.unknown.names(),
	}
	if v.action != plangate.Ask && v.action != plangate.Hook {
		return out
	}
	switch e {
	case noApplyStep:
		out.Action, out.Downgrade = plangate.Deny, plangate.DowngradeNoApplyStep
	case headless:
		out.Action, out.Downgrade = plangate.Deny, plangate.DowngradeHeadless
	default:
		out.Action = plangate.Ask
	}
	return out
}

const (
	mcpPrefix    = "mcp__"
	mcpSeparator = "__"
)

// splitName gives an operation spelled mcp__SERVER__TOOL its provider (spec DEC-6).
// The name is ambiguous if it can be split in several ways; it then stays whole.
func splitName(provider, operation string) (string, string, bool) {
	rest, ok := strings.CutPrefix(operation, mcpPrefix)
	if provider != "" || !ok {
		return provider, operation, false
	}
	at, ways := 0, 0
	for i := 1; i+len(mcpSeparator) < len(rest); i++ {
		if strings.HasPrefix(rest[i:], mcpSeparator) {
			at, ways = i, ways+1
		}
	}
	if ways != 1 {
		return provider, operation, ways > 1
	}
	return rest[:at], rest[at+len(mcpSeparator):], false
}
