package crash

import (
	"context"
	"errors"
	"os"
	"regexp"
	"testing"

	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/gate"
)

// breakages are gates that are broken on purpose: what is done to the configuration.
var breakages = map[string]func(config *gate.Config, kill *killer){
	"forgets":       func(config *gate.Config, _ *killer) { config.Store = forgetful{config.Store} },
	"runs twice":    func(config *gate.Config, _ *killer) { config.Store = lying{config.Store, gate.Running, gate.Ready} },
	"runs unasked":  func(config *gate.Config, _ *killer) { config.Store = lying{config.Store, gate.Waiting, gate.Ready} },
	"answers twice": func(config *gate.Config, _ *killer) { config.Store = lying{config.Store, gate.Ready, gate.Waiting} },
	"commits parts": func(config *gate.Config, kill *killer) { config.Store = partial{config.Store, kill} },
	"logs nothing":  func(config *gate.Config, _ *killer) { config.Log = nil },
	"writes in place": func(config *gate.Config, kill *killer) {
		config.Write = inPlace{kill}
	},
	"writes twice": func(config *gate.Config, kill *killer) { config.Write = doubling{config.Write} },
}

// breakGate breaks a gate in a way that has a name; "" is not at all.
func breakGate(name string, config *gate.Config, kill *killer) {
	if name != "" {
		breakages[name](config, kill)
	}
}

// forgetful says that answers are stored and does not store them.
type forgetful struct{ gate.Store }

var errForget = errors.New("forgotten")

func (s forgetful) Update(ctx context.Context, change func(gate.Tx) error) error {
	err := s.Store.Update(ctx, func(tx gate.Tx) error {
		spy := &answerSpy{Tx: tx}
		if err := change(spy); err != nil || !spy.answered {
			return err
		}
		return errForget
	})
	if errors.Is(err, errForget) {
		return nil
	}
	return err
}

// answerSpy notices that an answer is stored.
type answerSpy struct {
	gate.Tx
	answered bool
}

func (t *answerSpy) PutItem(item gate.Item) error {
	t.answered = t.answered || item.Answer != nil
	return t.Tx.PutItem(item)
}

// lying shows items of one state as if they were of another to whoever writes.
type lying struct {
	gate.Store
	is, seems gate.State
}

func (s lying) Update(ctx context.Context, change func(gate.Tx) error) error {
	return s.Store.Update(ctx, func(tx gate.Tx) error { return change(lyingTx{tx, s}) })
}

type lyingTx struct {
	gate.Tx
	lie lying
}

func (t lyingTx) Item(id string) (gate.Item, error) {
	item, err := t.Tx.Item(id)
	if err == nil && item.State == t.lie.is {
		item.State = t.lie.seems
	}
	return item, err
}

// partial commits an answer before its audit records, and lets the process die between.
type partial struct {
	gate.Store
	kill *killer
}

func (s partial) Update(ctx context.Context, change func(gate.Tx) error) error {
	var late []audit.Entry
	err := s.Store.Update(ctx, func(tx gate.Tx) error {
		late = nil
		spy := &lateTx{Tx: tx}
		err := change(spy)
		late = spy.late
		return err
	})
	if err != nil || len(late) == 0 {
		return err
	}
	s.kill.reach("half committed")
	return s.Store.Update(ctx, func(tx gate.Tx) error { return tx.Append(late...) })
}

type lateTx struct {
	gate.Tx
	late []audit.Entry
}

func (t *lateTx) Append(entries ...audit.Entry) error {
	t.late = append(t.late, entries...)
	return nil
}

// inPlace writes a policy file over itself, and lets the process die half-way.
type inPlace struct{ kill *killer }

