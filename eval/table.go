package eval

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/plangate/plangate"
)

// Table is a compiled policy. It is immutable and safe for any number of
// goroutines. The zero Table is not usable; make one with [New] or [Load].
type Table struct {
	source Source // sorted, see canonical

	rules     []rule // in the order of source.Rules
	defaults  [kindCount]verdict
	profiles  map[string]*profile
	mentioned map[string]bool // profiles that are known (spec PRF-3)
	profiled  bool            // any block names a profile

	pairs      index // by both names, fully merged
	operations index // by operation; the provider of the key is empty
	providers  index // by provider; the operation of the key is empty
	base       row   // its stages are the globs and all else
	// builtins are built-in guards with conditions. They are no part of rows: they
	// concern every resource call that has an input.
	builtins   []candidate
	escalation []grant // held in an escalation session without a profile

	binder Binder
	loaded *[sha256.Size]byte // the fingerprint that the encoding told
}

// pair names an operation of a provider.
type pair struct{ provider, operation string }

// bucket holds the candidates of one sort of match: policies by precedence,
// guards in any order.
type bucket struct {
	policies, guards []candidate
}

// stages are the buckets that concern a call, in order of specificity: the
// exact pair, the operation, operation globs, the provider, all else.
// It may be nil, as if it were empty.
type stages [5]*bucket

// The places in stages.
const (
	stagePair = iota
	stageOperation
	stageGlobs
	stageProvider
	stageBase
)

// row is what the table knows about calls of some name. A cell is the finished
// outcome, or nil if the decision needs more than kind and risk.
//
// The rows of pairs are merged from all policies. The other rows hold cells
// that are right only for a call that meets no other row.
type row struct {
	key    pair
	cells  [kindCount * (riskCount + 1)]*plangate.Outcome
	kind   plangate.Kind // of the catalog, or unspecified
	risk   plangate.Risk
	known  *Operation // nil if the catalog does not know the pair
	stages stages
}

// profile is a [Profile] ready to be judged.
type profile struct {
	headless bool
	deny     []list // outer layer first
	allowed  *list  // nil if unset
	grants   []grant
	// escalation are held beside grants in an escalation session.
	escalation []grant
}

type list struct {
	decider
	names     map[string]bool
	untrusted bool
}

type grant struct {
	decider
	condition boundCondition
}

// denies reports whether a deny list names the call's operation, in either of
// the two spellings (spec PRF-2).
func (l *list) denies(provider, operation string) bool {
	return l.names[operation] || l.namesTool(provider, operation)
}

// allows reports whether an allowlist names the call's operation. An entry for
// one server does not list another server's operation of that very name.
func (l *list) allows(provider, operation string) bool {
	if l.names[operation] && (provider == "" || !strings.HasPrefix(operation, mcpPrefix)) {
		return true
	}
	return provider != "" && l.namesTool(provider, operation)
}

func (l *list) namesTool(provider, operation string) bool {
	for name := range l.names {
		if isToolName(name, provider, operation) {
			return true
		}
	}
	return false
}

// isToolName reports whether name is mcp__PROVIDER__OPERATION, without building it.
func isToolName(name, provider, operation string) bool {
	rest, ok := strings.CutPrefix(name, mcpPrefix)
	if !ok || len(rest) != len(provider)+len(mcpSeparator)+len(operation) {
		return false
	}
	return rest[:len(provider)] == provider &&
		rest[len(provider):len(provider)+len(mcpSeparator)] == mcpSeparator &&
		rest[len(provider)+len(mcpSeparator):] == operation
}

// Fingerprint returns a digest of what the table decides, as sha256:HEX. The
// place and order of blocks in files do not change it. It is computed anew each
// time, unless the table comes from [Load], which believes what the encoding says.
func (t *Table) Fingerprint() string {
	digest := t.digest()
	return "sha256:" + hex.EncodeToString(digest[:])
}

// digest is the fingerprint, taken from the encoding if the table comes from one.
func (t *Table) digest() [sha256.Size]byte {
	if t.loaded != nil {
		return *t.loaded
	}
	return fingerprint(&t.source)
}

// Rules yields the rules sorted by type, layer, name and place. They share
// memory with the table and must not be changed.
func (t *Table) Rules() iter.Seq[Rule] { return slices.Values(t.source.Rules) }

// Layers yields the places where policy was looked for.
func (t *Table) Layers() iter.Seq[Layer] { return slices.Values(t.source.Layers) }

// Profiles returns the sorted names of all profiles that the policy mentions.
func (t *Table) Profiles() []string {
	return slices.Sorted(maps.Keys(t.mentioned))
}

// Cell is one entry of the table's view: what a call of these names, kind and
// risk gets without a profile, if that can be told from them alone.
type Cell struct {
	Provider, Operation string
	Kind                plangate.Kind
	Risk                plangate.Risk // unspecified: the column for an unknown risk
	// Outcome is nil if it depends on more: a condition, a profile, the time.
	Outcome *plangate.Outcome
}

// Cells yields the cells of every named (provider, operation) pair, sorted by
// provider, operation, kind and risk.
func (t *Table) Cells() iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for _, r := range t.sortedPairs() {
			for i, cell := range r.cells {
				c := Cell{Provider: r.key.provider, Operation: r.key.operation}
				c.Kind, c.Risk = cellKey(i)
				if cell != nil {
					outcome := *cell
					c.Outcome = &outcome
				}
				if !yield(c) {
					return
				}
			}
		}
	}
}

func (t *Table) sortedPairs() []*row {
	rows := make([]*row, len(t.pairs.rows))
	for i := range rows {
		rows[i] = &t.pairs.rows[i]
	}
	slices.SortFunc(rows, func(a, b *row) int {
		return cmp.Or(cmp.Compare(a.key.provider, b.key.provider), cmp.Compare(a.key.operation, b.key.operation))
	})
	return rows
}

func cellIndex(kind plangate.Kind, risk plangate.Risk) int {
	return int(kind-plangate.Resource)*(riskCount+1) + int(risk)
}

func cellKey(i int) (plangate.Kind, plangate.Risk) {
	return plangate.Kind(i/(riskCount+1)) + plangate.Resource, plangate.Risk(i % (riskCount + 1))
}

// DenyAll returns a table that denies every call, because of something that is
// wrong with the policy. The rule says where; its type and name are set to
// builtin:policy_error (spec LAY-3).
func DenyAll(reason string, at plangate.Rule, layers []Layer) *Table {
	at.Type, at.Name = plangate.RuleBuiltin, "policy_error"
	table, err := New(Source{
		Rules:    []Rule{{Rule: at, Action: plangate.Deny, Reason: reason}},
		Defaults: BuiltinDefaults(),
		Layers:   layers,
	}, nil)
	if err != nil {
		panic(err) // the source above is valid whatever the arguments are
	}
	return table
}

// BuiltinDefaults returns the defaults that hold without a defaults block
// (spec SEL-4): ask for a resource, allow otherwise.
func BuiltinDefaults() Defaults {
	of := func(kind plangate.Kind, action plangate.Action) Default {
		return Default{Action: action, Rule: plangate.Rule{Type: plangate.RuleDefault, Name: kind.String()}}
	}
	return Defaults{
		Resource:    of(plangate.Resource, plangate.Ask),
		DataSource:  of(plangate.DataSource, plangate.Allow),
		Interactive: of(plangate.Interactive, plangate.Allow),
	}
}
