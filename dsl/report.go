package dsl

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/suggest"
)

// The codes of the diagnostics made here (spec/diagnostics.md). Those of the
// text itself come from package hclsource.
const (
	codeBadDuration     = "bad_duration"
	codeBadGlob         = "bad_glob"
	codeBadLabel        = "bad_label"
	codeBadName         = "bad_name"
	codeBadNumber       = "bad_number"
	codeBadPathPattern  = "bad_path_pattern"
	codeBadReason       = "bad_reason"
	codeBadTime         = "bad_time"
	codeBadType         = "bad_type"
	codeDuplicateAttr   = "duplicate_attribute"
	codeDuplicateBlock  = "duplicate_block"
	codeDuplicateKey    = "duplicate_match_key"
	codeDuplicateName   = "duplicate_name"
	codeDuplicateValue  = "duplicate_value"
	codeEmptyValue      = "empty_value"
	codeFormatJSON      = "format_json"
	codeFormatUnsafe    = "format_unsafe"
	codeGuardAction     = "guard_action"
	codeHookTarget      = "hook_target"
	codeKindInteractive = "kind_interactive"
	codeMatchAlias      = "match_alias"
	codeMCPSpelling     = "mcp_spelling"
	codeMissingAttr     = "missing_attribute"
	codeNotConstant     = "not_constant"
	codeSingleLine      = "single_line_block"
	codeSyntax          = "syntax"
	codeToolName        = "tool_name"
	codeToolNameMCP     = "tool_name_mcp"
	codeToolNameRule    = "tool_name_rule"
	codeTooMany         = "too_many_findings"
	codeUnknownAttr     = "unknown_attribute"
	codeUnknownBlock    = "unknown_block"
	codeUnknownGrant    = "unknown_grant"
	codeUnknownKey      = "unknown_match_key"
	codeUnknownValue    = "unknown_value"
)

// report collects diagnostics. It stops at [MaxFindings], so that a hostile
// file cannot fill the memory with its mistakes.
type report struct {
	diags plangate.Diagnostics
}

// full reports whether further findings would be lost, so that there is no
// point in looking for them.
func (r *report) full() bool { return len(r.diags) > MaxFindings }

func (r *report) add(list ...*plangate.Diagnostic) {
	for _, d := range list {
		if r.full() {
			return
		}
		if len(r.diags) == MaxFindings {
			d = &plangate.Diagnostic{
				Code:    codeTooMany,
				Summary: "Too many findings",
				Detail:  fmt.Sprintf("More than %d findings; the rest is not shown. Correct these first.", MaxFindings),
				Range:   d.Range,
			}
		}
		r.diags = append(r.diags, d)
	}
}

func (r *report) error(code string, at plangate.Range, summary, detail string) {
	r.add(&plangate.Diagnostic{Code: code, Summary: summary, Detail: detail, Range: at})
}

// pairOf is where something stands that may stand once only.
type pairOf struct{ second, first plangate.Range }

func (r *report) second(code string, at pairOf, summary, detail string) {
	r.add(&plangate.Diagnostic{
		Code: code, Summary: summary, Detail: detail, Range: at.second,
		Related: []plangate.Related{{Message: "The first one is here.", Range: at.first}},
	})
}

// hint says which of the known names was meant, points out letters that only
// look like ASCII, and lists what there is.
func hint(given string, known []string) string {
	return lookAlike(given) + suggest.DidYouMean(given, known) + " Known here: " + strings.Join(known, ", ") + "."
}

// lookAlike names the first character that is not ASCII by its code point, with
// a leading space. HCL takes letters of any script for identifiers.
func lookAlike(given string) string {
	for _, c := range given {
		if c >= utf8.RuneSelf {
			return fmt.Sprintf(" It contains the character %q (U+%04X), which is not ASCII.", c, c)
		}
	}
	return ""
}

// shorten keeps hostile values out of messages.
func shorten(text string) string {
	const limit = 60
	if len(text) <= limit {
		return text
	}
	cut := limit
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// quote prints a value as it would stand in the file, shortened.
func quote(text string) string { return fmt.Sprintf("%q", shorten(text)) }

func join(a, b plangate.Range) plangate.Range {
	return plangate.Range{File: a.File, Start: a.Start, End: b.End}
}
