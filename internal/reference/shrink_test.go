package reference_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/plangate/plangate"
)

// shrink makes a set and call that fail smaller while they still fail, and
// returns an error that shows both.
func shrink(s *policySet, call plangate.Call, failure error) error {
	failure = shrinkSet(s, failure, func(s *policySet) error { return failsFor(s, call) })
	for {
		smaller := false
		for _, candidate := range smallerCalls(call) {
			if err := failsFor(s, candidate); err != nil {
				call, failure, smaller = candidate, err, true
				break
			}
		}
		if !smaller {
			break
		}
	}
	text, err := json.Marshal(call)
	if err != nil {
		text = fmt.Append(nil, call)
	}
	return fmt.Errorf("%w\n%s--- call\n%s", failure, s, text)
}

// failsFor returns nil if the set cannot be built, which is another failure
// than the one that is looked for.
func failsFor(s *policySet, call plangate.Call) error {
	sides, err := build(s)
	if err != nil {
		return nil
	}
	return sides.compare(call, new(tally))
}

// shrinkSet changes s in place and returns the failure of what is left.
func shrinkSet(s *policySet, failure error, fails func(*policySet) error) error {
	for {
		smaller := false
		for _, candidate := range smallerSets(s) {
			if err := fails(candidate); err != nil && !errors.Is(err, errNotParsed) {
				*s, failure, smaller = *candidate, err, true
				break
			}
		}
		if !smaller {
			return failure
		}
	}
}

// smallerSets are the sets with one piece less.
func smallerSets(s *policySet) []*policySet {
	var out []*policySet
	variant := func(change func(*policySet)) {
		c := s.clone()
		change(c)
		out = append(out, c)
	}
	for i := range s.layers {
		if len(s.layers) > 1 {
			variant(func(c *policySet) { c.layers = slices.Delete(c.layers, i, i+1) })
		}
		for j := range s.layers[i].blocks {
			variant(func(c *policySet) { c.layers[i].blocks = slices.Delete(c.layers[i].blocks, j, j+1) })
			for k := range s.layers[i].blocks[j].attributes {
				variant(func(c *policySet) {
					b := &c.layers[i].blocks[j]
					b.attributes = slices.Delete(b.attributes, k, k+1)
				})
			}
		}
	}
	for i := range s.extra.attributes {
		variant(func(c *policySet) { c.extra.attributes = slices.Delete(c.extra.attributes, i, i+1) })
	}
	if s.protected {
		variant(func(c *policySet) { c.protected = false })
	}
	for i := range s.operations {
		variant(func(c *policySet) { c.operations = slices.Delete(c.operations, i, i+1) })
	}
	return out
}

// smallerCalls are the calls with one field less.
func smallerCalls(call plangate.Call) []plangate.Call {
	var out []plangate.Call
	variant := func(isSet bool, change func(*plangate.Call)) {
		if isSet {
			c := call
			change(&c)
			out = append(out, c)
		}
	}
	variant(call.ID != "", func(c *plangate.Call) { c.ID = "" })
	variant(call.Provider != "", func(c *plangate.Call) { c.Provider = "" })
	variant(call.Kind != 0, func(c *plangate.Call) { c.Kind = 0 })
	variant(call.Risk != 0, func(c *plangate.Call) { c.Risk = 0 })
	variant(call.Profile != "", func(c *plangate.Call) { c.Profile = "" })
	variant(call.Session != nil, func(c *plangate.Call) { c.Session = nil })
	variant(call.Input != nil, func(c *plangate.Call) { c.Input = nil })
	variant(call.ProducerCategory != 0, func(c *plangate.Call) { c.ProducerCategory = 0 })
	variant(!call.Time.IsZero(), func(c *plangate.Call) { c.Time = time.Time{} })
	return out
}
