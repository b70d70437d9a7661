package reference_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/internal/reference"
)

// sides are all the ways in which a call of one policy set is decided.
type sides struct {
	policy   reference.Policy
	table    *eval.Table
	reloaded *eval.Table // from the encoding
	encoding []byte
	shuffled *eval.Table // blocks and layers in another order
	guarded  *eval.Table // with one more guard
	trusting *eval.Table // without the layers that are not trusted
}

func build(s *policySet) (*sides, error) {
	p, err := parse(s)
	if err != nil {
		return nil, err
	}
	out := &sides{policy: p.policy}
	out.table, _ = compile.Compile(p.input)
	out.encoding = out.table.Encode()
	if out.reloaded, err = eval.Load(out.encoding, fakeBinder{}); err != nil {
		return nil, fmt.Errorf("the encoding cannot be loaded: %w", err)
	}
	if out.shuffled, err = compileSet(shuffle(s)); err != nil {
		return nil, err
	}
	if a, b := out.table.Fingerprint(), out.shuffled.Fingerprint(); a != b && p.policy.Refused == nil {
		return nil, fmt.Errorf("another order of blocks has another fingerprint: %s, %s", a, b)
	}
	if out.guarded, err = compileSet(addGuard(s)); err != nil {
		return nil, err
	}
	if out.table.Fingerprint() == out.guarded.Fingerprint() && p.policy.Refused == nil {
		return nil, errors.New("one more guard leaves the fingerprint as it is")
	}
	out.trusting, err = compileSet(onlyTrusted(s))
	return out, err
}

func compileSet(s *policySet) (*eval.Table, error) {
	p, err := parse(s)
	if err != nil {
		return nil, err
	}
	table, _ := compile.Compile(p.input)
	return table, nil
}

// shuffle turns the order of files and blocks around, so that every two of them
// change places.
func shuffle(s *policySet) *policySet {
	s = s.clone()
	slices.Reverse(s.layers)
	for _, l := range s.layers {
		slices.Reverse(l.blocks)
	}
	return s
}

func addGuard(s *policySet) *policySet {
	s = s.clone()
	s.layers[0].blocks = append(s.layers[0].blocks, s.extra)
	return s
}

func onlyTrusted(s *policySet) *policySet {
	s = s.clone()
	s.layers = slices.DeleteFunc(s.layers, func(l layerText) bool { return !l.trusted })
	return s
}

// compare decides a call in every way and returns the first disagreement.
func (s *sides) compare(call plangate.Call, seen *tally) error {
	want := reference.Decide(s.policy, call)
	got := s.table.Decide(call)
	seen.count(got)
	if err := sameDecision("the reference and the table", alike(want, got), got); err != nil {
		return err
	}
	if err := sameDecision("Decide and Explain", got, s.table.Explain(call).Decision); err != nil {
		return err
	}
	if err := sameDecision("the table and its encoding", got, s.reloaded.Decide(call)); err != nil {
		return err
	}
	excerpt, err := eval.LoadExcerpt(s.encoding, fakeBinder{}, []plangate.Call{call})
	if err != nil {
		return fmt.Errorf("the encoding cannot be loaded in part: %w", err)
	}
	if err := sameDecision("the table and its excerpt", got, excerpt.Decide(call)); err != nil {
		return err
	}
	shuffled := s.shuffled.Decide(call)
	if err := sameDecision("two orders of blocks", withoutPlace(got), withoutPlace(shuffled)); err != nil {
		return err
	}
	if guarded := s.guarded.Decide(call); looser(guarded, got) {
		return fmt.Errorf("one more guard loosens the decision:\n%s", gocmp.Diff(got.Outcome(), guarded.Outcome()))
	}
	if trusting := s.trusting.Decide(call); looser(got, trusting) {
		return fmt.Errorf("an untrusted layer loosens the decision:\n%s", gocmp.Diff(trusting.Outcome(), got.Outcome()))
	}
	return nil
}

// alike takes over the wording of got where the specification leaves it
// open: the reason of a block that has none.
func alike(want, got plangate.Decision) plangate.Decision {
	o := want.Outcome()
	if strings.HasPrefix(o.Reason, "decided by ") && got.Reason() != "" {
		o.Reason = got.Reason()
	}
	if o.Rule.Name == "policy_error" {
		o.Rule = got.Rule()
	}
	return plangate.NewDecision(want.CallID(), &o)
}

// withoutPlace leaves out what another order of blocks may change: the place,
// and which of several equal rules is named.
func withoutPlace(d plangate.Decision) plangate.Decision {
	o := d.Outcome()
	o.Rule.File, o.Rule.Line, o.Rule.Name, o.DecidedBy, o.Reason, o.Unknown = "", 0, "", "", "", nil
	return plangate.NewDecision(d.CallID(), &o)
}

// looser compares what the decisions come to.
func looser(a, b plangate.Decision) bool {
	return a.Action() > b.Action() ||
		a.Action() == b.Action() && a.Action() == plangate.Ask && a.MatchedAction() > b.MatchedAction()
}

func sameDecision(what string, a, b plangate.Decision) error {
	if a.Equal(b) {
		return nil
	}
	return fmt.Errorf("%s disagree (%s, %s):\n%s", what, a.CallID(), b.CallID(), gocmp.Diff(a.Outcome(), b.Outcome()))
}

// tally counts what was decided, to see that a run covers everything.
type tally struct {
	decisions            int
	actions              [4]int
	deciders, downgrades map[string]int
}

func (c *tally) count(d plangate.Decision) {
	if c.deciders == nil {
		c.deciders, c.downgrades = map[string]int{}, map[string]int{}
	}
	c.decisions++
	c.actions[d.Action()]++
	c.downgrades[d.Downgrade().String()]++
	for _, name := range d.Unknown() {
		c.deciders["unknown "+name]++
	}
	decider, _, _ := strings.Cut(d.DecidedBy(), ":")
	if d.Rule().Type == plangate.RuleBuiltin {
		decider = d.DecidedBy()
	}
	c.deciders[decider]++
}

// String lists the counts.
func (c *tally) String() string {
	return fmt.Sprintf("%d decisions: actions %v, downgrades %v, %v", c.decisions, c.actions, c.downgrades, c.deciders)
}
