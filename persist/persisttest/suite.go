package persisttest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/gate"
)

// Run tests a store. open returns an empty one and closes it after the test.
func Run(t *testing.T, open func(t *testing.T) gate.Store) {
	t.Helper()
	tests := map[string]func(*testing.T, gate.Store){
		"what is not there is ErrNotFound":                             notFound,
		"sessions and plans are replaced":                              replaced,
		"a second plan of a turn is ErrDuplicate":                      secondPlan,
		"items come back as they were":                                 roundTrip,
		"names may be any UTF-8 text":                                  names,
		"what JSON cannot hold is refused":                             refused,
		"a taken id or call id is ErrDuplicate, and nothing is added":  duplicates,
		"PutItem does not add":                                         putMissing,
		"lists are in the order of creation and id":                    order,
		"pages join without gap or repetition":                         pages,
		"filters select":                                               filters,
		"limits of lists":                                              limits,
		"nothing expires early":                                        expiry,
		"an error of the callback rolls back and is returned as it is": failingCallback,
		"a panic of the callback rolls back":                           panicking,
		"a swallowed failure is not committed":                         swallowed,
		"a context ends waiting and running transactions":              cancelled,
		"a reader ends with its callback":                              usedLater,
		"a view is of one moment":                                      snapshot,
		"records are chained without gaps":                             chain,
		"a rolled back record leaves no gap":                           chainRollback,
		"concurrent appends are chained":                               chainRace,
		"of many answers one wins":                                     answerRace,
		"no increment of an epoch is lost, also the first":             epochRace,
		"of many plans of a turn one wins":                             planRace,
		"watchers are woken":                                           watch,
		"a watch ends with its context":                                watchEnds,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func notFound(t *testing.T, store gate.Store) {
	view(t, store, func(r gate.Reader) error {
		_, session := r.Session("s")
		_, plan := r.Plan("s", "t")
		_, item := r.Item("i")
		for name, err := range map[string]error{"session": session, "plan": plan, "item": item} {
			if !errors.Is(err, gate.ErrNotFound) || errors.Is(err, gate.ErrStoreUnavailable) {
				t.Errorf("%s: %v; want ErrNotFound", name, err)
			}
		}
		items, err := r.Items(gate.Filter{Limit: 1})
		if err != nil || len(items) != 0 {
			t.Errorf("%d items, %v", len(items), err)
		}
		all, err := r.Records(0, 1)
		if err != nil || len(all) != 0 {
			t.Errorf("%d records, %v", len(all), err)
		}
		return nil
	})
}

func replaced(t *testing.T, store gate.Store) {
	session := gate.SessionRecord{ID: "s", Epoch: 1, Opened: start}
	plan := gate.PlanRecord{ID: "p", Session: "s", Turn: "t", Items: 3, Created: start}
	for range 2 {
		update(t, store, func(tx gate.Tx) error { return errors.Join(tx.PutSession(session), tx.PutPlan(plan)) })
		view(t, store, func(r gate.Reader) error {
			gotSession, err := r.Session("s")
			gotPlan, planErr := r.Plan("s", "t")
			if diff := cmp.Diff(session, gotSession) + cmp.Diff(plan, gotPlan); diff != "" {
				t.Error(diff)
			}
			return errors.Join(err, planErr)
		})
		session.Epoch, plan.Settled = 2, start.AddDate(0, 1, 0)
	}
}

func secondPlan(t *testing.T, store gate.Store) {
	plan := func(id string, items int) gate.PlanRecord {
		return gate.PlanRecord{ID: id, Session: "s", Turn: "t", Items: items, Created: start}
	}
	update(t, store, func(tx gate.Tx) error { return tx.PutPlan(plan("p", 1)) })
	err := store.Update(context.Background(), func(tx gate.Tx) error { return tx.PutPlan(plan("q", 2)) })
	if !errors.Is(err, gate.ErrDuplicate) {
		t.Fatalf("%v; want ErrDuplicate", err)
	}
	view(t, store, func(r gate.Reader) error {
		got, err := r.Plan("s", "t")
		if got.ID != "p" || got.Items != 1 {
			t.Errorf("%+v; want p", got)
		}
		return err
	})
}

func roundTrip(t *testing.T, store gate.Store) {
	var items []gate.Item
	for i := range 250 { // several statements
		items = append(items, Item("s", 1, i))
	}
	full := answered(Item("s", 2, 0), gate.ScopeSession, 3)
	full.Original, full.Preview = []byte(`{"a":1e400,"b":" \u0000\ufffd"}`), []byte(`[null,"ä"]`)
	full.Text, full.Note, full.Prompt = "nul \x00, line \u2028, <b>&amp;", "'; DROP TABLE plangate_items; --?$1", "\ufffd"
	full.Remember = []string{"shell exec", ""}
	full.Claimed, full.Ended, full.Epoch = start.Add(1), start.Add(2), 3
	full.Result = &gate.Result{Output: []byte(`"` + strings.Repeat("x", 1<<20) + `"`)}
	items = append(items, full)
	add(t, store, items...)
	view(t, store, func(r gate.Reader) error {
		for _, want := range items {
			got, err := r.Item(want.ID)
			if err != nil {
				return err
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatal(diff)
			}
		}
		return nil
	})
}

func names(t *testing.T, store gate.Store) {
	long := strings.Repeat("n", 10_000)
	all := []string{
		"", " ", "a", "A", "a ", "a\x00", "a\x00b", "\x00", "ä", "a\u0308", "%", "_", `\`, `'`, `"`, "$1", "?", "\u202e", long, long + "\x00",
		"sha256:" + strings.Repeat("0", 64), strings.Repeat("é", 150),
		// What stands for the name "a\x00" in a database must not be taken for it.
		"sha256:" + "ffe9aaeaa2a2d5048174df0b80599ef0197ec024c4b051bc9860cff58ef7f9f3",
	}
	update(t, store, func(tx gate.Tx) error {
		for i, name := range all {
			item := Item("s", i, 0)
			item.Session, item.Turn, item.Call.ID = name, name, name
			err := errors.Join(
				tx.PutSession(gate.SessionRecord{ID: name, Epoch: i}),
				tx.PutPlan(gate.PlanRecord{ID: "p" + name, Session: name, Turn: name, Items: i}),
				tx.AddItems([]gate.Item{item}))
			if err != nil {
				t.Fatalf("%.20q: %v", name, err)
			}
		}
		return nil
	})
	view(t, store, func(r gate.Reader) error {
		for i, name := range all {
			session, err := r.Session(name)
			plan, planErr := r.Plan(name, name)
			if err != nil || planErr != nil || session.ID != name || session.Epoch != i || plan.Items != i || plan.Turn != name {
				t.Errorf("%.20q: %v, %v, session %d, plan %d; want %d", name, err, planErr, session.Epoch, plan.Items, i)
			}
			if name == "" {
				continue // selects all
			}
			items, err := r.Items(gate.Filter{Session: name, Limit: 10})
			if err != nil || len(items) != 1 || items[0].Session != name || items[0].Call.ID != name {
				t.Errorf("%.20q: %d items, %v; want its own", name, len(items), err)
			}
		}
		return nil
	})
}

func refused(t *testing.T, store gate.Store) {
	change := map[string]func(*gate.Item){
		"id is not UTF-8":       func(i *gate.Item) { i.ID = "\xff" },
		"session is not UTF-8":  func(i *gate.Item) { i.Session = "a\xc3" },
		"turn is not UTF-8":     func(i *gate.Item) { i.Turn = "\xff" },
		"call id is not UTF-8":  func(i *gate.Item) { i.Call.ID = "\xed\xa0\x80" },
		"raw JSON is no JSON":   func(i *gate.Item) { i.Call.Input = []byte("{") },
		"raw JSON is not UTF-8": func(i *gate.Item) { i.Preview = []byte("\"\xff\"") },
		"year 10000":            func(i *gate.Item) { i.Created = start.AddDate(8000, 0, 0) },
	}
	for name, change := range change {
		item := Item("s", 1, 0)
		change(&item)
		err := store.Update(context.Background(), func(tx gate.Tx) error { return tx.AddItems([]gate.Item{item}) })
		if err == nil || errors.Is(err, gate.ErrStoreUnavailable) {
			t.Errorf("%s: %v; want an error about the value", name, err)
		}
	}
	if got := ids(t, store, gate.Filter{}); len(got) != 0 {
		t.Errorf("%v was stored", got)
	}
}

func duplicates(t *testing.T, store gate.Store) {
	add(t, store, Item("s", 1, 0))
	sameCall := Item("s", 1, 1)
	sameCall.Call.ID = "call-0"
	for name, items := range map[string][]gate.Item{
		"id is taken":                 {Item("s", 1, 5), Item("s", 1, 0)},
		"call id is taken":            {Item("s", 1, 5), sameCall},
		"twice in one call":           {Item("s", 1, 5), Item("s", 1, 5)},
		"call id twice in one call":   {Item("s", 1, 5), Item("s", 1, 6), sameCall},
		"far behind in a long list":   append(many("s", 2, 210), Item("s", 1, 0)),
		"same call id, other session": {Item("r", 1, 0), Item("s", 1, 0)},
	} {
		err := store.Update(context.Background(), func(tx gate.Tx) error {
			return errors.Join(tx.PutSession(gate.SessionRecord{ID: "new"}), tx.AddItems(items))
		})
		if !errors.Is(err, gate.ErrDuplicate) {
			t.Errorf("%s: %v; want ErrDuplicate", name, err)
		}
	}
	if got := ids(t, store, gate.Filter{}); len(got) != 1 {
		t.Errorf("%d items; want the first only", len(got))
	}
	err := store.View(context.Background(), func(r gate.Reader) error {
		_, err := r.Session("new")
		return err
	})
	if !errors.Is(err, gate.ErrNotFound) {
		t.Errorf("a write of a failed transaction was kept: %v", err)
	}
	add(t, store, Item("r", 1, 0), Item("s", 2, 0)) // the same call id in another session and turn
}

func many(session string, turn, n int) (items []gate.Item) {
	for i := range n {
		items = append(items, Item(session, turn, i))
	}
	return items
}

func putMissing(t *testing.T, store gate.Store) {
	update(t, store, func(tx gate.Tx) error {
		if err := tx.PutItem(Item("s", 1, 0)); !errors.Is(err, gate.ErrNotFound) {
			t.Errorf("%v; want ErrNotFound", err)
		}
		return nil
	})
	if got := ids(t, store, gate.Filter{}); len(got) != 0 {
		t.Errorf("%v was added", got)
	}
}

func failingCallback(t *testing.T, store gate.Store) {
	want := errors.New("no")
	err := store.Update(context.Background(), func(tx gate.Tx) error {
		if err := errors.Join(tx.AddItems(many("s", 1, 2)), tx.Append(entry(audit.Decision))); err != nil {
			return err
		}
		return want
	})
	if err != want { //nolint:errorlint // it is promised unchanged
		t.Errorf("%v; want the callback's own error", err)
	}
	if got := ids(t, store, gate.Filter{}); len(got) != 0 || len(records(t, store)) != 0 {
		t.Errorf("%v was written", got)
	}
	if err := store.View(context.Background(), func(gate.Reader) error { return want }); err != want { //nolint:errorlint // as above
		t.Errorf("%v; want the callback's own error", err)
	}
}

func panicking(t *testing.T, store gate.Store) {
	for range 20 { // more than there are connections
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic is gone")
				}
			}()
			_ = store.Update(context.Background(), func(tx gate.Tx) error {
				if err := tx.AddItems(many("s", 1, 1)); err != nil {
					return err
				}
				panic("no")
			})
		}()
	}
	if got := ids(t, store, gate.Filter{}); len(got) != 0 {
		t.Errorf("%v was written", got)
	}
	add(t, store, Item("s", 1, 0))
}

