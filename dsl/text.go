package dsl

import (
	"encoding/json"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/hclsource"
)

// nativeString returns a string literal with the exact bytes that were written.
// A here-document is taken as HCL made it, in NFC: only a reason may be one,
// and nothing is compared with a reason.
func (s *source) nativeString(e *hclsyntax.TemplateExpr) value {
	raw := s.src[e.SrcRange.Start.Byte:e.SrcRange.End.Byte]
	switch {
	case isPlain(raw):
		return value{typ: stringValue, text: raw[1 : len(raw)-1]}
	case !e.IsStringLiteral():
		return value{}
	case raw[0] != '"':
		text, _ := e.Value(nil)
		return value{typ: stringValue, text: text.AsString(), heredoc: true}
	}
	tokens, _ := hclsyntax.LexExpression([]byte(raw), "", hcl.InitialPos)
	text, _ := literalText(tokens)
	return value{typ: stringValue, text: text}
}

// isPlain reports whether raw is a quoted string without escapes and templates.
func isPlain(raw string) bool {
	for i := range len(raw) {
		if c := raw[i]; c == '\\' || c == '$' || c == '%' {
			return false
		}
	}
	return raw[0] == '"'
}

// literalText joins the literal tokens of a string. It is not ok if there is a
// template sequence among them.
func literalText(tokens hclsyntax.Tokens) (text string, ok bool) {
	var b strings.Builder
	for _, token := range tokens {
		switch token.Type {
		case hclsyntax.TokenQuotedLit, hclsyntax.TokenStringLit:
			part, _ := hclsyntax.ParseStringLiteralToken(token)
			b.WriteString(part)
		case hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			return "", false
		}
	}
	return b.String(), true
}

// jsonValue tells the types apart by their first byte: the expressions of
// hcl/json hide theirs.
func (s *source) jsonValue(expr hcl.Expression) value {
	v := value{rng: hclsource.Range(expr.Range())}
	switch s.src[v.rng.Start.Byte] {
	case '{':
		v.typ = objectValue
	case '[':
		v.typ = listValue
		for _, item := range items(expr) {
			v.items = append(v.items, s.jsonValue(item))
		}
	case '"':
		var ok bool
		if v.text, ok = templateText(s.jsonText(expr)); ok {
			v.typ = stringValue
		}
	default:
		scalar, _ := expr.Value(nil)
		rng := v.rng
		v = literal(scalar)
		v.rng = rng
	}
	return v
}

// pairs returns the members of a JSON object in order, doubles included.
func pairs(expr hcl.Expression) []hcl.KeyValuePair {
	list, _ := hcl.ExprMap(expr)
	return list
}

// items returns the items of a JSON array.
func items(expr hcl.Expression) []hcl.Expression {
	list, _ := hcl.ExprList(expr)
	return list
}

// jsonText returns a JSON string with the exact bytes that were written.
func (s *source) jsonText(expr hcl.Expression) string {
	rng := expr.Range()
	var text string
	if json.Unmarshal([]byte(s.src[rng.Start.Byte:rng.End.Byte]), &text) != nil {
		return ""
	}
	return text
}

// templateText reads a JSON string as HCL reads it, as a template. It is not
// ok if the template is more than a literal.
func templateText(text string) (string, bool) {
	if !strings.Contains(text, "${") && !strings.Contains(text, "%{") {
		return text, true
	}
	tokens, _ := hclsyntax.LexTemplate([]byte(text), "", hcl.InitialPos)
	return literalText(tokens)
}

// wrapped parses a JSON string that consists of one interpolation, and returns
// the expression in it with its text. Its ranges are exact unless the string
// has JSON escapes.
func (s *source) wrapped(expr hcl.Expression) (inner hclsyntax.Expression, text string, ok bool) {
	at := expr.Range()
	template := s.jsonText(expr)
	start := at.Start
	start.Byte++
	start.Column++
	parsed, diags := hclsyntax.ParseTemplate([]byte(template), at.Filename, start)
	wrap, isWrap := parsed.(*hclsyntax.TemplateWrapExpr)
	if diags.HasErrors() || !isWrap {
		return nil, "", false
	}
	r := wrap.Wrapped.Range()
	return wrap.Wrapped, template[r.Start.Byte-start.Byte : r.End.Byte-start.Byte], true
}

// slice returns the text of a range.
func (s *source) slice(r plangate.Range) string { return s.src[r.Start.Byte:r.End.Byte] }
