package persisttest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/gate"
)

// racers is how many goroutines compete.
const racers = 32

// race runs n goroutines at once.
func race(n int, run func(i int)) {
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-begin
			run(i)
		})
	}
	close(begin)
	all.Wait()
}

// ErrLost is what Answer returns if the item does not wait.
var ErrLost = errors.New("lost")

// Answer is an update that answers a waiting item with its record, and loses if it
// does not wait any more.
func Answer(id, actor string) func(gate.Tx) error {
	return func(tx gate.Tx) error {
		item, err := tx.Item(id)
		if err != nil {
			return err
		}
		if item.State != gate.Waiting {
			return ErrLost
		}
		item = answered(item, gate.ScopeOnce, 1)
		item.Answer.Actor = actor
		record := entry(audit.ApprovalAnswered)
		record.Item, record.Actor = id, actor
		return errors.Join(tx.PutItem(item), tx.Append(record))
	}
}

// RaceAnswers lets goroutines answer one waiting item through several handles of a
// store, and fails unless exactly one wins and it alone is recorded.
func RaceAnswers(t *testing.T, stores ...gate.Store) {
	t.Helper()
	add(t, stores[0], Item("race", 1, 0))
	var won atomic.Int32
	var winner atomic.Value
	race(racers*len(stores), func(i int) {
		actor := fmt.Sprint(i)
		switch err := stores[i%len(stores)].Update(context.Background(), Answer("race-1-00", actor)); {
		case err == nil:
			won.Add(1)
			winner.Store(actor)
		case !errors.Is(err, ErrLost):
			t.Error(err)
		}
	})
	if won.Load() != 1 {
		t.Fatalf("%d answers won; want 1", won.Load())
	}
	view(t, stores[0], func(r gate.Reader) error {
		item, err := r.Item("race-1-00")
		if item.State != gate.Ready || item.Answer == nil || item.Answer.Actor != winner.Load() {
			t.Errorf("the item is %s by %+v; want that of %s", item.State, item.Answer, winner.Load())
		}
		return err
	})
	all := records(t, stores[0])
	checkChain(t, all)
	if len(all) != 1 || all[0].Actor != winner.Load() {
		t.Errorf("%d records; want that of the winner", len(all))
	}
}

// RaceEpochs lets goroutines open one session through several handles of a store, and
// fails if two get the same epoch.
func RaceEpochs(t *testing.T, stores ...gate.Store) {
	t.Helper()
	var seen sync.Map
	n := racers * len(stores)
	race(n, func(i int) {
		var epoch int
		err := stores[i%len(stores)].Update(context.Background(), func(tx gate.Tx) error {
			session, err := tx.Session("race")
			if err != nil && !errors.Is(err, gate.ErrNotFound) {
				return err
			}
			epoch = session.Epoch + 1
			return tx.PutSession(gate.SessionRecord{ID: "race", Epoch: epoch})
		})
		if err != nil {
			t.Error(err)
		} else if _, twice := seen.LoadOrStore(epoch, true); twice {
			t.Errorf("epoch %d was given twice", epoch)
		}
	})
	view(t, stores[0], func(r gate.Reader) error {
		session, err := r.Session("race")
		if session.Epoch != n {
			t.Errorf("epoch %d; want %d", session.Epoch, n)
		}
		return err
	})
}

// RacePlans lets goroutines make the plan of one turn through several handles of a
// store, and fails unless all end up with the same one.
func RacePlans(t *testing.T, stores ...gate.Store) {
	t.Helper()
	var made atomic.Int32
	race(racers*len(stores), func(i int) {
		created := false
		err := stores[i%len(stores)].Update(context.Background(), func(tx gate.Tx) error {
			created = false
			_, err := tx.Plan("race", "turn")
			if !errors.Is(err, gate.ErrNotFound) {
				return err
			}
			created = true
			item := Item("race", i, 0)
			item.Turn = "turn"
			return errors.Join(tx.PutPlan(gate.PlanRecord{ID: fmt.Sprint(i), Session: "race", Turn: "turn"}), tx.AddItems([]gate.Item{item}))
		})
		if err != nil {
			t.Error(err)
		} else if created {
			made.Add(1)
		}
	})
	if got := ids(t, stores[0], gate.Filter{}); made.Load() != 1 || len(got) != 1 {
		t.Errorf("%d plans with items %v; want one", made.Load(), got)
	}
}

func answerRace(t *testing.T, store gate.Store) { RaceAnswers(t, store) }
func epochRace(t *testing.T, store gate.Store)  { RaceEpochs(t, store) }
func planRace(t *testing.T, store gate.Store)   { RacePlans(t, store) }

