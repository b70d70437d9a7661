package persist

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/gate"
)

// seal writes the records of a transaction at the end of the chain.
func (t *tx) seal() error {
	if len(t.entries) == 0 {
		return nil
	}
	var seq int64
	var head audit.Head
	row := t.conn.QueryRowContext(t.ctx, "SELECT seq, hash FROM plangate_audit_head WHERE id = 1"+t.dialect.forUpdate)
	if err := row.Scan(&seq, &head.Hash); err != nil {
		return t.fault("read the head of the audit chain", err)
	}
	head.Seq = uint64(max(seq, 0)) //nolint:gosec // not negative
	for entries := t.entries; len(entries) > 0; {
		n := min(len(entries), maxRows)
		args := make([]any, 0, 2*n)
		for _, entry := range entries[:n] {
			record := audit.Seal(head, entry)
			head = record.Head()
			args = append(args, sequence(head.Seq), string(bytes.TrimSuffix(record.Line(), []byte("\n"))))
		}
		if _, err := t.write("audit record", "INSERT INTO plangate_audit (seq, body) VALUES "+rowsOf(2, n), args...); err != nil {
			return t.chainFault(err)
		}
		entries = entries[n:]
	}
	_, err := t.write("head of the audit chain", "UPDATE plangate_audit_head SET seq = ?, hash = ? WHERE id = 1", sequence(head.Seq), head.Hash)
	return err
}

// chainFault explains a sequence number that is taken: somebody changed the tables by
// hand. It must not look like a taken id.
func (t *tx) chainFault(err error) error {
	if errors.Is(err, gate.ErrDuplicate) {
		return fmt.Errorf("persist: %w: the audit chain has records behind its head: the tables were changed by hand or restored in part", gate.ErrStoreUnavailable)
	}
	return err
}

// sequence is an audit sequence number for the database.
func sequence(n uint64) int64 {
	return int64(min(n, math.MaxInt64)) //nolint:gosec // bounded in this line
}

// Records implements gate.Reader. In Update, records that it appended itself are not
// among them yet. A record that was changed is returned as it is: audit.Verify names
// it.
func (r *reader) Records(after uint64, limit int) ([]audit.Record, error) {
	if err := checkLimit(limit); err != nil {
		return nil, err
	}
	return list(r, parseRecord, "SELECT body FROM plangate_audit WHERE seq > ? ORDER BY seq LIMIT ?", sequence(after), limit)
}

func parseRecord(body sql.RawBytes) (audit.Record, error) {
	record, err := audit.ParseLine(body)
	if err != nil && !errors.Is(err, audit.ErrChanged) {
		return record, fmt.Errorf("persist: %w: an audit record cannot be read: %w", gate.ErrStoreUnavailable, err)
	}
	return record, nil
}
