package persist_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/internal/pgtest"
	"github.com/plangate/plangate/persist"
	"github.com/plangate/plangate/persist/persisttest"
)

// What a proxy does with the next COMMIT.
const (
	forward  = iota
	swallow  // cut the connection before the server sees it
	noAnswer // cut the connection before the client sees the answer
)

// commit is the message of the protocol with which a transaction ends.
var commit = []byte("Q\x00\x00\x00\x0bCOMMIT\x00")

// proxy stands between a store and its server.
type proxy struct {
	server string
	mode   atomic.Int32
}

// startProxy returns the URL of a database through a proxy.
func startProxy(t *testing.T, dsn string) (*proxy, string) {
	t.Helper()
	address, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	p := &proxy{server: address.Host}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	address.Host = listener.Addr().String()
	return p, address.String()
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	var deaf atomic.Bool
	go func() {
		defer client.Close()
		pipe(client, server, func([]byte) bool { return !deaf.Load() })
	}()
	pipe(server, client, func(message []byte) bool {
		if !bytes.Contains(message, commit) {
			return true
		}
		mode := p.mode.Swap(forward)
		if mode == noAnswer {
			deaf.Store(true)
		}
		return mode != swallow
	})
	time.Sleep(10 * time.Millisecond)
}

// pipe copies messages while keep says so.
func pipe(to, from net.Conn, keep func([]byte) bool) {
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if err != nil || !keep(buffer[:n]) {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func TestLostCommit(t *testing.T) {
	for name, test := range map[string]struct {
		mode int32
		made bool
	}{
		"the server did not get it":    {swallow, false},
		"the answer did not come back": {noAnswer, true},
	} {
		t.Run(name, func(t *testing.T) {
			dsn := pgtest.Database(t)
			proxy, through := startProxy(t, dsn)
			direct, db := open(t, dsn), open(t, through)
			addItems(t, direct, 1)
			proxy.mode.Store(test.mode)
			runs := 0
			err := db.Update(t.Context(), func(tx gate.Tx) error {
				runs++
				return persisttest.Answer(itemID(0), "x")(tx)
			})
			if !errors.Is(err, persist.ErrOutcomeUnknown) || !errors.Is(err, gate.ErrStoreUnavailable) || runs != 1 {
				t.Fatalf("%v after %d runs; want ErrOutcomeUnknown after one", err, runs)
			}
			// The caller reads, as the error says, and goes on.
			time.Sleep(100 * time.Millisecond)
			err = db.View(t.Context(), func(r gate.Reader) error {
				item, err := r.Item(itemID(0))
				if made := item.State != gate.Waiting; made != test.made {
					t.Errorf("made: %t; want %t", made, test.made)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if !test.made {
				update(t, db, persisttest.Answer(itemID(0), "y"))
			}
			checkAnswers(t, direct, 1)
		})
	}
}

// A server that stops answering is not waited for beyond the caller's time.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := persist.Open(ctx, "postgres://u@"+listener.Addr().String()+"/d?sslmode=disable"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v; want context.DeadlineExceeded", err)
	}
	_, err = persist.Open(t.Context(), "postgres://u@"+listener.Addr().String()+"/d?sslmode=disable&connect_timeout=1")
	if !errors.Is(err, gate.ErrStoreUnavailable) {
		t.Errorf("%v; want ErrStoreUnavailable", err)
	}
}

// A database without notifications (CockroachDB has none) works, and its watchers are
// woken once per second.
func TestWithoutNotify(t *testing.T) {
	t.Parallel()
	for name, fake := range map[string]string{
		"not supported": "BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '0A000'; END",
		"ignored":       "BEGIN RETURN; END",
	} {
		t.Run(name, func(t *testing.T) {
			dsn := pgtest.Database(t)
			execute(t, dsn, "CREATE FUNCTION public.pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS $$"+fake+"$$")
			dsn += "&search_path=public,pg_catalog"
			one, two := open(t, dsn), open(t, dsn)
			watcher, err := one.Watch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for turn := range 2 {
				update(t, two, func(tx gate.Tx) error { return tx.AddItems([]gate.Item{persisttest.Item("s", turn, 0)}) })
				select {
				case <-watcher:
				case <-time.After(10 * time.Second):
					t.Fatal("the watcher was not woken")
				}
			}
		})
	}
}

func TestPostgresNewerSchema(t *testing.T) {
	dsn := pgtest.Database(t)
	open(t, dsn).Close()
	execute(t, dsn, "UPDATE plangate_meta SET version = 1000")
	if _, err := persist.Open(t.Context(), dsn); !errors.Is(err, persist.ErrNewerSchema) {
		t.Errorf("%v; want ErrNewerSchema", err)
	}
}

// An account that may only read and write rows can use a store that is there.
func TestPostgresFewRights(t *testing.T) {
	dsn := pgtest.Database(t)
	addItems(t, open(t, dsn), 1)
	execute(t, dsn, `DROP ROLE IF EXISTS plangate_few; CREATE ROLE plangate_few LOGIN;
		GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO plangate_few`)
	t.Cleanup(func() { execute(t, dsn, "DROP OWNED BY plangate_few; DROP ROLE plangate_few") })
	address, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.User("plangate_few")
	db := open(t, address.String())
	update(t, db, persisttest.Answer(itemID(0), "x"))
}
