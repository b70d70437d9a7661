package persist_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/internal/pgtest"
	"github.com/plangate/plangate/persist"
	"github.com/plangate/plangate/persist/persisttest"
)

func TestMain(m *testing.M) {
	if job := os.Getenv(childJob); job != "" {
		os.Exit(child(job))
	}
	os.Exit(pgtest.Main(m))
}

// places are the databases that everything is tested on: each makes a new place for a
// store and returns its URL.
var places = map[string]func(t testing.TB) string{
	"sqlite":   func(t testing.TB) string { return filepath.Join(t.TempDir(), "gate.db") },
	"postgres": pgtest.Database,
}

func open(t testing.TB, url string) *persist.DB {
	t.Helper()
	db, err := persist.Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// A database that is serialisable throughout, such as CockroachDB, refuses
// transactions that would conflict instead of making them wait.
func TestStoreSerializable(t *testing.T) {
	t.Parallel()
	persisttest.Run(t, func(t *testing.T) gate.Store {
		return open(t, pgtest.Database(t)+"&default_transaction_isolation=serializable")
	})
}

func TestStore(t *testing.T) {
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			persisttest.Run(t, func(t *testing.T) gate.Store { return open(t, place(t)) })
		})
	}
}
