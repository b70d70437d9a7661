package catalog

import (
	"fmt"

	"github.com/plangate/plangate"
)

// The codes of this package's diagnostics, listed in spec/catalog.md.
const (
	codeSyntax     = "catalog_syntax"
	codeUnknownKey = "catalog_unknown_key"
	codeMissing    = "catalog_missing"
	codeType       = "catalog_bad_type"
	codeValue      = "catalog_bad_value"
	codeKindRisk   = "catalog_kind_risk"
	codeSchema     = "catalog_schema"
	codeRole       = "catalog_role"
	codeDuplicate  = "catalog_duplicate"

	codeNoAnnotations = "mcp_no_annotations"
	codeUntrusted     = "mcp_untrusted_annotation"
	codeBadAnnotation = "mcp_bad_annotation"
	codePartial       = "mcp_partial"
)

// report collects the diagnostics of one file.
type report struct {
	file  string
	diags plangate.Diagnostics
}

func (r *report) error(code string, at plangate.Range, summary, detail string) {
	r.add(&plangate.Diagnostic{Code: code, Range: at, Summary: summary, Detail: detail})
}

func (r *report) warning(code string, at plangate.Range, summary, detail string) {
	r.add(&plangate.Diagnostic{Severity: plangate.SeverityWarning, Code: code, Range: at, Summary: summary, Detail: detail})
}

func (r *report) add(d *plangate.Diagnostic) { r.diags = append(r.diags, d) }

// unique reports every name that stands twice in one object.
func (r *report) unique(members []member) {
	first := make(map[string]plangate.Range, len(members))
	for _, m := range members {
		if before, ok := first[m.name]; ok {
			r.duplicate(fmt.Sprintf("The name %q", m.name), before, m.nameRange)
			continue
		}
		first[m.name] = m.nameRange
	}
}

func (r *report) duplicate(what string, first, again plangate.Range) {
	r.add(&plangate.Diagnostic{
		Code:    codeDuplicate,
		Range:   again,
		Summary: "Duplicate name",
		Detail:  what + " stands twice. Remove one of the two, or merge them.",
		Related: []plangate.Related{{Message: "it stands here first", Range: first}},
	})
}

// want reports a value of the wrong type and returns whether it was right.
func (r *report) want(typ nodeType, n *node, what string) bool {
	if n.typ != typ && n.typ != unreadable {
		r.error(codeType, n.rng, "Wrong type", fmt.Sprintf("%s must be %s, not %s.", what, typ, n.typ))
	}
	return n.typ == typ
}

func (r *report) notLiteral(at plangate.Range) {
	r.error(codeValue, at, "Not a literal", "A catalog holds plain values, without variables, functions, operators or ${…}. Write the value itself.")
}
