package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

func TestFileURI(t *testing.T) {
	tests := map[string]string{
		"a/agent.hcl":    "a/agent.hcl",
		"../a b/<x>.hcl": "../a%20b/%3Cx%3E.hcl",
		"a:b.hcl":        "./a:b.hcl",
		"50%#?.hcl":      "50%25%23%3F.hcl",
		"é.hcl":          "%C3%A9.hcl",
		"/abs/agent.hcl": "file:///abs/agent.hcl",
		"/a b/agent.hcl": "file:///a%20b/agent.hcl",
		stdinName:        "%3Cstdin%3E",
	}
	for name, want := range tests {
		if got := fileURI(name); got != want {
			t.Errorf("fileURI(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestSarifColumns holds that columns count code points, where ranges count
// grapheme clusters.
func TestSarifColumns(t *testing.T) {
	text := "a = 1\n\"e\u0301\" = 2\n"
	r := newReport()
	r.sources["a.hcl"] = []byte(text)
	r.Diagnostics = append(r.Diagnostics, &plangate.Diagnostic{Code: "x", Range: plangate.Range{
		File:  "a.hcl",
		Start: plangate.Pos{Line: 2, Column: 7, Byte: 14},
		End:   plangate.Pos{Line: 2, Column: 8, Byte: 15},
	}})
	want := &sarifRegion{StartLine: 2, StartColumn: 8, EndLine: 2, EndColumn: 9}
	got := sarifOf(r).Runs[0].Results[0].Locations[0].Physical.Region
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSarifRules(t *testing.T) {
	r := newReport()
	for _, code := range []string{"b", "a", "b"} {
		r.Diagnostics = append(r.Diagnostics, &plangate.Diagnostic{Code: code, Summary: "Summary of " + code})
	}
	run := sarifOf(r).Runs[0]
	if diff := cmp.Diff([]sarifRule{{"b", sarifMessage{"Summary of b"}}, {"a", sarifMessage{"Summary of a"}}}, []sarifRule(run.Tool.Driver.Rules)); diff != "" {
		t.Error(diff)
	}
	var indices []int
	for _, result := range run.Results {
		if run.Tool.Driver.Rules[result.RuleIndex].ID != result.RuleID || result.Locations != nil {
			t.Errorf("result %+v", result)
		}
		indices = append(indices, result.RuleIndex)
	}
	if diff := cmp.Diff([]int{0, 1, 0}, indices); diff != "" {
		t.Error(diff)
	}
}

func TestEmptyDocumentsHaveLists(t *testing.T) {
	for want, value := range map[string]any{
		`"diagnostics":[]`: newReport(), `"results":[]`: sarifOf(newReport()), `"rules":[]`: sarifOf(newReport()),
		`"remedies":[]`: explanation{},
	} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

func TestGitHub(t *testing.T) {
	place := func(startLine, endLine int) plangate.Range {
		return plangate.Range{
			File:  "a,b:%\n.hcl",
			Start: plangate.Pos{Line: startLine, Column: 2}, End: plangate.Pos{Line: endLine, Column: 5},
		}
	}
	diags := []*plangate.Diagnostic{
		{Code: "x", Summary: "A, b: c", Detail: "50%\r\n::error::x\x1b", Range: place(3, 3)},
		{Code: "y", Severity: plangate.SeverityWarning, Summary: "S", Detail: "d", Range: place(3, 4)},
		{Code: "z", Summary: "S", Range: plangate.Range{File: "a.hcl"}},
		{Code: "z", Summary: "S"},
	}
	var out bytes.Buffer
	printGitHub(&out, diags)
	want := `::error file=a%2Cb%3A%25\n.hcl,line=3,endLine=3,col=2,endColumn=5,title=A%2C b%3A c [x]::50%25\r%0A::error::x\x1b
::warning file=a%2Cb%3A%25\n.hcl,line=3,endLine=4,title=S [y]::d
::error file=a.hcl,title=S [z]::
::error title=S [z]::
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}
