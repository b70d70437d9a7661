package persisttest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/gate"
)

// start is when the first of the items of [Item] was created.
var start = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// Item returns the item with an index in the plan of a session's turn. It waits, and
// was created one second later for each turn's number.
func Item(session string, turn, index int) gate.Item {
	return gate.Item{
		ID: fmt.Sprintf("%s-%d-%02d", session, turn, index), Plan: fmt.Sprintf("%s-%06d", session, turn),
		Session: session, Turn: fmt.Sprint(turn), Index: index,
		Call: plangate.Call{
			ID: fmt.Sprintf("call-%d", index), Provider: "shell", Operation: "exec", Kind: plangate.Resource,
			Input: json.RawMessage(`{"command":"git push origin main"}`), Time: start,
		},
		Kind: plangate.Resource, Description: "Run a command", Digest: "sha256:00", ConcurrencyKey: "shell",
		Decision: gate.DecisionAsk, DecidedBy: "policy:ask-push", Policy: "sha256:11",
		Outcome: plangate.Outcome{
			Action: plangate.Ask, MatchedAction: plangate.Ask, DecidedBy: "policy:ask-push", Reason: "Pushing needs a human.",
			Rule: plangate.Rule{Type: plangate.RulePolicy, Name: "ask-push"}, Unknown: []string{},
		},
		State: gate.Waiting, Hold: eval.HoldItem, Created: start.Add(time.Duration(turn) * time.Second),
		Expires: start.Add(time.Hour), OnExpire: eval.ExpireDeny, Remember: []string{},
	}
}

// answered returns an item after an answer.
func answered(item gate.Item, scope gate.Scope, epoch int) gate.Item {
	item.State = gate.Ready
	item.Answer = &gate.Answer{Decision: plangate.Allow, Scope: scope, Actor: "ann", At: item.Created.Add(time.Minute), Epoch: epoch}
	return item
}

func entry(event audit.Event) audit.Entry { return audit.Entry{Event: event, Time: start} }

// update runs a change that must succeed.
func update(t *testing.T, store gate.Store, change func(gate.Tx) error) {
	t.Helper()
	if err := store.Update(context.Background(), change); err != nil {
		t.Fatal(err)
	}
}

// view reads what must be readable.
func view(t *testing.T, store gate.Store, read func(gate.Reader) error) {
	t.Helper()
	if err := store.View(context.Background(), read); err != nil {
		t.Fatal(err)
	}
}

// add stores items.
func add(t *testing.T, store gate.Store, items ...gate.Item) {
	t.Helper()
	update(t, store, func(tx gate.Tx) error { return tx.AddItems(items) })
}

// ids lists what a filter selects.
func ids(t *testing.T, store gate.Store, filter gate.Filter) []string {
	t.Helper()
	if filter.Limit == 0 {
		filter.Limit = gate.MaxPage
	}
	found := []string{}
	view(t, store, func(r gate.Reader) error {
		items, err := r.Items(filter)
		found = found[:0]
		for _, item := range items {
			found = append(found, item.ID)
		}
		return err
	})
	return found
}

// records reads the whole chain.
func records(t *testing.T, store gate.Store) (all []audit.Record) {
	t.Helper()
	view(t, store, func(r gate.Reader) error {
		all = nil
		for {
			page, err := r.Records(uint64(len(all)), 100)
			if err != nil || len(page) == 0 {
				return err
			}
			all = append(all, page...)
		}
	})
	return all
}

// checkChain fails unless the records follow each other.
func checkChain(t *testing.T, all []audit.Record) {
	t.Helper()
	var head audit.Head
	for i, record := range all {
		if record.Seq != uint64(i+1) || record.Prev != head.Hash {
			t.Fatalf("record %d has sequence %d and does not follow the one before", i+1, record.Seq)
		}
		if _, err := audit.ParseLine(record.Line()); err != nil {
			t.Fatalf("record %d: %v", record.Seq, err)
		}
		head = record.Head()
	}
}
