package crash

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/gate"
)

// evidence is all that is known of a machine at one moment.
type evidence struct {
	setting   setting
	sharedLog bool   // by several stores
	rivals    bool   // several answered the same items
	heard     []said // from all processes of the machine, in the order of each

	sessions []string // that are looked at
	items    []gate.Item
	plans    map[string]gate.PlanRecord
	records  []audit.Record // the chain
	log      []byte
	ran      []string
	policy   []byte
	loads    error // why the policy in force does not load
}

// gather looks at some sessions of the machine through a gate that was just opened. The
// records of earlier calls are kept, so that each is read once.
func (e *evidence) gather(k *kernel, sessions ...string) error {
	e.setting, e.sessions = k.machine.Setting, sessions
	e.items, e.plans = nil, map[string]gate.PlanRecord{}
	err := k.local.Store.View(context.Background(), func(r gate.Reader) error {
		for _, session := range sessions {
			if err := e.session(r, session); err != nil {
				return err
			}
		}
		return e.chain(r)
	})
	if err != nil {
		return err
	}
	if e.ran, err = k.machine.ran(); err != nil {
		return err
	}
	if e.log, err = os.ReadFile(k.local.LogFile); err != nil {
		return err
	}
	e.policy, err = os.ReadFile(k.machine.policyFile())
	e.loads = nil
	if policy := k.local.Policy.Policy(); policy.Diagnostics.HasErrors() {
		e.loads = policy.Diagnostics
	}
	return err
}

func (e *evidence) session(r gate.Reader, session string) error {
	filter := gate.Filter{Session: session, Limit: gate.MaxPage}
	for {
		items, err := r.Items(filter)
		if err != nil {
			return err
		}
		e.items = append(e.items, items...)
		if len(items) < gate.MaxPage {
			break
		}
		last := items[len(items)-1]
		filter.After = gate.Cursor{Created: last.Created, ID: last.ID}
	}
	turns := map[string]bool{}
	for _, line := range e.heard {
		if line.What == planned && line.Session == session {
			turns[line.Turn] = true
		}
	}
	for _, item := range e.items {
		if item.Session == session {
			turns[item.Turn] = true
		}
	}
	for turn := range turns {
		plan, err := r.Plan(session, turn)
		if err == nil {
			e.plans[session+"/"+turn] = plan
		} else if !errors.Is(err, gate.ErrNotFound) {
			return err
		}
	}
	return nil
}

// chain reads what is new in the chain.
func (e *evidence) chain(r gate.Reader) error {
	for {
		records, err := r.Records(uint64(len(e.records)), gate.MaxPage)
		if err != nil {
			return err
		}
		e.records = append(e.records, records...)
		if len(records) < gate.MaxPage {
			return nil
		}
	}
}

// faults are all breaches of what the gate promises.
type faults []string

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// check returns all breaches. The log's end may be half-written if torn says so.
func (e *evidence) check(end logEnd) faults {
	var f faults
	e.checkChain(&f)
	e.checkLog(&f, end)
	lives := e.lives(&f)
	for _, item := range e.items {
		e.checkLife(&f, item, lives[item.ID])
	}
	e.checkPlans(&f)
	e.checkRan(&f, lives)
	e.checkPromises(&f)
	e.checkPolicy(&f)
	return f
}

// logEnd says how the log may end.
type logEnd int

const (
	mayBeTorn logEnd = iota // nobody appended since the kill
	isWhole
)

func (e *evidence) checkChain(f *faults) {
	var text bytes.Buffer
	for _, record := range e.records {
		text.Write(record.Line())
	}
	report, err := audit.Verify(&text)
	if err != nil || report.Break != nil || report.Records != uint64(len(e.records)) {
		f.add("chain: %+v %+v %v", report, report.Break, err)
	}
}

// stepOf names a step as both the chain and the log have it.
func stepOf(r *audit.Record) string {
	return fmt.Sprint(r.Event, " ", r.Item, " ", r.State, " ", r.Actor, " ", r.Time.UnixNano())
}

// checkLog checks the chain of the log, and that it tells of nothing that did not happen
// and of everything that was acknowledged (spec GAT-42). What a kernel did not live to log
// is in the chain of the store only.
func (e *evidence) checkLog(f *faults, end logEnd) {
	whole := e.log[:bytes.LastIndexByte(e.log, '\n')+1]
	if end == isWhole && len(whole) < len(e.log) {
		f.add("log: %d half-written bytes were not set aside", len(e.log)-len(whole))
	}
	report, err := audit.Verify(bytes.NewReader(whole))
	if err != nil || report.Break != nil {
		f.add("log: %+v %+v %v", report, report.Break, err)
	}
	happened, logged := map[string]int{}, map[string]bool{}
	for i := range e.records {
		happened[stepOf(&e.records[i])]++
	}
	for record, err := range audit.Query(bytes.NewReader(whole), audit.Filter{}) {
		if err != nil {
			f.add("log: %v", err)
			return
		}
		logged[fmt.Sprint(record.Event, " ", record.Item)] = true
		if happened[stepOf(&record)]--; happened[stepOf(&record)] < 0 && record.Event != audit.TornTail && !e.sharedLog {
			f.add("the log has a step that did not happen: %s", stepOf(&record))
		}
	}
	e.checkLogged(f, logged)
}

// events are the records of what is acknowledged.
var events = map[string]audit.Event{
	planned: audit.Decision, answered: audit.ApprovalAnswered, claimed: audit.Claimed, completed: audit.Completed,
	superseded: audit.ApprovalSuperseded, expired: audit.ApprovalExpired,
}

