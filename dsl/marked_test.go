package dsl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

// A marked text says where its diagnostics are: «code|text» stands for text,
// with a diagnostic on exactly these bytes. Several codes are separated by commas.
func unmark(t *testing.T, marked string) (src string, want []string) {
	t.Helper()
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(marked, "«")
		b.WriteString(before)
		if !found {
			break
		}
		codes, rest, ok1 := strings.Cut(rest, "|")
		text, after, ok2 := strings.Cut(rest, "»")
		if !ok1 || !ok2 {
			t.Fatalf("bad mark in %q", rest)
		}
		for code := range strings.SplitSeq(codes, ",") {
			want = append(want, fmt.Sprintf("%s %d-%d", code, b.Len(), b.Len()+len(text)))
		}
		b.WriteString(text)
		marked = after
	}
	return b.String(), want
}

// found prints diagnostics as [unmark] does. Warnings have a W before the code.
func found(diags plangate.Diagnostics) (out []string) {
	for _, d := range diags {
		mark := ""
		if d.Severity == plangate.SeverityWarning {
			mark = "W "
		}
		out = append(out, fmt.Sprintf("%s%s %d-%d", mark, d.Code, d.Range.Start.Byte, d.Range.End.Byte))
	}
	return out
}

func checkMarked(t *testing.T, name, marked string) (*File, plangate.Diagnostics) {
	t.Helper()
	src, want := unmark(t, marked)
	file, diags := Parse(name, []byte(src))
	if diff := gocmp.Diff(want, found(diags)); diff != "" {
		t.Errorf("%s\n%s", src, diff)
	}
	checkComplete(t, name, []byte(src), diags)
	return file, diags
}

// checkComplete holds every diagnostic to the contract of spec LNG-39 and LNG-40.
func checkComplete(t *testing.T, name string, src []byte, diags plangate.Diagnostics) {
	t.Helper()
	for _, d := range diags {
		r := d.Range
		if d.Code == "" || d.Summary == "" || d.Detail == "" || r.File != name {
			t.Errorf("incomplete: %+v", d)
		}
		if r.Start.Line < 1 || r.Start.Column < 1 || r.End.Byte < r.Start.Byte || r.End.Byte > len(src) {
			t.Errorf("range %+v outside of the file", r)
		}
		if want := 1 + strings.Count(string(src[:min(r.Start.Byte, len(src))]), "\n"); r.Start.Line != want {
			t.Errorf("%s: line %d, want %d", d.Code, r.Start.Line, want)
		}
	}
	if !slices.IsSortedFunc(diags, func(a, b *plangate.Diagnostic) int { return cmp.Compare(a.Range.Start.Byte, b.Range.Start.Byte) }) {
		t.Error("diagnostics are not sorted")
	}
}
