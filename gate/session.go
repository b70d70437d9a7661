package gate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/breaker"
	"github.com/plangate/plangate/eval"
)

// Session is one conversation's hold on the gate, for the kernel that runs it. It
// may be used by any number of goroutines.
type Session struct {
	gate  *Gate
	id    string
	epoch int

	mu      sync.Mutex
	breaker *breaker.Breaker
	waiting map[string]bool // items whose end this kernel has not been told of
	warned  map[string]bool // downgrades that were reported
}

// Open opens a session, or takes it over from the kernel that had it: that one can
// plan and claim nothing any more, what it was running is interrupted, and verdicts
// for the session are forgotten (spec GAT-25, GAT-33).
func (g *Gate) Open(ctx context.Context, id string) (*Session, error) {
	return g.session(ctx, id, func(tx Tx, record *SessionRecord) ([]audit.Entry, error) {
		record.ID, record.Epoch, record.Opened = id, record.Epoch+1, g.now()
		if err := tx.PutSession(*record); err != nil {
			return nil, err
		}
		return g.interrupt(tx, id)
	})
}

// Join opens a session without taking it from anybody, for programs that handle one call
// each, such as the hooks of an agent CLI: all that have joined go on, and verdicts for the
// session hold among them until somebody opens it (spec GAT-44). What a program was
// running that died stays as it is.
func (g *Gate) Join(ctx context.Context, id string) (*Session, error) {
	return g.session(ctx, id, func(tx Tx, record *SessionRecord) ([]audit.Entry, error) {
		if record.Epoch > 0 {
			return nil, nil
		}
		record.ID, record.Epoch, record.Opened = id, 1, g.now()
		return nil, tx.PutSession(*record)
	})
}

// session returns a session as enter leaves its record, which is empty if there is none.
func (g *Gate) session(ctx context.Context, id string, enter func(Tx, *SessionRecord) ([]audit.Entry, error)) (*Session, error) {
	if err := checkID("session", id); err != nil {
		return nil, err
	}
	settings := g.config.Policy().Table.Settings()
	s := &Session{gate: g, id: id, waiting: map[string]bool{}, warned: map[string]bool{}}
	s.breaker = breaker.New(breaker.Config{
		Consecutive: settings.Breaker.Consecutive, Window: settings.Breaker.Window, Denials: settings.Breaker.Denials,
	})
	err := g.update(ctx, settings.Approvals.Audit, func(tx Tx) ([]audit.Entry, error) {
		record, err := tx.Session(id)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		entries, err := enter(tx, &record)
		s.epoch = record.Epoch
		return entries, err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// interrupt ends everything that was running in a session.
func (g *Gate) interrupt(tx Tx, session string) ([]audit.Entry, error) {
	var entries []audit.Entry
	err := eachItem(tx, Filter{Session: session, States: []State{Running}}, func(item Item) error {
		item.State, item.Ended = Interrupted, g.now()
		item.Text = interruptedText(&item)
		entries = append(entries, g.entry(audit.Interrupted, &item))
		return tx.PutItem(item)
	})
	return entries, err
}

// eachItem calls do for every item that fits a filter, page by page.
func eachItem(r Reader, filter Filter, do func(Item) error) error {
	filter.Limit = MaxPage
	for {
		items, err := r.Items(filter)
		if err != nil {
			return err
		}
		for _, item := range items {
			if err := do(item); err != nil {
				return err
			}
		}
		if len(items) < MaxPage {
			return nil
		}
		last := items[len(items)-1]
		filter.After = Cursor{Created: last.Created, ID: last.ID}
	}
}

// ID returns the id that the session was opened with.
func (s *Session) ID() string { return s.id }

// own checks that no other kernel has the session now, and locks it if r can write.
func (s *Session) own(r Reader) error {
	record, err := r.Session(s.id)
	if err != nil {
		return err
	}
	if record.Epoch != s.epoch {
		return ErrTakenOver
	}
	return nil
}

func (s *Session) settings() eval.Settings { return s.gate.config.Policy().Table.Settings() }

// UserMessage ends every item of the session that waits for an answer, because what
// the user says now comes after what was asked (spec GAT-32). Call it before the
// message is given to the model. It returns the items it ended.
func (s *Session) UserMessage(ctx context.Context) ([]Item, error) {
	if err := s.gate.expire(ctx, s.id); err != nil {
		return nil, err
	}
	var ended []Item
	err := s.gate.update(ctx, s.settings().Approvals.Audit, func(tx Tx) ([]audit.Entry, error) {
		ended = nil
		if err := s.own(tx); err != nil {
			return nil, err
		}
		var entries []audit.Entry
		err := eachItem(tx, Filter{Session: s.id, States: []State{Waiting}}, func(item Item) error {
			s.gate.deny(&item, EndSuperseded, "superseded")
			ended = append(ended, item)
			entries = append(entries, s.gate.entry(audit.ApprovalSuperseded, &item))
			return tx.PutItem(item)
		})
		return entries, err
	})
	if err != nil {
		return nil, err
	}
	s.told(ended)
	return ended, nil
}

// told notes that the kernel is told the end of these items, and counts the denials. It
// returns those that it had not been told of by another call.
func (s *Session) told(items []Item) (news []Item, trips []breaker.Trip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	news, trips = []Item{}, []breaker.Trip{}
	for _, item := range items {
		if !s.waiting[item.ID] {
			continue
		}
		delete(s.waiting, item.ID)
		news = append(news, item)
		if item.State == Denied {
			trips = append(trips, s.debit(&item)...)
		}
	}
	return news, trips
}

func checkID(what, id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%w: the %s has no id", ErrPlan, what)
	case len(id) > MaxIDBytes:
		return fmt.Errorf("%w: the id of the %s is longer than %d bytes", ErrPlan, what, MaxIDBytes)
	case !utf8.ValidString(id) || strings.ContainsRune(id, 0):
		return fmt.Errorf("%w: the id of the %s is not UTF-8 text without NUL", ErrPlan, what)
	default:
		return nil
	}
}
