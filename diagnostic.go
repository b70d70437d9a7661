package plangate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity ranks a diagnostic. The zero value is [SeverityError].
type Severity uint8

// The severities. An error stops a policy from being used.
const (
	SeverityError Severity = iota
	SeverityWarning
)

var severityNames = [...]string{"error", "warning"}

// String returns the word used in JSON.
func (s Severity) String() string { return nameOf(severityNames[:], int(s)) }

// MarshalText implements [encoding.TextMarshaler].
func (s Severity) MarshalText() ([]byte, error) { return textOf("severity", severityNames[:], int(s)) }

// UnmarshalText implements [encoding.TextUnmarshaler]; unknown text is an error.
func (s *Severity) UnmarshalText(text []byte) error {
	i, err := indexOf("severity", severityNames[:], string(text))
	*s = Severity(i)
	return err
}

// Pos is a place in a file. Line and Column count from 1 (columns in grapheme
// clusters, as in HCL), Byte from 0. The zero value means "no place".
type Pos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Byte   int `json:"byte"`
}

// Range is a half-open piece of a file.
type Range struct {
	File  string `json:"file"`
	Start Pos    `json:"start"`
	End   Pos    `json:"end"`
}

// String prints file:line,column-column as HCL does, or the file alone if the
// range has no place in it.
func (r Range) String() string {
	if r.Start == (Pos{}) {
		return r.File
	}
	if r.Start.Line == r.End.Line {
		return fmt.Sprintf("%s:%d,%d-%d", r.File, r.Start.Line, r.Start.Column, r.End.Column)
	}
	return fmt.Sprintf("%s:%d,%d-%d,%d", r.File, r.Start.Line, r.Start.Column, r.End.Line, r.End.Column)
}

// Related is a second place that a diagnostic is about.
type Related struct {
	Message string `json:"message"`
	Range   Range  `json:"range"`
}

// Diagnostic is a finding about an input file, in the manner of HCL: a terse
// summary, a detail that says what to do, a tight subject range. Code is
// stable and listed in spec/diagnostics.md; the words are not.
type Diagnostic struct {
	Severity Severity      `json:"severity"`
	Code     string        `json:"code"`
	Summary  string        `json:"summary"`
	Detail   string        `json:"detail"`
	Range    Range         `json:"range"`
	Context  *Range        `json:"-"` // the wider piece to show around Range, or nil
	Related  List[Related] `json:"related"`
	Witness  *Call         `json:"witness"` // a concrete call that proves the finding, or nil
}

// Error makes a Diagnostic an error: place, summary, detail, code.
func (d *Diagnostic) Error() string {
	return fmt.Sprintf("%s: %s: %s; %s [%s]", d.Range, d.Severity, d.Summary, d.Detail, d.Code)
}

// Diagnostics is a list of findings. Functions return it beside their value,
// and the value is usable as far as it goes; test HasErrors before trusting it.
type Diagnostics []*Diagnostic

// HasErrors reports whether any finding is an error.
func (ds Diagnostics) HasErrors() bool {
	return slices.ContainsFunc(ds, func(d *Diagnostic) bool { return d.Severity == SeverityError })
}

// Err returns nil if there are no errors, else the list as an error.
func (ds Diagnostics) Err() error {
	if ds.HasErrors() {
		return ds
	}
	return nil
}

// Error lists all findings, one a line.
func (ds Diagnostics) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// Sort orders findings by file, place, severity and code, in place.
func (ds Diagnostics) Sort() {
	slices.SortStableFunc(ds, func(a, b *Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Range.File, b.Range.File),
			cmp.Compare(a.Range.Start.Byte, b.Range.Start.Byte),
			cmp.Compare(a.Severity, b.Severity),
			cmp.Compare(a.Code, b.Code),
		)
	})
}
