package persist_test

import (
	"bufio"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/persist"
	"github.com/plangate/plangate/persist/persisttest"
)

// A writer is killed in the middle of its work, again and again: what it had said is
// there, and of everything else all or nothing.
func TestKilledWriter(t *testing.T) {
	const size = 3
	path := filepath.Join(t.TempDir(), "gate.db")
	random := rand.New(rand.NewPCG(1, 2))
	said := 0
	for i := range kills {
		said = killWriter(t, path, said, time.Duration(random.IntN(int(12*time.Millisecond))))
		if i%10 == 0 || i == kills-1 {
			said = checkWriter(t, path, said, size)
		}
	}
	t.Logf("%d transactions", said)
}

// killWriter starts a writer, kills it after its first transaction and some time, and
// returns the last transaction that it spoke of.
func killWriter(t *testing.T, path string, said int, after time.Duration) int {
	t.Helper()
	writer := start(t, "write", path, "3")
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	first := true
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		// One that was killed before it spoke may have committed one more.
		if err != nil || n != said+1 && (!first || n != said+2) {
			t.Fatalf("transaction %q follows %d", lines.Text(), said)
		}
		said = n
		if first {
			first = false
			time.AfterFunc(after, func() { _ = writer.Process.Kill() })
		}
	}
	_ = writer.Wait()
	if first {
		t.Fatal("the writer did not begin")
	}
	return said
}

// checkWriter fails unless there are said transactions, or one more, and each whole.
func checkWriter(t *testing.T, path string, said, size int) int {
	t.Helper()
	db, err := persist.OpenSQLite(context.Background(), path, persist.Options{Check: persist.CheckFull})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if db.Damage() != nil {
		t.Fatalf("damage: %+v", db.Damage())
	}
	err = db.View(context.Background(), func(r gate.Reader) error {
		session, err := r.Session("s")
		if err != nil {
			return err
		}
		if session.Epoch != said && session.Epoch != said+1 {
			t.Fatalf("%d transactions; %d were committed", session.Epoch, said)
		}
		said = session.Epoch
		_, tooMany := r.Item(persisttest.Item("s", said+1, 0).ID)
		if !errors.Is(tooMany, gate.ErrNotFound) {
			t.Errorf("an item of a transaction that was not committed: %v", tooMany)
		}
		for i := range said * size {
			if _, err := r.Item(persisttest.Item("s", i/size+1, i%size).ID); err != nil {
				return err
			}
		}
		last, err := r.Records(uint64(said*size-1), 10)
		if err != nil || len(last) != 1 {
			t.Errorf("%d records after %d, %v; want 1", len(last), said*size-1, err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return said
}
