package crash

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/gate"
)

// killer ends this process at a point of its way.
type killer struct {
	at    int           // the point, from 1; 0 is never
	after time.Duration // this long after write-back began; 0 is never
	step  int           // the step of write-back in the file system, from 1; 0 is never
	dirs  []string      // where such steps are

	mu      sync.Mutex
	armed   bool
	reached []string
}

// die ends the process as a power cut would. Nothing runs after it.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

func (k *killer) arm() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.armed = true
}

// reach is called at every point.
func (k *killer) reach(point string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.armed {
		return
	}
	k.reached = append(k.reached, point)
	if len(k.reached) == k.at {
		die()
	}
}

// points returns the points that were reached while armed.
func (k *killer) points() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.reached
}

// killStore kills around and in transactions.
type killStore struct {
	gate.Store
	kill *killer
}

func (s killStore) Update(ctx context.Context, change func(gate.Tx) error) error {
	s.kill.reach("before the transaction")
	err := s.Store.Update(ctx, func(tx gate.Tx) error {
		s.kill.reach("transaction begun")
		if err := change(killTx{tx, s.kill}); err != nil {
			return err
		}
		s.kill.reach("before the commit")
		return nil
	})
	if err == nil {
		s.kill.reach("committed")
	}
	return err
}

// killTx kills after each write.
type killTx struct {
	gate.Tx
	kill *killer
}

func (t killTx) wrote(what string, err error) error {
	if err == nil {
		t.kill.reach("wrote " + what)
	}
	return err
}

func (t killTx) PutSession(s gate.SessionRecord) error { return t.wrote("session", t.Tx.PutSession(s)) }
func (t killTx) PutPlan(p gate.PlanRecord) error       { return t.wrote("plan", t.Tx.PutPlan(p)) }
func (t killTx) AddItems(items []gate.Item) error      { return t.wrote("items", t.Tx.AddItems(items)) }
func (t killTx) PutItem(item gate.Item) error          { return t.wrote("item", t.Tx.PutItem(item)) }
func (t killTx) Append(entries ...audit.Entry) error {
	return t.wrote("audit records", t.Tx.Append(entries...))
}

// killLog kills around appending to the log.
type killLog struct {
	gate.Log
	kill *killer
}

func (l killLog) Append(ctx context.Context, entries ...audit.Entry) ([]audit.Record, error) {
	l.kill.reach("before the log")
	records, err := l.Log.Append(ctx, entries...)
	l.kill.reach("logged")
	return records, err
}

// killWriter kills around and during write-back.
type killWriter struct {
	gate.PolicyWriter
	kill *killer
}

func (w killWriter) WriteAlways(ctx context.Context, always gate.AlwaysVerdict) (string, error) {
	w.kill.reach("before write-back")
	stop, err := w.kill.during()
	if err != nil {
		return "", err
	}
	place, err := w.PolicyWriter.WriteAlways(ctx, always)
	stop()
	w.kill.reach("written back")
	return place, err
}

// during kills while something goes on that has no points: at a moment or at a step.
func (k *killer) during() (stop func(), err error) {
	switch {
	case len(k.points()) == 0: // not armed
	case k.after > 0:
		timer := time.AfterFunc(k.after, die)
		return func() { timer.Stop() }, nil
	case k.step > 0:
		steps := 0
		return stepsOf(func() {
			if steps++; steps == k.step {
				die()
			}
		}, k.dirs...)
	}
	return func() {}, nil
}

// onTheWay puts the points into a gate.
func (k *killer) onTheWay(config *gate.Config) {
	config.Store = killStore{config.Store, k}
	config.Write = killWriter{config.Write, k}
	if config.Log != nil {
		config.Log = killLog{config.Log, k}
	}
}
