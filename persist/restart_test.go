package persist_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/internal/pgtest"
	"github.com/plangate/plangate/persist"
	"github.com/plangate/plangate/persist/persisttest"
)

// load answers items through two handles, each item by two workers that compete. It
// counts what they are told.
type load struct {
	items   int
	next    atomic.Int64 // two workers get the same item
	won     atomic.Int64 // answers that Update confirmed
	found   atomic.Int64 // answers whose outcome was unknown and that were there
	unknown atomic.Int64
	failed  atomic.Int64 // tries that failed with an error
	done    chan struct{}
}

func startLoad(t *testing.T, items int, handles ...*persist.DB) *load {
	t.Helper()
	l := &load{items: items, done: make(chan struct{})}
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Go(func() {
			for n := l.next.Add(1) - 1; n < int64(2*items); n = l.next.Add(1) - 1 {
				l.answer(t, handles[w%len(handles)], itemID(int(n/2)), fmt.Sprintf("worker %d, try %d", w, n))
			}
		})
	}
	go func() {
		workers.Wait()
		close(l.done)
	}()
	return l
}

// answer tries until it knows whether its answer won.
func (l *load) answer(t *testing.T, db *persist.DB, id, actor string) {
	for {
		err := db.Update(context.Background(), persisttest.Answer(id, actor))
		switch {
		case err == nil:
			l.won.Add(1)
			return
		case errors.Is(err, persisttest.ErrLost):
			return
		case !errors.Is(err, gate.ErrStoreUnavailable):
			t.Errorf("%v; want ErrStoreUnavailable", err)
			return
		case errors.Is(err, persist.ErrOutcomeUnknown):
			l.unknown.Add(1)
			if l.isThere(db, id, actor) {
				l.found.Add(1)
				return
			}
		default:
			l.failed.Add(1)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// isThere reads until it knows whether an answer was made.
func (l *load) isThere(db *persist.DB, id, actor string) (there bool) {
	for {
		err := db.View(context.Background(), func(r gate.Reader) error {
			item, err := r.Item(id)
			there = item.Answer != nil && item.Answer.Actor == actor
			return err
		})
		if err == nil {
			return there
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// reach waits until a share of the work is done.
func (l *load) reach(t *testing.T, share float64) {
	t.Helper()
	late := time.After(time.Minute)
	for float64(l.next.Load()) < share*float64(2*l.items) {
		select {
		case <-late:
			t.Fatalf("%d tries within a minute", l.next.Load())
		case <-time.After(time.Millisecond):
		}
	}
}

// check waits for the end and compares what the workers were told with what is there.
func (l *load) check(t *testing.T, db *persist.DB) {
	t.Helper()
	select {
	case <-l.done:
	case <-time.After(2 * time.Minute):
		t.Fatal("the load does not end")
	}
	if won, found := l.won.Load(), l.found.Load(); won+found != int64(l.items) {
		t.Errorf("%d answers won and %d were found; want %d together", won, found, l.items)
	}
	checkAnswers(t, db, l.items)
	t.Logf("%d items: %d confirmed, %d outcomes unknown (%d of them made), %d clear errors",
		l.items, l.won.Load(), l.unknown.Load(), l.found.Load(), l.failed.Load())
}

func TestPostgresRestartedUnderLoad(t *testing.T) {
	t.Parallel()
	const items = 2000
	server := pgtest.Start(t)
	one, two := open(t, server.DSN()), open(t, server.DSN())
	watcher, err := one.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	addItems(t, one, items)
	l := startLoad(t, items, one, two)
	for i, end := range []func(testing.TB){server.Stop, server.Kill, server.Stop, server.Kill} {
		l.reach(t, 0.1+0.2*float64(i))
		end(t)
		time.Sleep(50 * time.Millisecond) // that workers meet a server that is not there
		server.Restart(t)
	}
	l.check(t, two)
	if l.failed.Load()+l.unknown.Load() == 0 {
		t.Error("no worker noticed that the server was gone")
	}
	settle(watcher)
	update(t, two, func(tx gate.Tx) error { return tx.PutSession(gate.SessionRecord{ID: "after"}) })
	select {
	case <-watcher:
	case <-time.After(5 * time.Second):
		t.Error("the listener did not come back")
	}
}

func TestConnectionsCutUnderLoad(t *testing.T) {
	t.Parallel()
	const items = 600
	dsn := pgtest.Database(t)
	one, two := open(t, dsn), open(t, dsn)
	addItems(t, one, items)
	admin, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	l := startLoad(t, items, one, two)
	cut := 0
	for running := true; running; {
		tag, err := admin.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		if err != nil {
			t.Fatal(err)
		}
		cut += int(tag.RowsAffected())
		select {
		case <-l.done:
			running = false
		case <-time.After(15 * time.Millisecond):
		}
	}
	l.check(t, one)
	t.Logf("%d connections cut", cut)
	if cut < 20 {
		t.Errorf("only %d connections were cut", cut)
	}
}

func TestServerIsNotThere(t *testing.T) {
	server := pgtest.Start(t)
	db := open(t, server.DSN())
	server.Stop(t)
	begin := time.Now()
	for name, err := range map[string]error{
		"Update": db.Update(t.Context(), func(gate.Tx) error { return nil }),
		"View":   db.View(t.Context(), func(gate.Reader) error { return nil }),
	} {
		if !errors.Is(err, gate.ErrStoreUnavailable) || errors.Is(err, persist.ErrOutcomeUnknown) || gate.Code(err) != "store_unavailable" {
			t.Errorf("%s: %v; want ErrStoreUnavailable", name, err)
		}
	}
	dsn := strings.Replace(server.DSN(), "postgres@", "postgres:secret-word@", 1)
	_, err := persist.Open(t.Context(), dsn)
	if !errors.Is(err, gate.ErrStoreUnavailable) || strings.Contains(fmt.Sprint(err), "secret-word") {
		t.Errorf("Open: %v; want ErrStoreUnavailable without the password", err)
	}
	if _, err := persist.Open(t.Context(), "postgres://u:secret-word@[x"); err == nil || strings.Contains(err.Error(), "secret-word") {
		t.Errorf("Open: %v; want an error without the password", err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %s to say so", took)
	}
	server.Restart(t)
	update(t, db, func(tx gate.Tx) error { return tx.PutSession(gate.SessionRecord{ID: "s"}) })
}

// A transaction that waits for a lock longer than it may says so and leaves nothing.
func TestLockTimeout(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t)
	holder, waiter := open(t, dsn), open(t, dsn+"&lock_timeout=100")
	addItems(t, holder, 1)
	update(t, holder, func(tx gate.Tx) error {
		if _, err := tx.Item(itemID(0)); err != nil {
			return err
		}
		err := waiter.Update(t.Context(), persisttest.Answer(itemID(0), "x"))
		if !errors.Is(err, gate.ErrStoreUnavailable) {
			t.Errorf("%v; want ErrStoreUnavailable", err)
		}
		return nil
	})
	update(t, waiter, persisttest.Answer(itemID(0), "y"))
}

// Two transactions that lock two items in opposite order both end.
func TestDeadlock(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t)
	one, two := open(t, dsn), open(t, dsn)
	addItems(t, one, 2)
	var both sync.WaitGroup
	var met sync.WaitGroup
	met.Add(2)
	for i, db := range []*persist.DB{one, two} {
		runs := 0
		both.Go(func() {
			err := db.Update(t.Context(), func(tx gate.Tx) error {
				_, err := tx.Item(itemID(i))
				if runs++; runs == 1 {
					met.Done()
					met.Wait()
				}
				_, other := tx.Item(itemID(1 - i))
				return errors.Join(err, other, tx.PutSession(gate.SessionRecord{ID: fmt.Sprint(i), Epoch: runs}))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	sum := 0
	for i := range 2 {
		err := one.View(t.Context(), func(r gate.Reader) error {
			session, err := r.Session(fmt.Sprint(i))
			sum += session.Epoch
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if sum != 3 {
		t.Errorf("%d runs; want 3, since one had to be repeated", sum)
	}
}

// What the database asks to be repeated is repeated, at a statement and at the commit,
// until it asks too often. Other errors are not.
func TestRepeated(t *testing.T) {
	for name, test := range map[string]struct {
		code     string
		deferred string // when the error comes
		times    int
		repeated bool
	}{
		"serialization failure":             {"40001", "", 3, true},
		"deadlock":                          {"40P01", "", 3, true},
		"CockroachDB's own code":            {"CR000", "", 3, true},
		"serialization failure at commit":   {"40001", "DEFERRABLE INITIALLY DEFERRED", 3, true},
		"for ever":                          {"40001", "", 1000, false},
		"for ever at commit":                {"40001", "DEFERRABLE INITIALLY DEFERRED", 1000, false},
		"disk full":                         {"53100", "", 1, false},
		"out of memory at commit":           {"53200", "DEFERRABLE INITIALLY DEFERRED", 1, false},
		"the server goes read-only":         {"25006", "", 1, false},
		"an error that nobody has foreseen": {"ZZ999", "", 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := pgtest.Database(t)
			db := open(t, dsn)
			execute(t, dsn, fmt.Sprintf(`CREATE SEQUENCE tries; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
				BEGIN IF nextval('tries') <= %d THEN RAISE EXCEPTION 'again' USING ERRCODE = '%s'; END IF; RETURN NULL; END $$;
				CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON plangate_sessions %s FOR EACH ROW EXECUTE FUNCTION fail()`,
				test.times, test.code, test.deferred))
			runs := 0
			err := db.Update(t.Context(), func(tx gate.Tx) error {
				runs++
				return tx.PutSession(gate.SessionRecord{ID: "s", Epoch: runs})
			})
			switch {
			case test.repeated && (err != nil || runs != test.times+1):
				t.Errorf("%v after %d runs; want none after %d", err, runs, test.times+1)
			case !test.repeated && (!errors.Is(err, gate.ErrStoreUnavailable) || errors.Is(err, persist.ErrOutcomeUnknown)):
				t.Errorf("%v; want ErrStoreUnavailable and nothing written", err)
			case !test.repeated && test.times == 1 && runs != 1:
				t.Errorf("%d runs; want 1", runs)
			}
		})
	}
}

// A chain whose tables were changed by hand is not gone on with.
func TestChainBehindItsHead(t *testing.T) {
	dsn := pgtest.Database(t)
	db := open(t, dsn)
	execute(t, dsn, fmt.Sprintf("INSERT INTO plangate_audit (seq, body) VALUES (1, '{}'), (%d, '{}')", math.MaxInt64))
	addItems(t, db, 1)
	err := db.Update(t.Context(), persisttest.Answer(itemID(0), "x"))
	if !errors.Is(err, gate.ErrStoreUnavailable) || errors.Is(err, gate.ErrDuplicate) {
		t.Errorf("%v; want ErrStoreUnavailable", err)
	}
}

// execute changes a PostgreSQL database from outside.
func execute(t testing.TB, dsn, statement string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatal(err)
	}
}
