package eval

import (
	"fmt"
	"slices"

	"github.com/plangate/plangate"
)

// New makes a table. The binder may be nil; every condition is then unknown.
// An error means that the source breaks a rule of its own types, which a
// source made by package compile never does. New keeps no reference to source.
func New(source Source, binder Binder) (*Table, error) { return build(canonical(source), binder) }

// build makes a table of a canonical source that nobody else writes to.
func build(source Source, binder Binder) (*Table, error) {
	t := &Table{
		source: source, binder: binder,
		profiles: map[string]*profile{}, mentioned: map[string]bool{},
	}
	for _, step := range []func() error{t.addRules, t.addDefaults, t.addProfiles, t.addRows} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (t *Table) addRules() error {
	if len(t.source.Rules) > MaxRules {
		return fmt.Errorf("eval: %d rules; at most %d are possible", len(t.source.Rules), MaxRules)
	}
	combinations := 0
	t.rules = make([]rule, len(t.source.Rules))
	for i := range t.rules {
		r := &t.rules[i]
		if err := r.init(&t.source.Rules[i], t.binder); err != nil {
			return err
		}
		if combinations += r.source.Match.Size(); combinations > MaxCombinations {
			return fmt.Errorf("eval: the lists of all rules have more than %d combinations", MaxCombinations)
		}
		t.profiled = t.profiled || len(r.source.Profiles) > 0
		r.source.mention(t.mentioned)
	}
	return nil
}

func (t *Table) addDefaults() error {
	defaults := &t.source.Defaults
	for i, d := range []*Default{&defaults.Resource, &defaults.DataSource, &defaults.Interactive} {
		if d.Action > plangate.Allow || d.Rule.Type != plangate.RuleDefault {
			return fmt.Errorf("eval: the default of %s is invalid", plangate.Kind(i+1))
		}
		by := newDecider(d.Rule, d.Action, fmt.Sprintf("No policy matches; the default of %s is %s.", plangate.Kind(i+1), d.Action))
		t.defaults[i] = verdict{by: &by, action: d.Action}
	}
	return nil
}

func (t *Table) addProfiles() error {
	var err error
	if t.escalation, err = escalationGrants(nil, t.binder); err != nil {
		return err
	}
	t.profiled = t.profiled || len(t.source.Profiles) > 0
	for i := range t.source.Profiles {
		source := &t.source.Profiles[i]
		if t.profiles[source.Name] != nil {
			return fmt.Errorf("eval: profile %q stands twice", source.Name)
		}
		if !source.Untrusted {
			t.mentioned[source.Name] = true
		}
		p := &profile{headless: source.Headless}
		for _, l := range source.DenyTools {
			p.deny = append(p.deny, *newList(&l, source.Name))
		}
		if source.AllowedTools != nil {
			p.allowed = newList(source.AllowedTools, source.Name)
		}
		for _, l := range source.Grants {
			grants, err := newGrants(&l, t.binder)
			if err != nil {
				return err
			}
			p.grants = append(p.grants, grants...)
		}
		if p.escalation, err = escalationGrants(source.EscalationGrants, t.binder); err != nil {
			return err
		}
		t.profiles[source.Name] = p
	}
	return nil
}

// newList makes a list that denies. What an allowlist allows is a verdict of its
// own action.
func newList(source *List, profile string) *list {
	l := &list{names: make(map[string]bool, len(source.Names)), untrusted: source.Untrusted}
	l.decider = newDecider(source.Rule, plangate.Deny, fmt.Sprintf("Decided by %s of agent_profile %q.", source.Rule.Name, profile))
	for _, name := range source.Names {
		l.names[name] = true
	}
	return l
}

func newGrants(source *List, binder Binder) ([]grant, error) {
	grants := make([]grant, 0, len(source.Names))
	for _, name := range source.Names {
		rule := Rule{Rule: source.Rule, Action: plangate.Allow}
		rule.Type, rule.Name = plangate.RuleGrant, name
		rule.Conditions = []ConditionSource{{Type: "grant", Values: []string{name}}}
		bound, err := bind(&rule, 0, binder)
		if err != nil {
			return nil, err
		}
		grants = append(grants, grant{decider: newDecider(rule.Rule, plangate.Allow, ""), condition: bound})
	}
	return grants, nil
}

// builder collects candidates by the names in their match.
type builder struct {
	table       *Table
	pairs       map[pair]*bucket
	operations  map[string]*bucket
	providers   map[string]*bucket
	globs, base bucket
	index       globIndex
	perName     map[string]*bucket // globs that match an operation, memoised
	outcomes    map[outcomeKey]*plangate.Outcome
}

func (t *Table) addRows() error {
	b := &builder{
		table: t, pairs: make(map[pair]*bucket, len(t.rules)), operations: map[string]*bucket{},
		providers: map[string]*bucket{}, perName: map[string]*bucket{},
		outcomes: map[outcomeKey]*plangate.Outcome{},
	}
	for i := range t.rules {
		r := &t.rules[i]
		candidates := r.candidates()
		if r.standing() {
			t.builtins = append(t.builtins, candidates...)
			continue
		}
		for i := range candidates {
			b.bucketOf(&candidates[i]).add(candidates[i : i+1 : i+1])
		}
	}
	b.sort()
	b.index = newGlobIndex(&b.globs)
	return b.rows()
}

func (b *builder) bucketOf(c *candidate) *bucket {
	switch operation, provider := c.Operation.level(), c.Provider.level(); {
	case operation == 0 && provider == 0:
		return entry(b.pairs, pair{c.Provider.text, c.Operation.text})
	case operation == 0:
		return entry(b.operations, c.Operation.text)
	case operation == 1:
		return &b.globs
	case provider == 0:
		return entry(b.providers, c.Provider.text)
	default:
		return &b.base
	}
}

func entry[K comparable](m map[K]*bucket, key K) *bucket {
	found := m[key]
	if found == nil {
		found = &bucket{}
		m[key] = found
	}
	return found
}

// add enters one candidate. A bucket that gets no other keeps its memory.
func (b *bucket) add(one []candidate) {
	list := &b.policies
	if one[0].guards() {
		list = &b.guards
	}
	if *list == nil {
		*list = one
	} else {
		*list = append(*list, one...)
	}
}

func (b *builder) sort() {
	sortAll(b.pairs)
	sortAll(b.operations)
	sortAll(b.providers)
	slices.SortFunc(b.globs.policies, byPrecedence)
	slices.SortFunc(b.base.policies, byPrecedence)
}

func sortAll[K comparable](m map[K]*bucket) {
	for _, found := range m {
		slices.SortFunc(found.policies, byPrecedence)
	}
}

// rows merges buckets into the rows of the table.
func (b *builder) rows() error {
	t := b.table
	t.base.stages = stages{stageGlobs: &b.globs, stageBase: &b.base}
	b.fill(&t.base, judge{anyOperation: true, anyProvider: true})

	var byOperation, byProvider []row
	for operation, found := range b.operations {
		r := row{key: pair{operation: operation}}
		r.stages = stages{stageOperation: found, stageGlobs: b.globsFor(operation), stageBase: &b.base}
		b.fill(&r, judge{operation: operation, anyProvider: true})
		byOperation = append(byOperation, r)
	}
	for provider, found := range b.providers {
		r := row{key: pair{provider: provider}}
		r.stages = stages{stageGlobs: &b.globs, stageProvider: found, stageBase: b.base.forProvider(provider)}
		b.fill(&r, judge{provider: provider, anyOperation: true})
		byProvider = append(byProvider, r)
	}
	byPair, err := b.pairRows()
	t.operations, t.providers, t.pairs = newIndex(byOperation), newIndex(byProvider), newIndex(byPair)
	return err
}

// pairRows makes the rows of all pairs that a rule or the catalog names.
func (b *builder) pairRows() ([]row, error) {
	t := b.table
	rows := make([]row, 0, len(b.pairs)+len(t.source.Operations))
	seen := make(map[pair]bool, len(t.source.Operations))
	for i, operation := range t.source.Operations {
		key := pair{operation.Provider, operation.Name}
		switch {
		case seen[key]:
			return nil, fmt.Errorf("eval: operation %q of %q stands twice", operation.Name, operation.Provider)
		case operation.Kind < plangate.Resource || operation.Kind > plangate.Interactive,
			operation.Risk < plangate.ReadOnly || operation.Risk > plangate.Critical:
			return nil, fmt.Errorf("eval: operation %q of %q has no kind or risk", operation.Name, operation.Provider)
		}
		seen[key] = true
		rows = append(rows, row{key: key, kind: operation.Kind, risk: operation.Risk, known: &t.source.Operations[i]})
	}
	for key := range b.pairs {
		if !seen[key] {
			rows = append(rows, row{key: key})
		}
	}
	for i := range rows {
		b.merge(&rows[i])
	}
	return rows, nil
}

// merge collects all that concerns a named pair and precomputes its cells.
func (b *builder) merge(r *row) {
	key := r.key
	r.stages = stages{
		stagePair:      b.pairs[key],
		stageOperation: b.operations[key.operation].forProvider(key.provider),
		stageGlobs:     b.globsFor(key.operation).forProvider(key.provider),
		stageProvider:  b.providers[key.provider],
		stageBase:      b.base.forProvider(key.provider),
	}
	b.fill(r, judge{operation: key.operation, provider: key.provider})
}

// forProvider leaves out what cannot match a provider. It returns b itself if
// nothing is left out, which is the usual case.
func (b *bucket) forProvider(provider string) *bucket {
	if b == nil {
		return nil
	}
	other := func(c candidate) bool { return !c.Provider.Matches(provider) }
	if !slices.ContainsFunc(b.policies, other) && !slices.ContainsFunc(b.guards, other) {
		return b
	}
	return &bucket{
		policies: slices.DeleteFunc(slices.Clone(b.policies), other),
		guards:   slices.DeleteFunc(slices.Clone(b.guards), other),
	}
}

// globsFor returns the glob candidates that match an operation.
func (b *builder) globsFor(operation string) *bucket {
	if len(b.globs.policies)+len(b.globs.guards) == 0 {
		return nil
	}
	found, ok := b.perName[operation]
	if !ok {
		found = b.index.find(operation)
		b.perName[operation] = found
	}
	return found
}

// fill precomputes the cells of a row with a judge that has no call. The cell
// stays nil if that is not enough.
func (b *builder) fill(r *row, j judge) {
	j.table, j.stages = b.table, &r.stages
	for i := range r.cells {
		j.kind, j.risk = cellKey(i)
		j.dynamic = false
		if j.kind != plangate.Resource && j.risk == plangate.RiskUnspecified {
			j.risk = plangate.ReadOnly
		}
		if v := j.decide(); !j.dynamic {
			r.cells[i] = b.outcome(outcomeKey{v, endingOf(j.kind)})
		}
	}
}

// outcomeKey identifies a finished outcome.
type outcomeKey struct {
	verdict
	ending ending
}

// outcome makes every outcome once.
func (b *builder) outcome(key outcomeKey) *plangate.Outcome {
	if prepared := key.preparedOutcome(key.ending); prepared != nil {
		return prepared
	}
	made := b.outcomes[key]
	if made == nil {
		outcome := key.finish(key.ending)
		made = &outcome
		b.outcomes[key] = made
	}
	return made
}
