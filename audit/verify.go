package audit

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// BreakKind is the way in which a log is broken.
type BreakKind string

// The kinds of breaks.
const (
	BreakNotRecord BreakKind = "not_record" // a line is no record at all
	BreakChanged   BreakKind = "changed"    // a record's content does not fit its hash
	BreakReplaced  BreakKind = "replaced"   // a record does not follow the one before, whose number fits
	BreakMissing   BreakKind = "missing"    // records are gone
	BreakReordered BreakKind = "reordered"  // a record stands at another place, or twice
)

// Break is the first place where a log is not what was written.
type Break struct {
	Kind   BreakKind `json:"kind"`
	Line   int       `json:"line"`   // from 1
	Offset int64     `json:"offset"` // of the line, in bytes
	Seq    uint64    `json:"seq"`    // that was expected there
	Reason string    `json:"reason"` // for people
}

// Report is what [Verify] found.
type Report struct {
	Records uint64 `json:"records"` // that are whole and in order, from the beginning
	Head    Head   `json:"head"`    // after the last of them
	Break   *Break `json:"break"`   // the first break, or nil
	// TornBytes is the length of a last line that does not end, as a crash leaves
	// it: it was never reported as written, and is no break. The next append moves
	// it aside.
	TornBytes int64 `json:"torn_bytes"`
}

// Whole reports whether the chain is unbroken.
func (r Report) Whole() bool { return r.Break == nil }

// Verify reads a log from its beginning and checks every record. The chain must
// also pass through each of the known heads, which is the only way to notice
// that records were cut off the end or that all of it was written anew. The error
// is that of reading; a break is none. It holds one line in memory at a time.
func Verify(r io.Reader, known ...Head) (Report, error) {
	v := verifier{lines: newLineReader(r), known: map[uint64]string{}}
	for _, head := range known {
		if head == (Head{}) {
			continue // every log begins there
		}
		if had, ok := v.known[head.Seq]; ok && had != head.Hash {
			return Report{}, fmt.Errorf("audit: two known heads have the number %d", head.Seq)
		}
		v.known[head.Seq] = head.Hash
	}
	err := v.run()
	return v.report, err
}

type verifier struct {
	lines  *lineReader
	known  map[uint64]string
	report Report
}

func (v *verifier) run() error {
	for {
		line, err := v.lines.next()
		if errors.Is(err, io.EOF) {
			v.end()
			return nil
		}
		if err != nil {
			return err
		}
		if line.torn {
			v.report.TornBytes = line.size
			v.end()
			return nil
		}
		record, err := line.record()
		if found := v.check(record, err); found != nil {
			found.Line, found.Offset, found.Seq = line.number, line.offset, v.report.Records+1
			v.report.Break = found
			return v.lookAhead(record.Seq)
		}
		v.report.Records++
		v.report.Head = record.Head()
	}
}

// check returns the break at a record, or nil.
func (v *verifier) check(record Record, err error) *Break {
	want := v.report.Records + 1
	switch {
	case errors.Is(err, ErrChanged):
		return broken(BreakChanged, "the record was changed: its hash does not fit its content")
	case err != nil:
		return broken(BreakNotRecord, strings.TrimPrefix(err.Error(), "audit: "))
	case record.Seq > want:
		return broken(BreakMissing, fmt.Sprintf("record %d is missing: the line has number %d", want, record.Seq))
	case record.Seq < want:
		return broken(BreakReordered, fmt.Sprintf("record %d stands here again, in place of %d", record.Seq, want))
	case record.Prev != v.report.Head.Hash:
		return broken(BreakReplaced, fmt.Sprintf("record %d does not follow the one before it: one of them was replaced", want))
	}
	if hash, ok := v.known[want]; ok && hash != record.Hash {
		return broken(BreakReplaced, fmt.Sprintf("record %d is not the one that was known: the log was written anew", want))
	}
	return nil
}

func broken(kind BreakKind, reason string) *Break { return &Break{Kind: kind, Reason: reason} }

// end checks that the log goes as far as it is known to.
func (v *verifier) end() {
	for seq := range v.known {
		if seq > v.report.Records && (v.report.Break == nil || seq > v.report.Break.Seq) {
			v.report.Break = &Break{
				Kind: BreakMissing, Line: v.lines.now.number, Offset: v.lines.now.offset, Seq: v.report.Records + 1,
				Reason: fmt.Sprintf("the log ends after record %d, but record %d was known", v.report.Records, seq),
			}
		}
	}
}

// lookAhead tells a missing record from one that stands later.
func (v *verifier) lookAhead(seq uint64) error {
	if v.report.Break.Kind != BreakMissing {
		return nil
	}
	want := v.report.Records + 1
	for {
		line, err := v.lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if found, ok := seqOf(line.text); ok && found == want {
			v.report.Break.Kind = BreakReordered
			v.report.Break.Reason = fmt.Sprintf("record %d stands here in place of %d, which is on line %d",
				seq, want, line.number)
			return nil
		}
	}
}
