package persist

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"strings"
)

// Migrations are numbered from 1 and never change once released. A statement ends
// with a semicolon at the end of a line.
//
//go:embed migrations/*.sql
var migrations embed.FS

// schemaVersion is the version of the last migration.
const schemaVersion = 1

const createMeta = "CREATE TABLE IF NOT EXISTS plangate_meta (id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL)"

// migrate brings the schema up to date. Of several that try, one works and the
// others wait for the row that it holds.
func (db *DB) migrate(ctx context.Context) error {
	version, err := db.version(ctx)
	if err != nil || version == schemaVersion {
		return err
	}
	return db.transact(ctx, writing, func(t *tx) error {
		for _, statement := range []string{
			createMeta, "INSERT INTO plangate_meta (id, version) VALUES (1, 0) ON CONFLICT DO NOTHING",
		} {
			if err := t.define(statement); err != nil {
				return err
			}
		}
		var version int
		if err := t.conn.QueryRowContext(ctx, "SELECT version FROM plangate_meta WHERE id = 1"+t.lock).Scan(&version); err != nil {
			return t.fault("read the version of the schema", err)
		}
		if version > schemaVersion {
			return newer(version)
		}
		return t.upgrade(version)
	})
}

// version reads the version of the schema, 0 if there is none yet. It writes nothing,
// so it needs no right to.
func (db *DB) version(ctx context.Context) (version int, err error) {
	err = db.transact(ctx, reading, func(t *tx) error {
		version = 0
		var tables int
		if err := t.conn.QueryRowContext(ctx, t.dialect.hasTable).Scan(&tables); err != nil {
			return t.fault("look for the schema", err)
		}
		if tables == 0 {
			return nil
		}
		err := t.conn.QueryRowContext(ctx, "SELECT version FROM plangate_meta WHERE id = 1").Scan(&version)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return t.fault("read the version of the schema", err)
		}
		return nil
	})
	if err == nil && version > schemaVersion {
		err = newer(version)
	}
	return version, err
}

func newer(version int) error {
	return fmt.Errorf("%w (its schema is %d, this one knows %d)", ErrNewerSchema, version, schemaVersion)
}

// upgrade applies the migrations after a version.
func (t *tx) upgrade(version int) error {
	for n := version + 1; n <= schemaVersion; n++ {
		text, err := migrations.ReadFile(fmt.Sprintf("migrations/%s_%04d.sql", t.dialect.migrations, n))
		if err != nil {
			return err
		}
		for statement := range strings.SplitSeq(string(text), ";\n") {
			if strings.TrimSpace(statement) == "" {
				continue
			}
			if err := t.define(statement); err != nil {
				return err
			}
		}
	}
	return t.define(fmt.Sprintf("UPDATE plangate_meta SET version = %d WHERE id = 1", schemaVersion))
}

// define runs a statement on the schema. That somebody else defines the same at this
// moment is a reason to look again.
func (t *tx) define(statement string) error {
	if _, err := t.conn.ExecContext(t.ctx, statement); err != nil {
		failed := t.dialect.fail(t.ctx, "set up the schema", err)
		if failed.kind == raced || failed.kind == duplicate {
			failed.kind = conflict
		}
		t.failed = failed
		return failed
	}
	return nil
}
