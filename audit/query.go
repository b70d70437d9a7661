package audit

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/plangate/plangate"
)

// Filter says which records to return. An empty field allows every value; texts
// are compared byte for byte, as they stand in the record.
type Filter struct {
	Event     Event
	Session   string
	Item      string
	CallID    string
	Provider  string
	Operation string
	Actor     string
	DecidedBy string
	// Decision is compared in records that have a decision, that is DecidedBy.
	Decision *plangate.Action
	Since    time.Time // not before this
	Until    time.Time // before this
	Limit    int       // at most so many; 0 for all
}

// Match reports whether a record is wanted, leaving Limit aside.
func (f Filter) Match(r Record) bool {
	for _, pair := range [...]struct{ want, have string }{
		{string(f.Event), string(r.Event)}, {f.Session, r.Session}, {f.Item, r.Item}, {f.CallID, r.CallID},
		{f.Provider, r.Provider}, {f.Operation, r.Operation}, {f.Actor, r.Actor}, {f.DecidedBy, r.DecidedBy},
	} {
		if pair.want != "" && pair.want != pair.have {
			return false
		}
	}
	switch {
	case f.Decision != nil && (r.DecidedBy == "" || r.Decision != *f.Decision):
		return false
	case !f.Since.IsZero() && r.Time.Before(f.Since):
		return false
	default:
		return f.Until.IsZero() || r.Time.Before(f.Until)
	}
}

// LineError is about a line that is no whole record.
type LineError struct {
	Line int  // from 1
	Torn bool // it is the last one and half-written, as a crash leaves it
	Err  error
}

// Error implements error.
func (e *LineError) Error() string {
	return fmt.Sprintf("audit: line %d: %s", e.Line, strings.TrimPrefix(e.Err.Error(), "audit: "))
}

// Unwrap returns the reason, which may be [ErrChanged].
func (e *LineError) Unwrap() error { return e.Err }

// Query yields the records of a log that pass the filter, oldest first. A line
// that is no record with the right hash yields a [*LineError], whatever the
// filter, and the next lines go on; an error of reading is the last one. Query
// does not check the chain, see [Verify].
func Query(r io.Reader, filter Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		lines := newLineReader(r)
		found := 0
		for filter.Limit <= 0 || found < filter.Limit {
			line, err := lines.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
			record, err := line.record()
			switch {
			case err != nil:
				if !yield(Record{}, &LineError{Line: line.number, Torn: line.torn, Err: err}) {
					return
				}
			case filter.Match(record):
				found++
				if !yield(record, nil) {
					return
				}
			}
		}
	}
}

// TailOffset returns where the last count lines of a log of this size begin. It
// reads from the end and no further than it must.
func TailOffset(r io.ReaderAt, size int64, count int) (int64, error) {
	buf := make([]byte, 64<<10)
	for end := size; end > 0; {
		begin := max(0, end-int64(len(buf)))
		part := buf[:end-begin]
		if _, err := r.ReadAt(part, begin); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		for i := len(part) - 1; i >= 0; i-- {
			if part[i] != '\n' || begin+int64(i) == size-1 {
				continue
			}
			if count--; count <= 0 {
				return begin + int64(i) + 1, nil
			}
		}
		end = begin
	}
	return 0, nil
}