// checkLogged looks for what was acknowledged in the log. Where a step was tried again
// because the store was away, an earlier try may have made it and not known.
func (e *evidence) checkLogged(f *faults, logged map[string]bool) {
	for i := range e.heard {
		line := &e.heard[i]
		if line.What == failed {
			return
		}
		event, ok := events[line.What]
		if !ok {
			continue
		}
		for _, item := range line.Items {
			if !logged[fmt.Sprint(event, " ", item.ID)] {
				f.add("item %s: %s, and the log does not say so", item.ID, line.What)
			}
		}
	}
}

// life is what the chain says of an item.
type life struct {
	state   string
	answers int
	actor   string
	allowed bool // before it was claimed
	claims  int
	written int
}

// moves are the lawful steps: event, state before, states after.
var moves = map[audit.Event]struct {
	from string
	to   []string
}{
	audit.Decision:           {"", []string{"ready", "waiting", "denied"}},
	audit.ApprovalCreated:    {"waiting", []string{"waiting"}},
	audit.ApprovalAnswered:   {"waiting", []string{"ready", "denied"}},
	audit.ApprovalExpired:    {"waiting", []string{"denied"}},
	audit.ApprovalSuperseded: {"waiting", []string{"denied"}},
	audit.Claimed:            {"ready", []string{"running"}},
	audit.Completed:          {"running", []string{"done"}},
	audit.Interrupted:        {"running", []string{"interrupted"}},
}

// lives replays the chain.
func (e *evidence) lives(f *faults) map[string]*life {
	lives := map[string]*life{}
	for i := range e.records {
		r := &e.records[i]
		l := lives[r.Item]
		if l == nil {
			l = &life{}
			lives[r.Item] = l
		}
		move, known := moves[r.Event]
		from := move.from
		if r.Event == audit.Decision && l.state == "ready" && r.State == "denied" {
			from = "ready" // policy changed before the claim
		}
		switch {
		case r.Event == audit.PolicyWritten:
			l.written++
			continue
		case !known || l.state != from || !slices.Contains(move.to, r.State):
			f.add("item %s: record %d: %s from %q to %q is no lawful step", r.Item, r.Seq, r.Event, l.state, r.State)
		case r.Event == audit.ApprovalAnswered:
			l.answers++
			l.actor = r.Actor
		case r.Event == audit.Claimed:
			l.claims++
		}
		l.state = r.State
		l.allowed = l.allowed || r.State == "ready"
	}
	return lives
}

// checkLife compares a row with its records.
func (e *evidence) checkLife(f *faults, item gate.Item, l *life) {
	if l == nil {
		f.add("item %s: there is no record of it", item.ID)
		return
	}
	answers := 0
	if item.Answer != nil {
		answers = 1
	}
	switch {
	case l.state != string(item.State):
		f.add("item %s is %s, but by its records %s", item.ID, item.State, l.state)
	case l.answers != answers || answers == 1 && l.actor != item.Answer.Actor:
		f.add("item %s has answer %+v, but %d records of one by %q", item.ID, item.Answer, l.answers, l.actor)
	case (l.claims == 1) == item.Claimed.IsZero() || l.claims > 1:
		f.add("item %s was claimed at %s, but has %d records of it", item.ID, item.Claimed, l.claims)
	case (item.State == gate.Done) != (item.Result != nil):
		f.add("item %s is %s with result %v", item.ID, item.State, item.Result)
	case item.Answer != nil && (item.Answer.Scope == gate.ScopeAlways) != (l.written == 1) || l.written > 1:
		f.add("item %s has an answer %+v and %d records of policy written", item.ID, item.Answer, l.written)
	}
}

func (e *evidence) checkPlans(f *faults) {
	found := map[string]int{}
	for _, item := range e.items {
		found[item.Plan]++
	}
	for name, plan := range e.plans {
		if found[plan.ID] != plan.Items {
			f.add("plan %s has %d of its %d items", name, found[plan.ID], plan.Items)
		}
		delete(found, plan.ID)
	}
	for plan, n := range found {
		f.add("%d items have plan %s, which is not there", n, plan)
	}
}

func (e *evidence) checkRan(f *faults, lives map[string]*life) {
	times := map[string]int{}
	for _, id := range e.ran {
		times[id]++
	}
	for id, n := range times {
		l := lives[id]
		switch {
		case n > 1:
			f.add("item %s ran %d times", id, n)
		case l == nil || !l.allowed:
			f.add("item %s ran without an answer or policy that allows it", id)
		case l.claims != 1:
			f.add("item %s ran without a claim", id)
		}
	}
	for _, item := range e.items {
		if times[item.ID] > 0 && item.State == gate.Denied || times[item.ID] == 0 && item.State == gate.Done {
			f.add("item %s is %s and ran %d times", item.ID, item.State, times[item.ID])
		}
	}
}

func (e *evidence) checkPolicy(f *faults) {
	if e.loads != nil {
		f.add("policy: %v", e.loads)
	}
	base := []byte(e.setting.policy())
	if !bytes.HasPrefix(e.policy, base) {
		f.add("policy: what stood in the file was changed")
		return
	}
	file, diags := dsl.Parse("agent.hcl", e.policy)
	if diags.HasErrors() {
		f.add("policy: %v", diags)
		return
	}
	blocks := map[string]int{}
	for _, policy := range file.Policies {
		if policy.Range.Start.Byte < len(base) {
			continue
		}
		if len(policy.Match.Operation) != 1 {
			f.add("policy: block %s has %d operations", policy.Name.Value, len(policy.Match.Operation))
			continue
		}
		blocks[fmt.Sprint(policy.Action.Value, " ", policy.Match.Operation[0].Value)]++
	}
	e.checkBlocks(f, blocks)
}