func (w inPlace) WriteAlways(_ context.Context, always gate.AlwaysVerdict) (string, error) {
	file, err := os.OpenFile(os.Getenv(policyVariable), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if _, err := file.WriteString("\npolicy \"always\" {\n  match = { operation = \"" + always.Call.Operation); err != nil {
		return "", err
	}
	w.kill.reach("half written")
	_, err = file.WriteString("\" }\n  action = \"allow\"\n}\n")
	return "agent.hcl:1", err
}

// policyVariable names the policy file for a writer that does not find it by itself.
const policyVariable = "CRASH_TEST_POLICY"

// doubling writes what was written once more, under another name.
type doubling struct{ gate.PolicyWriter }

func (w doubling) WriteAlways(ctx context.Context, always gate.AlwaysVerdict) (string, error) {
	place, err := w.PolicyWriter.WriteAlways(ctx, always)
	if err != nil {
		return "", err
	}
	path := os.Getenv(policyVariable)
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	block := regexp.MustCompile(`(?s)policy "always_.*`).Find(content)
	block = regexp.MustCompile(`policy "`).ReplaceAll(block, []byte(`policy "again_`))
	return place, os.WriteFile(path, append(content, block...), 0o600)
}

// twice is what a kernel does that trusts a broken gate.
func (w *worker) twice() error {
	if err := w.open(w.job.Session); err != nil {
		return err
	}
	return w.ready(func(item gate.Item) error {
		for range 2 {
			if _, _, err := w.claim(item); err != nil {
				return err
			}
			if err := w.machine.run(item.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *worker) unasked() error {
	if err := w.open(w.job.Session); err != nil {
		return err
	}
	items, err := w.asked("a")
	if err != nil {
		return err
	}
	_, _, err = w.execute(items[0])
	return err
}

// contradict answers an item twice.
func (w *worker) contradict() error {
	if err := w.open(w.job.Session); err != nil {
		return err
	}
	return w.ready(func(item gate.Item) error {
		verdict := verdicts[3].verdict
		verdict.Actor = "eve"
		return w.answer(item, verdict)
	})
}

// The checker notices each breach that it looks for, of a gate that commits it.
func TestCheckerNotices(t *testing.T) {
	for _, test := range []struct {
		breach, broken, task string
		at                   int
		fault                string // that has to be reported, or "" for none
	}{
		{"nothing, of a gate that is whole", "", "allow once", 99, ``},
		{"a lost answer", "forgets", "allow once", 99, `but the answer was lost`},
		{"a doubled run", "runs twice", "twice", 0, `ran 2 times`},
		{"a doubled claim", "runs twice", "twice", 0, `claimed from "running" to "running" is no lawful step`},
		{"a run without an answer", "runs unasked", "unasked", 0, `ran without an answer`},
		{"two answers to one item", "answers twice", "contradict", 0, `both ada allow and eve deny`},
		{"half a transaction", "commits parts", "allow once", 0, `is ready, but by its records waiting`},
		{"a step that is not in the log", "logs nothing", "allow once", 99, `the log does not say so`},
		{"half a policy", "writes in place", "allow always", 0, `policy: .*agent.hcl`},
		{"a policy that was written twice", "writes twice", "allow always", 99, `policy: 2 blocks`},
	} {
		t.Run(test.breach, func(t *testing.T) {
			m := newMachine(t, "", setting{"required", "item", "user"})
			j := job{Machine: m, Session: "s", Task: test.task, Broken: test.broken, At: test.at}
			if _, scenario := tasks[test.task]; !scenario && test.at == 0 {
				j.At = pointBefore(t, j, "half ")
			}
			t.Setenv(policyVariable, m.policyFile())
			heard, _ := start(t, j, nil).wait(t)
			e := &evidence{heard: heard}
			f := e.recovered(t, m, "s")
			if test.fault == "" {
				fail(t, "a whole gate", f)
				return
			}
			found := false
			for _, fault := range f {
				found = found || regexp.MustCompile(test.fault).MatchString(fault)
			}
			if !found {
				t.Errorf("want a fault like %q, got %q", test.fault, f)
			}
		})
	}
}

// pointBefore returns the number of the first point whose name begins with prefix, of a run
// on a machine of its own.
func pointBefore(t *testing.T, j job, prefix string) int {
	t.Helper()
	j.Machine = newMachine(t, "", j.Machine.Setting)
	t.Setenv(policyVariable, j.Machine.policyFile())
	heard, _ := start(t, j, nil).wait(t)
	for i, point := range heard[len(heard)-1].Points {
		if len(point) > len(prefix) && point[:len(prefix)] == prefix {
			return i + 1
		}
	}
	t.Fatalf("no point %s: %q", prefix, heard[len(heard)-1].Points)
	return 0
}

// Records that are gone, changed or moved, and a log that is, are noticed too.
func TestCheckerNoticesTampering(t *testing.T) {
	m := newMachine(t, "", settings[0])
	heard, _ := start(t, job{Machine: m, Session: "s", Task: "claim"}, nil).wait(t)
	e := &evidence{heard: heard}
	fail(t, "nothing was changed", e.recovered(t, m, "s"))
	whole := *e
	for name, change := range map[string]func(){
		"the log tells too much":      func() { e.records, e.items = e.records[:len(e.records)-1], nil },
		"a record is gone":            func() { e.records = append(e.records[:2:2], e.records[3:]...) },
		"a record was changed":        func() { e.records[1].Actor = "eve" },
		"the log lost a record":       func() { e.log = regexp.MustCompile(`(?m)^.*"seq":2,.*\n`).ReplaceAll(e.log, nil) },
		"the log has half a line":     func() { e.log = append(e.log, "{"...) },
		"an item is gone":             func() { e.items = e.items[1:] },
		"nothing is said to have run": func() { e.ran = nil },
	} {
		t.Run(name, func(t *testing.T) {
			*e = whole
			e.records = append([]audit.Record(nil), whole.records...)
			e.log = append([]byte(nil), whole.log...)
			if change(); len(e.check(isWhole)) == 0 {
				t.Error("not noticed")
			}
		})
	}
}
