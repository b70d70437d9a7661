package crash

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
)

// driverKernel is a kernel in this process. What it is told is evidence too.
func driverKernel(m machine, e *evidence) *kernel {
	return &kernel{
		ctx: context.Background(), machine: m, reach: func(string) {}, rivals: e.rivals,
		say: func(line said) { e.heard = append(e.heard, line) },
	}
}

// recovered goes on as a kernel does after a crash, and checks before, between and after.
func (e *evidence) recovered(t testing.TB, m machine, sessions ...string) faults {
	t.Helper()
	k := driverKernel(m, e)
	if err := k.connect(nil); err != nil {
		return faults{"the gate does not open: " + err.Error()}
	}
	defer k.local.Close()
	if err := e.gather(k, sessions...); err != nil {
		return faults{err.Error()}
	}
	f := e.check(mayBeTorn)
	for _, session := range sessions {
		k.resume(&f, e, session)
	}
	if err := e.gather(k, sessions...); err != nil {
		return append(f, err.Error())
	}
	f = append(f, e.check(isWhole)...)
	for _, item := range e.items {
		if !item.State.Final() {
			f.add("item %s is still %s", item.ID, item.State)
		}
	}
	return f
}

// resume opens a session and does what is left in it.
func (k *kernel) resume(f *faults, e *evidence, session string) {
	begin := len(e.records)
	before := e.items
	if err := k.open(session); err != nil {
		f.add("session %s does not open: %v", session, err)
		return
	}
	left, err := k.session.Resume(k.ctx)
	if err != nil || len(left.Running) > 0 {
		f.add("session %s: %d items run after it was opened, %v", session, len(left.Running), err)
		return
	}
	interrupted := map[string]bool{}
	for _, item := range left.Interrupted {
		interrupted[item.ID] = true
	}
	for _, item := range before {
		if item.Session != session || item.State != gate.Running && item.State != gate.Interrupted {
			continue
		}
		if item.State == gate.Running && !interrupted[item.ID] {
			f.add("item %s ran when its kernel died (record %d) and is not reported as interrupted", item.ID, begin)
		}
		if ok, code, err := k.claim(item); ok || code != "not_ready" || err != nil {
			f.add("item %s ran when its kernel died, and a claim gave %t %s %v", item.ID, ok, code, err)
		}
	}
	k.replan(f, e, session)
	k.finish(f, e, left)
	k.settle(f, e, session)
}

// replan plans again the turns that were planned: the same items come back.
func (k *kernel) replan(f *faults, e *evidence, session string) {
	for _, line := range e.heard[:len(e.heard):len(e.heard)] {
		if line.What != planned || line.Session != session {
			continue
		}
		var operations []string
		for _, item := range line.Items {
			operations = append(operations, item.Call.Operation)
		}
		again, err := k.session.Plan(k.ctx, line.Turn, calls(operations))
		if err != nil || !again.Repeated || len(again.Items) != len(line.Items) || again.Items[0].ID != line.Items[0].ID {
			f.add("turn %s of %s planned again: %v", line.Turn, session, err)
		}
	}
}

// finish answers what waits, the answers that were cut short as they were given, and runs
// what is ready.
func (k *kernel) finish(f *faults, e *evidence, left gate.Left) {
	cut := map[string]gate.Verdict{}
	for _, line := range e.heard {
		if line.What == answering {
			cut[line.Items[0].ID] = *line.Verdict
		}
	}
	ready := left.Ready
	for _, item := range left.Waiting {
		verdict, ok := cut[item.ID]
		if !ok {
			verdict = gate.Verdict{Decision: plangate.Deny}
		}
		if err := k.answer(item, verdict); err != nil {
			f.add("item %s: the answer given again: %s: %v", item.ID, gate.Code(err), err)
		}
		now, err := k.gate.Item(k.ctx, item.ID)
		if err != nil || now.State == gate.Waiting {
			f.add("item %s is %s after its answer, %v", item.ID, now.State, err)
		}
		if ok && verdict.Decision == plangate.Allow && now.State != gate.Ready && now.Ending != gate.EndPolicy {
			f.add("item %s: the allow that was given again made it %s", item.ID, now.State)
		}
		if now.State == gate.Ready {
			ready = append(ready, now)
		}
		k.repeat(f, now, verdict)
	}
	for _, item := range ready {
		if ran, code, err := k.execute(item); !ran && code != "policy_denies" || err != nil {
			f.add("item %s is ready, but does not run: %s %v", item.ID, code, err)
		}
		if ok, code, err := k.claim(item); ok || code != "not_ready" || err != nil {
			f.add("item %s was claimed again: %t %s %v", item.ID, ok, code, err)
		}
	}
}

// repeat gives the answer that is there once more, and another one.
func (k *kernel) repeat(f *faults, item gate.Item, verdict gate.Verdict) {
	if item.Answer == nil || item.Answer.Scope != verdict.Scope && verdict.Scope != "" {
		return
	}
	verdict.Digest = item.Answer.Digest
	verdict.Actor = item.Answer.Actor
	if again, err := k.gate.Resolve(k.ctx, item.ID, verdict); err != nil || !again.Repeated {
		f.add("item %s: the same answer again: repeated %t, %v", item.ID, again.Repeated, err)
	}
	verdict.Actor = "eve"
	if _, err := k.gate.Resolve(k.ctx, item.ID, verdict); gate.Code(err) != "already_answered" {
		f.add("item %s: another answer: %v", item.ID, err)
	}
}

// settle takes the outcomes of all turns.
func (k *kernel) settle(f *faults, e *evidence, session string) {
	for name, plan := range e.plans {
		if plan.Session != session {
			continue
		}
		out, err := k.outcomes(plan.Turn)
		if err != nil || len(out.Results) != plan.Items {
			f.add("plan %s: %d outcomes of %d items, %v", name, len(out.Results), plan.Items, err)
		}
	}
}

// plenty is how long a test waits for what takes moments.
const plenty = 60 * time.Second

// fail reports faults, but not thousands.
func fail(t testing.TB, where string, f faults) {
	t.Helper()
	for i, fault := range f {
		if i == 10 {
			t.Errorf("%s: and %d more", where, len(f)-i)
			return
		}
		t.Errorf("%s: %s", where, fault)
	}
}

// sessionName is a name that no other session of a machine has.
func sessionName(n int) string { return fmt.Sprintf("s%d", n) }
