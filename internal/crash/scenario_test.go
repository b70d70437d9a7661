package crash

import (
	"encoding/json"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
)

// scenario is one operation of the gate with what goes before it. The worker is killed in
// what comes after aim.
type scenario struct {
	name string
	run  func(w *worker) error
}

func (w *worker) aim() { w.kill.arm() }

// op names an operation that no other session uses.
func op(session, name string) string { return name + "_" + session }

// asked plans a turn of operations that are asked about, and one that is allowed.
func (w *worker) asked(names ...string) ([]gate.Item, error) {
	operations := []string{"read"}
	for _, name := range names {
		operations = append(operations, op(w.job.Session, name))
	}
	items, err := w.plan("t1", operations...)
	if err != nil {
		return nil, err
	}
	return items[1:], nil
}

// verdicts by name. Every one of them is killed at each point.
var verdicts = []struct {
	name    string
	verdict gate.Verdict
}{
	{"allow once", gate.Verdict{Decision: plangate.Allow, Message: "go on"}},
	{"allow for the session", gate.Verdict{Decision: plangate.Allow, Scope: gate.ScopeSession}},
	{"allow always", gate.Verdict{Decision: plangate.Allow, Scope: gate.ScopeAlways}},
	{"deny once", gate.Verdict{Decision: plangate.Deny, Message: "not this"}},
	{"deny for the session", gate.Verdict{Decision: plangate.Deny, Scope: gate.ScopeSession}},
	{"deny always", gate.Verdict{Decision: plangate.Deny, Scope: gate.ScopeAlways}},
	{"correct", gate.Verdict{Decision: plangate.Allow, CorrectedInput: json.RawMessage(`{"n":2}`)}},
}

// writesBack are the scenarios that are also killed at moments of write-back.
var writesBack = []string{"allow always", "deny always"}

func answerScenario(name string, verdict gate.Verdict) scenario {
	return scenario{name, func(w *worker) error {
		items, err := w.asked("a", "b")
		if err != nil {
			return err
		}
		w.aim()
		return w.answer(items[0], verdict)
	}}
}

// scenarios are all of them.
func scenarios() []scenario {
	list := []scenario{
		{"open", (*worker).reopen},
		{"plan", func(w *worker) error {
			w.aim()
			_, err := w.plan("t1", "read", "drop", op(w.job.Session, "a"), op(w.job.Session, "b"))
			return err
		}},
		{"plan with verdicts for the session", (*worker).planRemembered},
		{"claim", func(w *worker) error {
			return w.ready(func(item gate.Item) error { w.aim(); _, _, err := w.execute(item); return err })
		}},
		{"complete", (*worker).completeOnly},
		{"answer when policy denies by now", (*worker).answerDenied},
		{"claim when policy denies by now", (*worker).claimDenied},
		{"user message", func(w *worker) error {
			if _, err := w.asked("a", "b", "c"); err != nil {
				return err
			}
			w.aim()
			return w.message()
		}},
		{"expiry", func(w *worker) error {
			items, err := w.asked("a", "b", "c")
			if err != nil {
				return err
			}
			w.aim()
			return w.expire(items)
		}},
		{"answer too late", func(w *worker) error {
			items, err := w.asked("a")
			if err != nil {
				return err
			}
			w.aim()
			w.ahead.Store(int64(2 * 3600e9))
			return w.answer(items[0], verdicts[0].verdict)
		}},
		{"outcomes", func(w *worker) error {
			items, err := w.plan("t1", "read", "drop")
			if err != nil {
				return err
			}
			if _, _, err := w.execute(items[0]); err != nil {
				return err
			}
			w.aim()
			_, err = w.outcomes("t1")
			return err
		}},
	}
	for _, v := range verdicts {
		list = append(list, answerScenario(v.name, v.verdict))
	}
	return list
}

func scenarioNamed(name string) scenario {
	for _, s := range scenarios() {
		if s.name == name {
			return s
		}
	}
	return scenario{name, func(*worker) error { panic("no scenario " + name) }}
}

// ready makes an item that was asked about and allowed.
func (w *worker) ready(then func(gate.Item) error) error {
	items, err := w.asked("a")
	if err != nil {
		return err
	}
	if err := w.answer(items[0], verdicts[0].verdict); err != nil {
		return err
	}
	return then(items[0])
}

// reopen takes the session over from a kernel that runs and one that waits.
func (w *worker) reopen() error {
	return w.ready(func(item gate.Item) error {
		if _, _, err := w.claim(item); err != nil {
			return err
		}
		if err := w.machine.run(item.ID); err != nil {
			return err
		}
		w.aim()
		return w.open(w.job.Session)
	})
}

func (w *worker) planRemembered() error {
	items, err := w.asked("a", "b")
	if err != nil {
		return err
	}
	for i, decision := range []plangate.Action{plangate.Allow, plangate.Deny} {
		if err := w.answer(items[i], gate.Verdict{Decision: decision, Scope: gate.ScopeSession}); err != nil {
			return err
		}
	}
	w.aim()
	again, err := w.plan("t2", items[0].Call.Operation, items[1].Call.Operation)
	if err != nil {
		return err
	}
	_, _, err = w.execute(again[0])
	return err
}

func (w *worker) completeOnly() error {
	return w.ready(func(item gate.Item) error {
		if _, _, err := w.claim(item); err != nil {
			return err
		}
		if err := w.machine.run(item.ID); err != nil {
			return err
		}
		w.aim()
		return w.complete(item)
	})
}

// twins plans two calls of one operation, the second of which is denied for always.
func (w *worker) twins(between func(first gate.Item) error) (gate.Item, error) {
	items, err := w.asked("a", "a")
	if err != nil {
		return gate.Item{}, err
	}
	if err := between(items[0]); err != nil {
		return gate.Item{}, err
	}
	return items[0], w.answer(items[1], gate.Verdict{Decision: plangate.Deny, Scope: gate.ScopeAlways})
}

func (w *worker) answerDenied() error {
	first, err := w.twins(func(gate.Item) error { return nil })
	if err != nil {
		return err
	}
	w.aim()
	return w.answer(first, verdicts[0].verdict)
}

func (w *worker) claimDenied() error {
	first, err := w.twins(func(first gate.Item) error { return w.answer(first, verdicts[0].verdict) })
	if err != nil {
		return err
	}
	w.aim()
	_, _, err = w.execute(first)
	return err
}
