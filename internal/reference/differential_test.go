package reference_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/internal/reference"
)

var (
	pairs = flag.Int("pairs", 100_000, "pairs of a policy set and a call to compare")
	seed  = flag.Uint64("seed", 0, "seed of the first policy set; 0 picks one")
)

// callsPerSet keeps the time for parsing and compiling small against deciding.
const callsPerSet = 500

// TestDifferential compares the table with the reference on random policy
// sets. A failure prints a seed; -seed repeats it with the first set.
func TestDifferential(t *testing.T) {
	first := *seed
	if first == 0 {
		first = rand.Uint64()
	}
	t.Logf("-seed %d -pairs %d", first, *pairs)
	var seen tally
	for done, i := 0, uint64(0); done < *pairs; done, i = done+callsPerSet, i+1 {
		if err := compareSet(first+i, &seen); err != nil {
			t.Fatalf("-seed %d: %v", first+i, err)
		}
	}
	t.Log(&seen)
}

// compareSet makes one set and its calls, and returns the first difference,
// made as small as it gets.
func compareSet(seed uint64, seen *tally) error {
	g := newGenerator(seed)
	set := g.set()
	if err := compareErrors(set); err != nil {
		return fmt.Errorf("%w\n%s", shrinkSet(set, err, compareErrors), set)
	}
	dropConflicts(set)
	sides, err := build(set)
	if err != nil {
		fails := func(s *policySet) error { _, err := build(s); return err }
		return fmt.Errorf("%w\n%s", shrinkSet(set, err, fails), set)
	}
	for range callsPerSet {
		call := g.call()
		if err := sides.compare(call, seen); err != nil {
			return shrink(set, call, err)
		}
	}
	return nil
}

// errNotParsed marks a set that a parser refuses. The generator makes none, but
// taking pieces away does.
var errNotParsed = errors.New("cannot be parsed")

// parsed is a set after the parser.
type parsed struct {
	input  compile.Input
	policy reference.Policy
}

func parse(s *policySet) (parsed, error) {
	var p parsed
	known, diags := catalog.Parse("catalog.json", s.renderCatalog())
	if err := diags.Err(); err != nil {
		return p, fmt.Errorf("%w: %w", errNotParsed, err)
	}
	for i := range s.layers {
		l := &s.layers[i]
		file, diags := dsl.Parse(l.file, l.render())
		if err := diags.Err(); err != nil {
			return p, fmt.Errorf("%w: %w", errNotParsed, err)
		}
		p.input.Layers = append(p.input.Layers, compile.LayerFile{Layer: l.layer, File: file, Trusted: l.trusted})
		p.policy.Layers = append(p.policy.Layers, reference.Layer{Layer: l.layer, File: file, Trusted: l.trusted})
	}
	p.input.Catalog, p.policy.Catalog = known, known
	p.input.Now, p.policy.Now = callTime, callTime
	p.input.Binder, p.policy.Judge = fakeBinder{}, fakeJudge{}
	p.input.Protect.On = s.protected
	for _, rule := range p.input.Protect.Rules() {
		p.policy.Builtins = append(p.policy.Builtins, reference.Builtin{
			Name: rule.Name, Action: rule.Action, Reason: rule.Reason,
			Type: rule.Conditions[0].Type, Values: rule.Conditions[0].Values,
		})
	}
	if len(loadErrors(p.policy)) > 0 {
		p.policy.Refused = new(plangate.Range)
	}
	return p, nil
}

// compareErrors compares the errors that compile reports with those that the
// reference finds.
func compareErrors(s *policySet) error {
	p, err := parse(s)
	if err != nil {
		return err
	}
	_, diags := compile.Compile(p.input)
	want, got := loadErrors(p.policy), []string(nil)
	for _, d := range diags {
		switch {
		case d.Severity != plangate.SeverityError:
		case len(d.Related) == 1 && d.Witness != nil:
			got = append(got, pairKey(d.Range, d.Related[0].Range))
		default:
			got = append(got, "error in "+d.Range.File)
		}
	}
	slices.Sort(got)
	if diff := gocmp.Diff(want, slices.Compact(got)); diff != "" {
		return fmt.Errorf("errors (-reference +compile):\n%s", diff)
	}
	return nil
}

// loadErrors returns a sorted line for every conflict that the reference finds,
// and one for every file with an error of another sort.
func loadErrors(p reference.Policy) []string {
	var all []string
	for _, pair := range reference.Conflicts(p) {
		all = append(all, pairKey(pair[0].Header, pair[1].Header))
	}
	for _, profile := range reference.ProfileErrors(p) {
		all = append(all, "error in "+profile.Header.File)
	}
	for _, place := range reference.SetTwice(p) {
		all = append(all, "error in "+place.File)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func pairKey(a, b plangate.Range) string {
	if cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Start.Line, b.Start.Line)) > 0 {
		a, b = b, a
	}
	return fmt.Sprintf("%s:%d against %s:%d", a.File, a.Start.Line, b.File, b.Start.Line)
}

// dropConflicts takes out one policy of each conflicting pair.
func dropConflicts(s *policySet) {
	for {
		p, err := parse(s)
		if err != nil {
			return
		}
		conflicts := reference.Conflicts(p.policy)
		if len(conflicts) == 0 {
			return
		}
		for _, pair := range conflicts {
			s.remove(pair[1].Header.File, fmt.Sprintf("policy %q", pair[1].Name.Value))
		}
	}
}
