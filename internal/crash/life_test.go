package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
)

// verdictFor is what a human says to the nth question: all sorts, and seldom always.
func verdictFor(n int, actor string) gate.Verdict {
	v := gate.Verdict{Decision: plangate.Allow, Actor: actor, Message: fmt.Sprint("answer ", n)}
	if n%3 == 1 {
		v.Decision = plangate.Deny
	}
	switch {
	case n%7 == 3:
		v.Scope = gate.ScopeAlways
	case n%5 == 2:
		v.Scope = gate.ScopeSession
	}
	return v
}

// live is a kernel with its human, turn by turn, until it is killed.
func (w *worker) live() error {
	if err := w.open(w.job.Session); err != nil {
		return err
	}
	for turn := 0; ; turn++ {
		names := []string{"read", "drop"}
		for _, letter := range "abc" {
			names = append(names, op(w.job.Session, fmt.Sprintf("%c%d", letter, turn)))
		}
		items, err := w.plan(fmt.Sprint("t", turn), names...)
		if err != nil {
			return err
		}
		for i, item := range items[2:] {
			if turn%4 == 3 && i == 2 {
				break
			}
			if err := w.answer(item, verdictFor(w.job.Number+5*turn+i, "ada")); err != nil {
				return err
			}
		}
		if turn%4 == 3 {
			if err := w.message(); err != nil {
				return err
			}
		}
		if err := w.executeAll(items); err != nil {
			return err
		}
	}
}

// executeAll runs what is ready of a plan in which nothing waits, and takes the outcomes
// if all of it has one.
func (w *worker) executeAll(items []gate.Item) error {
	final := true
	for _, item := range items {
		var now gate.Item
		err := w.try("item", func() (err error) { now, err = w.gate.Item(w.ctx, item.ID); return err })
		if err != nil {
			return err
		}
		if now.State != gate.Ready {
			final = final && now.State.Final()
			continue
		}
		ran, code, err := w.execute(now)
		if err != nil {
			return err
		}
		// Whether a claim was made may be unknown. Then nothing runs, and the item is
		// interrupted when its session is opened again. And a deny for always may stand in
		// the policy although it was never recorded.
		if !ran && (code != "not_ready" || w.persevere == 0) && (code != "policy_denies" || !w.rivals) {
			return fmt.Errorf("a ready item does not run: %s", code)
		}
		final = final && ran
	}
	if !final {
		return nil
	}
	_, err := w.outcomes(items[0].Turn)
	return err
}

// serve is a kernel whose questions others answer, until it is killed.
func (w *worker) serve() error {
	if err := w.open(w.job.Session); err != nil {
		return err
	}
	for turn := 0; ; turn++ {
		names := []string{"read"}
		for i := range 4 {
			names = append(names, op(w.job.Session, fmt.Sprintf("x%d_%d", turn, i)))
		}
		items, err := w.plan(fmt.Sprint("t", turn), names...)
		if err != nil {
			return err
		}
		if err := w.await(items); err != nil {
			return err
		}
		if err := w.executeAll(items); err != nil {
			return err
		}
	}
}

// await waits until nothing waits for an answer.
func (w *worker) await(items []gate.Item) error {
	waiting := map[string]bool{}
	for _, item := range items {
		if item.State == gate.Waiting {
			waiting[item.ID] = true
		}
	}
	for len(waiting) > 0 {
		ctx, cancel := context.WithTimeout(w.ctx, plenty)
		var woken gate.Woken
		err := w.try("wait", func() (err error) { woken, err = w.session.Wait(ctx); return err })
		cancel()
		if err != nil {
			return err
		}
		if len(woken.Items) == 0 {
			return fmt.Errorf("Wait returned nothing and %d items wait", len(waiting))
		}
		for _, item := range woken.Items {
			delete(waiting, item.ID)
		}
	}
	return nil
}

// human answers whatever waits, until it is killed.
func (w *worker) human() error {
	actor := fmt.Sprint("human ", w.job.Number)
	for {
		var items []gate.Item
		err := w.try("pending", func() (err error) {
			items, err = w.gate.Pending(w.ctx, gate.PendingQuery{Limit: 8})
			return err
		})
		if err != nil {
			return err
		}
		for _, item := range items {
			verdict := verdictFor(int(item.ID[0])+int(item.ID[1])*w.job.Number, actor)
			if err := w.answer(item, verdict); err != nil {
				return err
			}
		}
		if len(items) == 0 {
			time.Sleep(2 * time.Millisecond)
		}
	}
}

// starting is the file that says that all workers may go.
func (m machine) starting() string { return filepath.Join(m.Home, "go") }

// lineUp says that the worker is ready and waits for the others.
func (w *worker) lineUp() error {
	w.say(said{What: opened})
	for until := time.Now().Add(2 * plenty); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(w.machine.starting()); err == nil {
			return nil
		}
	}
	return errors.New("the race does not start")
}
