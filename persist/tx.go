package persist

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/gate"
)

// maxRows is how many items one INSERT adds.
const maxRows = 100

// reader is a gate.Reader on a transaction.
type reader struct {
	ctx     context.Context //nolint:containedctx // that of the transaction, which the interface of Tx implies
	dialect *dialect
	conn    *sql.Conn
	lock    string // what is put behind a query of rows
	done    bool
	// failed is the first failure of the database. PostgreSQL takes no more statements
	// after one, so all later calls give the same error in both.
	failed error
	// absent are the sessions and plans that were looked for in vain. They must not
	// appear before the end of the transaction.
	absent map[string]bool
}

// tx is a gate.Tx.
type tx struct {
	reader
	wrote   bool
	entries []audit.Entry
}

func newTx(ctx context.Context, d *dialect, conn *sql.Conn, mode access) *tx {
	t := &tx{reader: reader{ctx: ctx, dialect: d, conn: conn, absent: map[string]bool{}}}
	if mode == writing {
		t.lock = d.forUpdate
	}
	return t
}

func (r *reader) usable() error {
	if r.done {
		return ErrClosed
	}
	return r.failed
}

// fault notes a failure of the database.
func (r *reader) fault(doing string, err error) error {
	r.failed = r.dialect.fail(r.ctx, doing, err)
	return r.failed
}

// one reads the body of one row into value. what names it in the error if there is
// none.
func (r *reader) one(value any, what, query string, args ...any) error {
	if err := r.usable(); err != nil {
		return err
	}
	var body []byte
	err := r.conn.QueryRowContext(r.ctx, r.dialect.bind(query), args...).Scan(&body)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("persist: %s: %w", what, gate.ErrNotFound)
	case err != nil:
		return r.fault("read "+what, err)
	}
	return decode(body, value)
}

// Names of what was looked for in vain. A key has no NUL.
func absentSession(id string) string         { return key(id) }
func absentPlan(session, turn string) string { return key(session) + "\x00" + key(turn) }

// Session implements gate.Reader.
func (r *reader) Session(id string) (s gate.SessionRecord, err error) {
	err = r.one(&s, "session", "SELECT body FROM plangate_sessions WHERE id = ?"+r.lock, key(id))
	if errors.Is(err, gate.ErrNotFound) {
		r.absent[absentSession(id)] = true
	}
	return s, err
}

// Plan implements gate.Reader.
func (r *reader) Plan(session, turn string) (p gate.PlanRecord, err error) {
	err = r.one(&p, "plan", "SELECT body FROM plangate_plans WHERE session = ? AND turn = ?"+r.lock, key(session), key(turn))
	if errors.Is(err, gate.ErrNotFound) {
		r.absent[absentPlan(session, turn)] = true
	}
	return p, err
}

// Item implements gate.Reader.
func (r *reader) Item(id string) (item gate.Item, err error) {
	err = r.one(&item, "item", "SELECT body FROM plangate_items WHERE id = ?"+r.lock, key(id))
	return item, err
}

// Items implements gate.Reader.
func (r *reader) Items(filter gate.Filter) ([]gate.Item, error) {
	if err := checkLimit(filter.Limit); err != nil {
		return nil, err
	}
	where := conditions(filter)
	return list(r, parseItem, where.query()+r.lock, append(where.args, filter.Limit)...)
}

func checkLimit(limit int) error {
	if limit < 1 || limit > gate.MaxPage {
		return fmt.Errorf("%w, not %d", ErrLimit, limit)
	}
	return nil
}

