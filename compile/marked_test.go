package compile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/dsl"
)

// A marked text says where its findings are: «code|text» stands for text, with a
// finding on exactly these bytes. Several codes are separated by commas.
func unmark(t *testing.T, marked string) (src string, want []string) {
	t.Helper()
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(marked, "«")
		b.WriteString(before)
		if !found {
			return b.String(), want
		}
		codes, rest, ok := strings.Cut(rest, "|")
		text, after, closed := strings.Cut(rest, "»")
		if !ok || !closed {
			t.Fatalf("bad mark in %q", rest)
		}
		for code := range strings.SplitSeq(codes, ",") {
			want = append(want, place(code, b.String(), text))
		}
		b.WriteString(text)
		marked = after
	}
}

// place writes a finding with line and column, as on a line of plain letters.
func place(code, before, text string) string {
	line := 1 + strings.Count(before, "\n")
	column := len(before) - strings.LastIndex(before, "\n")
	return fmt.Sprintf("%s %d,%d %q", code, line, column, text)
}

// marks lists findings as [unmark] does.
func marks(src string, findings plangate.Diagnostics) (found []string) {
	for _, d := range findings {
		r := d.Range
		found = append(found, fmt.Sprintf("%s %d,%d %q", d.Code, r.Start.Line, r.Start.Column, src[r.Start.Byte:r.End.Byte]))
	}
	return found
}

// checkMarked runs one step of a compilation over a marked file.
func checkMarked(t *testing.T, known *catalog.Catalog, marked string, step func(*compiler)) plangate.Diagnostics {
	t.Helper()
	src, want := unmark(t, marked)
	file, findings := dsl.Parse("agent.hcl", []byte(src))
	if findings.HasErrors() {
		t.Fatal(findings)
	}
	c := newCompiler(Input{Catalog: known, Layers: []LayerFile{{Layer: plangate.LayerProject, File: file}}})
	c.lower()
	step(c)
	c.findings.Sort()
	found := marks(src, c.findings)
	slices.Sort(found) // several findings may have one place
	slices.Sort(want)
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("%s\n%s", src, diff)
	}
	for _, d := range c.findings {
		if d.Summary == "" || d.Detail == "" {
			t.Errorf("%s says nothing", d.Code)
		}
	}
	return c.findings
}
