package hclsource

import (
	"bytes"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	hcljson "github.com/hashicorp/hcl/v2/json"

	"github.com/plangate/plangate"
)

// Parse parses a file after [Check], in JSON syntax if [IsJSON], else in native
// syntax, where the body is a *hclsyntax.Body. The file is nil if Check refuses
// the bytes; otherwise it is as complete as the text allows, even beside errors.
func Parse(name string, src []byte) (*hcl.File, plangate.Diagnostics) {
	if diags := Check(name, src); diags != nil {
		return nil, diags
	}
	if !IsJSON(name) {
		file, diags := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
		found := Diagnostics(diags)
		splitBlocks(src, found)
		return file, found
	}
	text, start := withoutMark(src)
	file, diags := hcljson.ParseWithStartPos(text, name, start)
	file.Bytes = src
	return file, jsonDiagnostics(diags)
}

// ParseJSON parses a JSON file after [Check] as one expression, which keeps
// the order and the doubles of object keys. Take it apart with hcl.ExprMap and
// hcl.ExprList, and read scalars with Value(nil). It is nil if the file has
// syntax errors.
func ParseJSON(name string, src []byte) (hcl.Expression, plangate.Diagnostics) {
	if diags := Check(name, src); diags != nil {
		return nil, diags
	}
	text, start := withoutMark(src)
	expr, diags := hcljson.ParseExpressionWithStartPos(text, name, start)
	if diags.HasErrors() {
		return nil, jsonDiagnostics(diags)
	}
	return expr, nil
}

// withoutMark cuts off the byte order mark, which the JSON parser of HCL does
// not know.
func withoutMark(src []byte) ([]byte, hcl.Pos) {
	text := bytes.TrimPrefix(src, byteOrderMark)
	start := hcl.InitialPos
	start.Byte += len(src) - len(text)
	return text, start
}
