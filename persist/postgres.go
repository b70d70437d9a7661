package persist

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// Defaults of a connection to PostgreSQL. What the DSN says goes before them.
const (
	defaultConns   = 8
	connectTimeout = 5 * time.Second
	connLifetime   = 30 * time.Minute
	connIdle       = 5 * time.Minute
	// serialTries is how often a transaction is repeated because of others; with the
	// pauses between them it takes about ten seconds.
	serialTries = 40
)

// sessionDefaults are settings of the server for our connections, in milliseconds.
// Each ends something that could hang.
var sessionDefaults = map[string]string{
	"application_name":                    "plangate",
	"statement_timeout":                   "30000",
	"lock_timeout":                        "10000",
	"idle_in_transaction_session_timeout": "60000",
}

// channel is what LISTEN and NOTIFY use.
const channel = "plangate_changes"

var postgresDialect = dialect{
	// At the isolation of the session: READ COMMITTED, unless the server or the DSN
	// asks for more. Locked rows make that enough, and more is repeated more often.
	beginWrite: "BEGIN READ WRITE",
	beginRead:  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
	forUpdate:  " FOR UPDATE",
	numbered:   true,
	notify:     "SELECT pg_notify('" + channel + "', '')",
	hasTable:   "SELECT count(*) FROM information_schema.tables WHERE table_name = 'plangate_meta' AND table_schema = current_schema()",
	migrations: "postgres",
	classify:   classifyPostgres,
	conflicts:  serialTries,
	refused:    refusedPostgres,
	broken:     brokenPostgres,
}

// OpenPostgres opens a store in a PostgreSQL database, or one that speaks its
// protocol. The tables are made in the first schema of the search path if they are not
// there; after that, an account needs no more than to read and write them.
//
// dsn is a URL or a list of key=value as libpq knows them. An error does not repeat
// its password. Behind a pooler that hands out a connection per transaction, add
// default_query_exec_mode=exec, and let it pass the settings statement_timeout,
// lock_timeout and idle_in_transaction_session_timeout.
func OpenPostgres(ctx context.Context, dsn string, opts Options) (*DB, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("persist: %w", err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	for name, value := range sessionDefaults {
		if _, set := config.RuntimeParams[name]; !set {
			config.RuntimeParams[name] = value
		}
	}
	conns := defaultConns
	if opts.MaxConns > 0 {
		conns = opts.MaxConns
	}
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	pool.SetConnMaxLifetime(connLifetime)
	pool.SetConnMaxIdleTime(connIdle)

	d := postgresDialect
	db := &DB{
		dialect: &d, write: pool, read: pool, hub: newHub(listener{config}.follow), verify: func() error { return nil },
		// After a restart of the server every idle connection is broken once.
		maxLost: conns + 2, closed: make(chan struct{}), afterStop: func() {},
	}
	if err := db.prepare(ctx); err != nil {
		_ = pool.Close()
		return nil, err
	}
	return db, nil
}

// prepare migrates, and finds out whether the database has NOTIFY: a transaction
// could not commit with a statement that there is not.
func (db *DB) prepare(ctx context.Context) error {
	if err := db.migrate(ctx); err != nil {
		return err
	}
	var refused *pgconn.PgError
	_, err := db.write.ExecContext(ctx, db.dialect.notify)
	if errors.As(err, &refused) && slices.Contains([]string{"0A000", "42601", "42883"}, refused.Code) {
		db.dialect.notify = "" // not supported, no such syntax, no such function
		return nil
	}
	if err != nil {
		return db.dialect.fail(ctx, "notify", err).err
	}
	return nil
}

// classifyPostgres tells errors of the server apart by their SQLSTATE. What is no
// error of the server is one of the connection.
func classifyPostgres(err error) failureKind {
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		var connecting *pgconn.ConnectError
		if errors.As(err, &connecting) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, sql.ErrNoRows) {
			return unavailable
		}
		return lost
	}
	switch server.Code {
	case "40001", // serialization failure; also what CockroachDB and YugabyteDB ask for
		"40P01", // deadlock
		"CR000": // retry, older CockroachDB
		return conflict
	case "42P07", "42710", "XX000": // exists already; the catalog was updated concurrently
		return raced
	case "23505":
		return duplicate
	case "40003", "57P01", "57P02", "57P05", "25P03":
		return lost // the server ended the connection
	}
	if strings.HasPrefix(server.Code, "08") { // connection exceptions
		return lost
	}
	return unavailable
}

// refusedPostgres: an error of the server that does not end the connection says that
// the transaction was rolled back. One that does may come after the commit.
func refusedPostgres(err error) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.SeverityUnlocalized == "ERROR" && server.Code != "40003"
}

func brokenPostgres(raw any) bool {
	conn, ok := raw.(*stdlib.Conn)
	return !ok || conn.Conn().IsClosed()
}
