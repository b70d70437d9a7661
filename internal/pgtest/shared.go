package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// dirPrefix begins the names of servers' directories; the number of the process that
// made one follows.
const dirPrefix = "plangate-pg-"

// shared is the server that the tests of this binary share.
var shared struct {
	once   sync.Once
	server *Server
	dsn    string
	err    error

	mu sync.Mutex
	n  int // databases made
}

// Main runs the tests and ends the shared server after them.
func Main(m *testing.M) int {
	sweep()
	defer func() {
		if shared.server != nil {
			shared.server.remove()
		}
	}()
	return m.Run()
}

// Database returns the URL of a fresh database that is dropped after the test.
func Database(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() { shared.dsn, shared.err = startShared() })
	if shared.err != nil {
		giveUp(t, shared.err)
	}
	shared.mu.Lock()
	shared.n++
	name := fmt.Sprintf("plangate_test_%d_%d", os.Getpid(), shared.n)
	shared.mu.Unlock()
	run(t, shared.dsn, "CREATE DATABASE "+name)
	t.Cleanup(func() { run(t, shared.dsn, "DROP DATABASE "+name+" WITH (FORCE)") })
	dsn, err := url.Parse(shared.dsn)
	if err != nil {
		t.Fatal("pgtest: PLANGATE_TEST_POSTGRES must be a URL")
	}
	dsn.Path = "/" + name
	return dsn.String()
}

func startShared() (string, error) {
	if dsn := os.Getenv("PLANGATE_TEST_POSTGRES"); dsn != "" {
		return dsn, nil
	}
	server, err := newServer()
	if err != nil {
		return "", err
	}
	shared.server = server
	return server.DSN(), server.start("fsync=off")
}

// run executes a statement on a connection of its own.
func run(t testing.TB, dsn, statement string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal("pgtest: ", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatal("pgtest: ", err)
	}
}

// sweep removes the directories of test binaries that were killed.
func sweep() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), dirPrefix+"*"))
	for _, dir := range dirs {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), dirPrefix), "-")
		process, err := strconv.Atoi(number)
		if err == nil && !alive(process) {
			_ = os.RemoveAll(dir)
		}
	}
}