func swallowed(t *testing.T, store gate.Store) {
	add(t, store, Item("s", 1, 0))
	err := store.Update(context.Background(), func(tx gate.Tx) error {
		_ = tx.AddItems([]gate.Item{Item("s", 1, 1), Item("s", 1, 0)})
		_ = tx.PutSession(gate.SessionRecord{ID: "s"})
		return nil
	})
	if !errors.Is(err, gate.ErrDuplicate) {
		t.Errorf("%v; want ErrDuplicate", err)
	}
	if got := ids(t, store, gate.Filter{}); !slices.Equal(got, []string{"s-1-00"}) {
		t.Errorf("%v was written", got)
	}
}

func usedLater(t *testing.T, store gate.Store) {
	var kept gate.Tx
	var keptReader gate.Reader
	update(t, store, func(tx gate.Tx) error { kept = tx; return nil })
	view(t, store, func(r gate.Reader) error { keptReader = r; return nil })
	_, err := keptReader.Item("i")
	for name, err := range map[string]error{
		"PutSession": kept.PutSession(gate.SessionRecord{}), "AddItems": kept.AddItems(many("s", 1, 1)),
		"PutItem": kept.PutItem(Item("s", 1, 0)), "Append": kept.Append(entry(audit.Decision)), "Item": err,
	} {
		if err == nil || errors.Is(err, gate.ErrNotFound) {
			t.Errorf("%s after the end: %v; want an error", name, err)
		}
	}
}
