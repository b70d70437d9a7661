package hclsource

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/plangate/plangate"
)

// Range converts a range of HCL.
func Range(r hcl.Range) plangate.Range {
	return plangate.Range{File: r.Filename, Start: pos(r.Start), End: pos(r.End)}
}

func pos(p hcl.Pos) plangate.Pos {
	return plangate.Pos{Line: p.Line, Column: p.Column, Byte: p.Byte}
}

// Diagnostics converts what the native parser of HCL found, sorted by place.
// Codes are syntax, single_line_block and duplicate_attribute. HCL reports some
// mistakes twice, from its lexer and from its parser, and finds doubles that
// only arise while it recovers; those are left out, so that each cause is
// reported once.
func Diagnostics(found hcl.Diagnostics) plangate.Diagnostics {
	var all plangate.Diagnostics
	brokenLines := map[int]bool{}
	for _, from := range found {
		d := diagnostic(from)
		line := d.Range.Start.Line
		if d.Code != codeDuplicate && brokenLines[line] {
			continue
		}
		brokenLines[line] = brokenLines[line] || d.Code != codeDuplicate
		all = append(all, d)
	}
	all.Sort()
	broken := false
	return slices.DeleteFunc(all, func(d *plangate.Diagnostic) bool {
		broken = broken || d.Code != codeDuplicate
		return broken && d.Code == codeDuplicate
	})
}

// jsonDiagnostics converts what the JSON parser of HCL found. It stops at the
// first mistake; what follows are the values around it.
func jsonDiagnostics(found hcl.Diagnostics) plangate.Diagnostics {
	return Diagnostics(found[:min(1, len(found))])
}

func diagnostic(d *hcl.Diagnostic) *plangate.Diagnostic {
	out := &plangate.Diagnostic{Code: codeSyntax, Summary: d.Summary, Detail: d.Detail}
	if d.Severity == hcl.DiagWarning {
		out.Severity = plangate.SeverityWarning
	}
	if d.Subject != nil {
		out.Range = Range(*d.Subject)
	}
	if d.Context != nil {
		context := Range(*d.Context)
		out.Context = &context
		if d.Summary == "Invalid JSON string" {
			// The subject is off by one and may lie outside the file.
			out.Range = context
		}
	}
	// HCL has no codes; these summaries are all there is to go by.
	switch d.Summary {
	case "Attribute redefined", "Duplicate attribute definition":
		out.Code = codeDuplicate
	case "Invalid single-argument block definition", "Argument definition required":
		out.Code, out.Summary, out.Detail = codeSingleLine, "Arguments share a line", splitDetail(splitSample)
	}
	return out
}
