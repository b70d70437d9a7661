package gate_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/gate"
)

// memory is a store in memory, with transactions one after the other. It keeps values
// as JSON, so that nothing survives that would not survive a database.
type memory struct {
	mu       sync.Mutex
	state    state
	watchers []chan struct{}
	fail     error // of the next commit
}

type state struct {
	sessions map[string][]byte
	plans    map[[2]string][]byte
	items    map[string][]byte
	calls    map[[3]string]bool
	records  []audit.Record
}

func newMemory() *memory { return &memory{state: state{}.clone()} }

func (s state) clone() state {
	c := state{map[string][]byte{}, map[[2]string][]byte{}, map[string][]byte{}, map[[3]string]bool{}, slices.Clone(s.records)}
	for k, v := range s.sessions {
		c.sessions[k] = v
	}
	for k, v := range s.plans {
		c.plans[k] = v
	}
	for k, v := range s.items {
		c.items[k] = v
	}
	for k, v := range s.calls {
		c.calls[k] = v
	}
	return c
}

func (m *memory) Update(_ context.Context, change func(gate.Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	// A first run is thrown away: a store may run a change several times.
	if err := change(&memoryTx{m.state.clone()}); err != nil {
		return err
	}
	tx := &memoryTx{m.state.clone()}
	if err := change(tx); err != nil {
		return errors.Join(errors.New("the second run of a change failed"), err)
	}
	m.state = tx.state
	for _, w := range m.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
	return nil
}

func (m *memory) View(_ context.Context, read func(gate.Reader) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return read(&memoryTx{m.state})
}

func (m *memory) Watch(context.Context) (<-chan struct{}, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := make(chan struct{}, 1)
	m.watchers = append(m.watchers, w)
	return w, nil
}

type memoryTx struct{ state }

func get[T any](text []byte, ok bool) (value T, err error) {
	if !ok {
		return value, gate.ErrNotFound
	}
	err = json.Unmarshal(text, &value)
	return value, err
}

func put(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

func (tx *memoryTx) Session(id string) (gate.SessionRecord, error) {
	text, ok := tx.sessions[id]
	return get[gate.SessionRecord](text, ok)
}

func (tx *memoryTx) Plan(session, turn string) (gate.PlanRecord, error) {
	text, ok := tx.plans[[2]string{session, turn}]
	return get[gate.PlanRecord](text, ok)
}

func (tx *memoryTx) Item(id string) (gate.Item, error) {
	text, ok := tx.items[id]
	return get[gate.Item](text, ok)
}

func (tx *memoryTx) Items(f gate.Filter) ([]gate.Item, error) {
	var found []gate.Item
	for _, text := range tx.items {
		item, err := get[gate.Item](text, true)
		if err != nil {
			return nil, err
		}
		if fits(&item, &f) {
			found = append(found, item)
		}
	}
	slices.SortFunc(found, func(a, b gate.Item) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return found[:min(len(found), f.Limit)], nil
}

func fits(item *gate.Item, f *gate.Filter) bool {
	after := cmp.Or(item.Created.Compare(f.After.Created), cmp.Compare(item.ID, f.After.ID)) > 0
	return (f.Session == "" || f.Session == item.Session) &&
		(f.Plan == "" || f.Plan == item.Plan) &&
		(len(f.States) == 0 || slices.Contains(f.States, item.State)) &&
		(f.ExpiresBy.IsZero() || !item.Expires.IsZero() && !item.Expires.After(f.ExpiresBy)) &&
		(f.SessionVerdicts == 0 || item.Answer != nil && item.Answer.Scope == gate.ScopeSession && item.Answer.Epoch == f.SessionVerdicts) &&
		(f.After == gate.Cursor{} || after)
}

func (tx *memoryTx) Records(after uint64, limit int) ([]audit.Record, error) {
	records := tx.records[min(uint64(len(tx.records)), after):]
	return records[:min(len(records), limit)], nil
}

func (tx *memoryTx) PutSession(s gate.SessionRecord) error {
	tx.sessions[s.ID] = put(s)
	return nil
}

func (tx *memoryTx) PutPlan(p gate.PlanRecord) error {
	key := [2]string{p.Session, p.Turn}
	if old, err := tx.Plan(p.Session, p.Turn); err == nil && old.ID != p.ID {
		return gate.ErrDuplicate
	}
	tx.plans[key] = put(p)
	return nil
}

func (tx *memoryTx) AddItems(items []gate.Item) error {
	for _, item := range items {
		key := [3]string{item.Session, item.Turn, item.Call.ID}
		if tx.items[item.ID] != nil || tx.calls[key] {
			return gate.ErrDuplicate
		}
		tx.calls[key] = true
		tx.items[item.ID] = put(item)
	}
	return nil
}

func (tx *memoryTx) PutItem(item gate.Item) error {
	if tx.items[item.ID] == nil {
		return gate.ErrNotFound
	}
	tx.items[item.ID] = put(item)
	return nil
}

func (tx *memoryTx) Append(entries ...audit.Entry) error {
	var head audit.Head
	if n := len(tx.records); n > 0 {
		head = tx.records[n-1].Head()
	}
	for _, e := range entries {
		record := audit.Seal(head, e)
		head = record.Head()
		tx.records = append(tx.records, record)
	}
	return nil
}
