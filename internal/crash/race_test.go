package crash

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
)

// race answers all approvals in an order of its own, by turns with allow and deny.
func (w *worker) race() error {
	items, err := w.gate.Pending(w.ctx, gate.PendingQuery{})
	if err != nil {
		return err
	}
	if err := w.lineUp(); err != nil {
		return err
	}
	actor := fmt.Sprint("human ", w.job.Number)
	order := rand.New(rand.NewPCG(1, uint64(w.job.Number))).Perm(len(items)) //nolint:gosec // a test that can be repeated
	for n, i := range order {
		decision := plangate.Allow
		if (n+w.job.Number)%2 == 0 {
			decision = plangate.Deny
		}
		verdict := gate.Verdict{Decision: decision, Actor: actor, Digest: items[i].Digest}
		if err := w.contend(items[i].ID, verdict); err != nil {
			return err
		}
	}
	return nil
}

// contend gives one answer, and says whether it won or who did.
func (w *worker) contend(id string, verdict gate.Verdict) error {
	return w.try("race", func() error {
		resolved, err := w.gate.Resolve(w.ctx, id, verdict)
		line := said{What: answered, Verdict: &verdict, Text: id}
		var late *gate.AlreadyAnswered
		switch {
		case err == nil:
			line.Session, line.Items = resolved.Item.Session, []gate.Item{resolved.Item}
		case errors.As(err, &late):
			line.What, line.Code = lostRace, gate.Code(err)
			line.Verdict = &gate.Verdict{Actor: late.Actor, Decision: late.Decision}
		default:
			return err
		}
		w.say(line)
		return nil
	})
}

// starters lets workers go at once and returns what each said.
func starters(t *testing.T, m machine, jobs []job) [][]said {
	t.Helper()
	lined := make(chan struct{}, len(jobs)*2)
	var processes []*process
	for _, j := range jobs {
		processes = append(processes, start(t, j, func(line said) {
			if line.What == opened && line.Session == "" || line.What == ended {
				lined <- struct{}{}
			}
		}))
	}
	for _, p := range processes {
		select {
		case <-lined:
		case <-p.done: // it failed; wait says why
		}
	}
	if err := os.WriteFile(m.starting(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	heard := make([][]said, len(processes))
	for i, p := range processes {
		var killed bool
		if heard[i], killed = p.wait(t); killed {
			t.Fatal("a worker was killed")
		}
	}
	return heard
}

// Many processes answer the same approvals: one wins each, and the others are told who.
func TestRaceOfAnswers(t *testing.T) {
	for name, place := range stores {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, place(t), settings[0])
			e := &evidence{}
			sessions := e.ask(t, m, *approvalsFlag)
			jobs := make([]job, *answerersFlag)
			for i := range jobs {
				jobs[i] = job{Machine: m, Task: "race", Number: i, Persevere: 10 * plenty}
			}
			heard := starters(t, m, jobs)
			won, retries := e.judge(t, heard)
			t.Logf("%d processes, %d approvals; won by each: %v; tries repeated because the store was busy: %d",
				len(jobs), *approvalsFlag, won, retries)
			fail(t, name, e.recovered(t, m, sessions...))
		})
	}
}

// perSession is how many approvals a session of the race has.
const perSession = 50

// ask makes approvals, and returns the sessions that have them.
func (e *evidence) ask(t *testing.T, m machine, approvals int) (sessions []string) {
	t.Helper()
	k := driverKernel(m, e)
	if err := k.connect(nil); err != nil {
		t.Fatal(err)
	}
	defer k.local.Close()
	for ; approvals > 0; approvals -= perSession {
		session := sessionName(len(sessions))
		sessions = append(sessions, session)
		var operations []string
		for i := range min(perSession, approvals) {
			operations = append(operations, op(session, fmt.Sprint("x", i)))
		}
		if err := k.open(session); err != nil {
			t.Fatal(err)
		}
		if _, err := k.plan("t", operations...); err != nil {
			t.Fatal(err)
		}
	}
	return sessions
}

// judge checks that each approval has one winner, of whom all the others were told. It
// returns how many each process won.
func (e *evidence) judge(t *testing.T, heard [][]said) (won []int, retries int) {
	t.Helper()
	winner, told := map[string]string{}, map[string]int{}
	won = make([]int, len(heard))
	outcome := func(v *gate.Verdict) string { return v.Actor + " " + v.Decision.String() }
	for i, lines := range heard {
		for _, line := range lines {
			if line.What == answered {
				id := line.Text
				if before, ok := winner[id]; ok {
					t.Errorf("%s and %s both won %s", before, outcome(line.Verdict), id)
				}
				winner[id] = outcome(line.Verdict)
				won[i]++
			}
		}
		e.heard = append(e.heard, lines...)
	}
	for _, lines := range heard {
		for _, line := range lines {
			switch line.What {
			case failed:
				retries++
			case answered, lostRace:
				id := line.Text
				told[id]++
				if outcome(line.Verdict) != winner[id] {
					t.Errorf("%s was won by %s, but %s was told", id, winner[id], outcome(line.Verdict))
				}
			}
		}
	}
	if len(winner) != *approvalsFlag {
		t.Errorf("%d approvals have a winner, of %d", len(winner), *approvalsFlag)
	}
	for id, n := range told {
		if n != len(heard) {
			t.Errorf("%s was answered by %d processes of %d", id, n, len(heard))
		}
	}
	return won, retries
}

// always answers one approval of its own for always. Two workers each share an operation.
func (w *worker) always() error {
	if err := w.open(w.job.Session); err != nil {
		return err
	}
	items, err := w.plan("t", fmt.Sprint("shared_", w.job.Number/2))
	if err != nil {
		return err
	}
	if err := w.lineUp(); err != nil {
		return err
	}
	verdict := gate.Verdict{Decision: plangate.Allow, Scope: gate.ScopeAlways}
	if w.job.Number%4 > 1 {
		verdict.Decision = plangate.Deny
	}
	return w.answer(items[0], verdict)
}

// Many processes write to the same policy file: nothing is lost, nothing is there twice.
// In the last case only the lock of write-back orders them.
func TestRaceOfAlways(t *testing.T) {
	for name, place := range stores {
		t.Run(name, func(t *testing.T) {
			url := place(t)
			raceOfAlways(t, &evidence{}, func(int) string { return url })
		})
	}
	t.Run("a store each", func(t *testing.T) {
		dir := t.TempDir()
		raceOfAlways(t, &evidence{sharedLog: true}, func(i int) string { return filepath.Join(dir, fmt.Sprintf("gate%d.db", i)) })
	})
}

func raceOfAlways(t *testing.T, e *evidence, store func(int) string) {
	m := newMachine(t, "", settings[0])
	jobs := make([]job, *writersFlag)
	for i := range jobs {
		jobs[i] = job{Machine: m, Task: "always", Session: sessionName(i), Number: i, Persevere: 10 * plenty}
		jobs[i].Machine.Store = store(i)
	}
	var all []said
	for _, lines := range starters(t, m, jobs) {
		all = append(all, lines...)
	}
	answers := 0
	for _, line := range all {
		if line.What == answered {
			answers++
		}
	}
	if answers != len(jobs) {
		t.Errorf("%d of %d verdicts were applied", answers, len(jobs))
	}
	for _, j := range jobs {
		e.heard = slices.Clone(all)
		if e.sharedLog {
			e.records = nil
		}
		fail(t, j.Session, e.recovered(t, j.Machine, j.Session))
		if len(e.records) == 0 {
			t.Fatal("an empty chain")
		}
	}
}
