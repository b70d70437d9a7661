package plangate_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

func at(file string, offset int, severity plangate.Severity, code string) *plangate.Diagnostic {
	start := plangate.Pos{Line: 1, Column: offset + 1, Byte: offset}
	return &plangate.Diagnostic{
		Severity: severity, Code: code, Range: plangate.Range{File: file, Start: start, End: start},
	}
}

func TestDiagnosticsSort(t *testing.T) {
	want := plangate.Diagnostics{
		at("a.hcl", 0, plangate.SeverityWarning, "x"),
		at("a.hcl", 9, plangate.SeverityError, "a"),
		at("a.hcl", 9, plangate.SeverityError, "b"),
		at("a.hcl", 9, plangate.SeverityWarning, "a"),
		at("a.hcl", 10, plangate.SeverityError, "a"),
		at("b.hcl", 0, plangate.SeverityError, "a"),
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	got.Sort()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDiagnosticsErr(t *testing.T) {
	warning := plangate.Diagnostics{at("a.hcl", 0, plangate.SeverityWarning, "x")}
	if err := warning.Err(); err != nil || warning.HasErrors() {
		t.Errorf("a warning is an error: %v", err)
	}
	if err := plangate.Diagnostics(nil).Err(); err != nil {
		t.Errorf("no findings are an error: %v", err)
	}
	both := append(slices.Clone(warning), at("b.hcl", 0, plangate.SeverityError, "y"))
	err := both.Err()
	list, ok := errors.AsType[plangate.Diagnostics](err)
	if !ok || len(list) != 2 {
		t.Fatalf("Err() = %v", err)
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 2 {
		t.Errorf("want one line a finding, got %q", lines)
	}
}

func TestRangeString(t *testing.T) {
	tests := map[string]plangate.Range{
		"a.hcl:1,2-5":   {File: "a.hcl", Start: plangate.Pos{Line: 1, Column: 2}, End: plangate.Pos{Line: 1, Column: 5}},
		"a.hcl:1,2-3,1": {File: "a.hcl", Start: plangate.Pos{Line: 1, Column: 2}, End: plangate.Pos{Line: 3, Column: 1}},
	}
	for want, r := range tests {
		if got := r.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}
