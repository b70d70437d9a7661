package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/plangate/plangate/gate"
)

// checkPromises holds the store to what processes were told.
func (e *evidence) checkPromises(f *faults) {
	there := map[string]*gate.Item{}
	for i := range e.items {
		there[e.items[i].ID] = &e.items[i]
	}
	winners := map[string]string{}
	for i := range e.heard {
		line := &e.heard[i]
		if !slices.Contains(e.sessions, line.Session) {
			continue
		}
		for j := range line.Items {
			e.promise(f, line, &line.Items[j], there[line.Items[j].ID])
		}
		if line.What == answered {
			winner := line.Verdict.Actor + " " + line.Verdict.Decision.String()
			if before, ok := winners[line.Items[0].ID]; ok && before != winner {
				f.add("item %s: both %s and %s were told to have answered", line.Items[0].ID, before, winner)
			}
			winners[line.Items[0].ID] = winner
		}
		plan, ok := e.plans[line.Session+"/"+line.Turn]
		switch {
		case line.What == planned && (!ok || plan.Items != len(line.Items)):
			f.add("plan of turn %s of %s was acknowledged, but is %+v", line.Turn, line.Session, plan)
		case line.What == settled && plan.Settled.IsZero():
			f.add("outcomes of turn %s of %s were handed out, but not recorded", line.Turn, line.Session)
		}
	}
}

// promise compares an item that was acknowledged with the one that is there.
func (e *evidence) promise(f *faults, line *said, was, now *gate.Item) {
	lost := func(what string) { f.add("item %s: %s, but %s was lost: %s", was.ID, line.What, what, text(now)) }
	if now == nil {
		f.add("item %s: %s, but it is not there", was.ID, line.What)
		return
	}
	switch line.What {
	case planned:
		if now.Asked != was.Asked || now.Plan != was.Plan || now.Index != was.Index {
			lost("the plan")
		}
	case answered:
		if now.Answer == nil || text(now.Answer) != text(was.Answer) {
			lost("the answer")
		}
		if was.Answer.Scope == gate.ScopeAlways && (now.Answer == nil || now.Answer.Written == "") {
			lost("where it was written")
		}
	case claimed:
		if now.Claimed.IsZero() || !now.Claimed.Equal(was.Claimed) || now.Epoch != was.Epoch ||
			!slices.Contains([]gate.State{gate.Running, gate.Done, gate.Interrupted}, now.State) {
			lost("the claim")
		}
	case completed:
		if now.State != gate.Done || now.Result == nil || text(now.Result) != text(was.Result) || text(now.Result) != text(result(*now)) {
			lost("the result")
		}
	case superseded:
		if now.Ending != gate.EndSuperseded {
			lost("the end by a message")
		}
	case expired:
		if now.Ending != gate.EndExpired {
			lost("the end of its time")
		}
	}
}

// text is a value in a form in which equal ones are equal.
func text(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		return err.Error()
	}
	return out.String()
}

// checkBlocks compares the blocks that were added to the policy file with the verdicts
// for always: each acknowledged one has one, and no block is without a verdict.
func (e *evidence) checkBlocks(f *faults, blocks map[string]int) {
	given := map[string]bool{} // whether it was acknowledged
	for i := range e.heard {
		line := &e.heard[i]
		if line.Verdict == nil || line.Verdict.Scope != gate.ScopeAlways {
			continue
		}
		block := fmt.Sprint(line.Verdict.Decision, " ", line.Items[0].Call.Operation)
		// An allow that policy denies allows nothing, and is not remembered.
		given[block] = given[block] || line.What == answered && line.Items[0].Answer.Scope == gate.ScopeAlways
	}
	for block, acknowledged := range given {
		if acknowledged && blocks[block] == 0 {
			f.add("policy: the block for %q is lost", block)
		}
	}
	for block, n := range blocks {
		if _, ok := given[block]; !ok || n > 1 {
			f.add("policy: %d blocks for %q; a verdict: %t", n, block, ok)
		}
	}
}