// list reads the bodies of a query.
func list[T any](r *reader, parse func(sql.RawBytes) (T, error), query string, args ...any) ([]T, error) {
	if err := r.usable(); err != nil {
		return nil, err
	}
	rows, err := r.conn.QueryContext(r.ctx, r.dialect.bind(query), args...)
	if err != nil {
		return nil, r.fault("list", err)
	}
	defer rows.Close()
	var values []T
	for rows.Next() {
		var body sql.RawBytes
		if err := rows.Scan(&body); err != nil {
			return nil, r.fault("list", err)
		}
		value, err := parse(body)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	if err := rows.Err(); err != nil {
		return nil, r.fault("list", err)
	}
	return values, nil
}

func parseItem(body sql.RawBytes) (item gate.Item, err error) {
	err = decode(body, &item)
	return item, err
}

// write runs a statement that changes rows and returns how many. A unique key that
// is taken is gate.ErrDuplicate.
func (t *tx) write(what, query string, args ...any) (int64, error) {
	t.wrote = true
	result, err := t.conn.ExecContext(t.ctx, t.dialect.bind(query), args...)
	if err != nil {
		failed := t.dialect.fail(t.ctx, "write "+what, err)
		t.failed = failed
		if failed.kind == duplicate {
			t.failed = fmt.Errorf("persist: %s: %w", what, gate.ErrDuplicate)
		}
		return 0, t.failed
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, t.fault("write "+what, err)
	}
	return n, nil
}

// appeared turns a duplicate into a reason to run the transaction again: a row came
// that it had looked for in vain.
func (t *tx) appeared(name string, err error) error {
	if errors.Is(err, gate.ErrDuplicate) && t.absent[name] {
		t.failed = &failure{duplicate, err}
		return t.failed
	}
	delete(t.absent, name)
	return err
}

// PutSession implements gate.Tx.
func (t *tx) PutSession(s gate.SessionRecord) error {
	body, err := t.prepare(s, s.ID)
	if err != nil {
		return err
	}
	name := absentSession(s.ID)
	query := "INSERT INTO plangate_sessions (id, body) VALUES (?, ?)"
	if !t.absent[name] {
		query += " ON CONFLICT (id) DO UPDATE SET body = excluded.body"
	}
	_, err = t.write("session", query, key(s.ID), body)
	return t.appeared(name, err)
}

// PutPlan implements gate.Tx.
func (t *tx) PutPlan(p gate.PlanRecord) error {
	body, err := t.prepare(p, p.ID, p.Session, p.Turn)
	if err != nil {
		return err
	}
	name := absentPlan(p.Session, p.Turn)
	query := "INSERT INTO plangate_plans (id, session, turn, body) VALUES (?, ?, ?, ?)"
	if !t.absent[name] {
		query += " ON CONFLICT (id) DO UPDATE SET session = excluded.session, turn = excluded.turn, body = excluded.body"
	}
	_, err = t.write("plan", query, key(p.ID), key(p.Session), key(p.Turn), body)
	return t.appeared(name, err)
}

// prepare returns the body of a value with names.
func (t *tx) prepare(value any, names ...string) (string, error) {
	if err := t.usable(); err != nil {
		return "", err
	}
	if err := checkNames(names...); err != nil {
		return "", err
	}
	return encode(value)
}

// AddItems implements gate.Tx.
func (t *tx) AddItems(items []gate.Item) error {
	if err := t.usable(); err != nil {
		return err
	}
	for len(items) > 0 {
		n := min(len(items), maxRows)
		args := make([]any, 0, n*itemWidth)
		for _, item := range items[:n] {
			row, err := itemRow(item)
			if err != nil {
				return err
			}
			args = append(args, row...)
		}
		if _, err := t.write("item", "INSERT INTO plangate_items ("+itemColumns+") VALUES "+rowsOf(itemWidth, n), args...); err != nil {
			return err
		}
		items = items[n:]
	}
	return nil
}

// rowsOf returns n rows of parameters for an INSERT.
func rowsOf(width, n int) string {
	row := "(?" + strings.Repeat(", ?", width-1) + ")"
	return row + strings.Repeat(", "+row, n-1)
}

// PutItem implements gate.Tx.
func (t *tx) PutItem(item gate.Item) error {
	if err := t.usable(); err != nil {
		return err
	}
	row, err := itemRow(item)
	if err != nil {
		return err
	}
	n, err := t.write("item", `UPDATE plangate_items SET plan = ?, session = ?, turn = ?, call = ?, state = ?,
		created = ?, expires = ?, verdict_epoch = ?, body = ? WHERE id = ?`, append(row[1:], row[0])...)
	if err == nil && n == 0 {
		return fmt.Errorf("persist: item: %w", gate.ErrNotFound)
	}
	return err
}

// Append implements gate.Tx. The records are sealed and written at the end of the
// transaction: the head of the chain is the last row that every transaction locks.
func (t *tx) Append(entries ...audit.Entry) error {
	if err := t.usable(); err != nil {
		return err
	}
	t.wrote = t.wrote || len(entries) > 0
	t.entries = append(t.entries, entries...)
	return nil
}

// settle does what is left before COMMIT. It returns the callback's own error as it
// is, unless the database wants the transaction to be run again.
func (t *tx) settle(ctx context.Context, bodyErr error) error {
	failed, ok := t.failed.(*failure) //nolint:errorlint // never wrapped
	switch {
	case ok && (bodyErr == nil || failed.repeatable()):
		return failed
	case bodyErr != nil:
		return bodyErr
	case t.failed != nil:
		return t.failed
	case ctx.Err() != nil:
		return ended(ctx)
	}
	if err := t.seal(); err != nil {
		return err
	}
	if t.wrote && t.dialect.notify != "" {
		if _, err := t.conn.ExecContext(t.ctx, t.dialect.notify); err != nil {
			return t.fault("notify", err)
		}
	}
	return nil
}
