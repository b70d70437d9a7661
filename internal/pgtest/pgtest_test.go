package pgtest

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

func TestDatabasesAreApart(t *testing.T) {
	one, other := Database(t), Database(t)
	run(t, one, "CREATE TABLE x (i int)")
	run(t, other, "CREATE TABLE x (i int)")
}

func TestDataOutlivesStopAndKill(t *testing.T) {
	server := Start(t)
	run(t, server.DSN(), "CREATE TABLE x (i int)")
	for name, end := range map[string]func(testing.TB){"stop": server.Stop, "kill": server.Kill} {
		run(t, server.DSN(), "INSERT INTO x VALUES (1)")
		end(t)
		if conn, err := pgx.Connect(context.Background(), server.DSN()); err == nil {
			conn.Close(context.Background())
			t.Fatalf("the server answers after %s", name)
		}
		server.Restart(t)
	}
	conn, err := pgx.Connect(context.Background(), server.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var n int
	if err := conn.QueryRow(context.Background(), "SELECT count(*) FROM x").Scan(&n); err != nil || n != 2 {
		t.Fatalf("%d rows, %v; want 2", n, err)
	}
}

func TestVersionsAreNumbers(t *testing.T) {
	if version("/usr/lib/postgresql/9/bin/postgres") >= version("/usr/lib/postgresql/15/bin/postgres") {
		t.Error("9 is not before 15")
	}
}