func chain(t *testing.T, store gate.Store) {
	const n = 250
	update(t, store, func(tx gate.Tx) error {
		return errors.Join(tx.Append(), tx.Append(entry(audit.Decision)), tx.Append(entry(audit.ApprovalCreated), entry(audit.Claimed)))
	})
	entries := make([]audit.Entry, n)
	for i := range entries {
		entries[i] = entry(audit.Completed)
		entries[i].Message = "ä\x00\xff"
	}
	update(t, store, func(tx gate.Tx) error { return tx.Append(entries...) })
	all := records(t, store)
	checkChain(t, all)
	if len(all) != n+3 || all[1].Event != audit.ApprovalCreated || all[2].Event != audit.Claimed {
		t.Errorf("%d records; want %d in the order of their writing", len(all), n+3)
	}
	view(t, store, func(r gate.Reader) error {
		page, err := r.Records(100, 7)
		if len(page) != 7 || page[0].Seq != 101 {
			t.Errorf("%d records from %d; want 7 from 101", len(page), page[0].Seq)
		}
		return err
	})
}

func chainRollback(t *testing.T, store gate.Store) {
	stop := errors.New("stop")
	for i := range 3 {
		err := store.Update(context.Background(), func(tx gate.Tx) error { return errors.Join(tx.Append(entry(audit.Decision)), stop) })
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
		update(t, store, func(tx gate.Tx) error { return tx.Append(entry(audit.Claimed)) })
		all := records(t, store)
		checkChain(t, all)
		if len(all) != i+1 || all[i].Event != audit.Claimed {
			t.Fatalf("%d records; want %d", len(all), i+1)
		}
	}
}

func chainRace(t *testing.T, store gate.Store) {
	race(racers, func(i int) {
		for n := range 3 {
			err := store.Update(context.Background(), func(tx gate.Tx) error {
				return errors.Join(tx.AddItems(many(fmt.Sprint(i), n, 1)), tx.Append(entry(audit.Decision), entry(audit.ApprovalCreated)))
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	all := records(t, store)
	checkChain(t, all)
	if len(all) != racers*3*2 {
		t.Errorf("%d records; want %d", len(all), racers*3*2)
	}
}

func snapshot(t *testing.T, store gate.Store) {
	add(t, store, Item("s", 1, 0))
	view(t, store, func(r gate.Reader) error {
		if _, err := r.Item("s-1-00"); err != nil {
			return err
		}
		update(t, store, func(tx gate.Tx) error {
			// What is not committed cannot be seen, and reading does not wait for it.
			if err := errors.Join(tx.PutItem(answered(Item("s", 1, 0), gate.ScopeOnce, 1)), tx.AddItems(many("s", 2, 1))); err != nil {
				return err
			}
			if got := ids(t, store, gate.Filter{}); len(got) != 1 {
				t.Errorf("another view sees %v before the commit", got)
			}
			return nil
		})
		item, err := r.Item("s-1-00")
		if item.State != gate.Waiting {
			t.Errorf("the view saw the item %s after it saw it wait", item.State)
		}
		items, listErr := r.Items(gate.Filter{Limit: 10})
		if len(items) != 1 {
			t.Errorf("the view sees %d items; want 1", len(items))
		}
		return errors.Join(err, listErr)
	})
}

func cancelled(t *testing.T, store gate.Store) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	unreached := errors.New("it ran")
	for name, err := range map[string]error{
		"Update": store.Update(ended, func(gate.Tx) error { return unreached }),
		"View":   store.View(ended, func(gate.Reader) error { return unreached }),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v; want context.Canceled", name, err)
		}
	}
	during, cancel := context.WithCancel(context.Background())
	err := store.Update(during, func(tx gate.Tx) error {
		err := tx.AddItems(many("s", 1, 1))
		cancel()
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the commit: %v; want context.Canceled", err)
	}
	if got := ids(t, store, gate.Filter{}); len(got) != 0 {
		t.Errorf("%v was written", got)
	}
	add(t, store, Item("s", 1, 0))
	update(t, store, func(tx gate.Tx) error {
		if _, err := tx.Item("s-1-00"); err != nil {
			return err
		}
		short, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		// The item is locked, so this one waits until its time ends.
		if err := store.Update(short, Answer("s-1-00", "x")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting for a lock: %v; want context.DeadlineExceeded", err)
		}
		return nil
	})
	update(t, store, Answer("s-1-00", "y"))
}

// wakeTime is how long a test waits for a watcher of the same handle, which is to be
// woken at once.
const wakeTime = 10 * time.Second

func watch(t *testing.T, store gate.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	one, err := store.Watch(ctx)
	two, otherErr := store.Watch(ctx)
	if err := errors.Join(err, otherErr); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		add(t, store, Item("s", i, 0))
		for _, watcher := range []<-chan struct{}{one, two} {
			select {
			case <-watcher:
			case <-time.After(wakeTime):
				t.Fatal("a watcher was not woken")
			}
		}
	}
	// Nobody reads: Update does not wait for it, and one value is left.
	for i := range 20 {
		add(t, store, Item("r", i, 0))
	}
	if len(one) != 1 {
		t.Errorf("%d values lie in the channel; want 1", len(one))
	}
}

func watchEnds(t *testing.T, store gate.Store) {
	for range 3 { // the last watcher's end must not be the end of watching
		ctx, cancel := context.WithCancel(context.Background())
		watcher, err := store.Watch(ctx)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		late := time.After(wakeTime)
		for open := true; open; {
			select {
			case _, open = <-watcher:
			case <-late:
				t.Fatal("the channel is not closed")
			}
		}
		add(t, store, Item("s", time.Now().Nanosecond(), 0))
	}
}
