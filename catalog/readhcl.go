package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/text/unicode/norm"

	"github.com/plangate/plangate/internal/hclsource"
	"github.com/plangate/plangate/internal/suggest"
)

// hclReader reads the HCL form into the nodes that the JSON form would give.
// It takes literals only and evaluates nothing, so no expression can run long.
type hclReader struct {
	*report
	src []byte
}

func readHCL(r *report, src []byte, body *hclsyntax.Body) *node {
	reader := &hclReader{report: r, src: src}
	if len(body.Blocks)+len(body.Attributes) == 0 {
		r.error(codeMissing, hclsource.Range(body.SrcRange), "No provider", `A catalog has at least one block provider "name" { … }.`)
	}
	providers := reader.blocks(body, "provider", func(body *hclsyntax.Body) *node {
		operations := reader.blocks(body, "operation", reader.operation)
		return wrap("operations", operations)
	})
	return wrap("providers", providers)
}

// wrap makes an object with one member.
func wrap(name string, value *node) *node {
	return &node{typ: object, rng: value.rng, members: []member{{name: name, nameRange: value.rng, value: value}}}
}

// blocks reads a body that holds nothing but blocks of one type, with one label.
func (r *hclReader) blocks(body *hclsyntax.Body, typ string, read func(*hclsyntax.Body) *node) *node {
	n := &node{typ: object, rng: hclsource.Range(body.SrcRange)}
	for _, attribute := range sorted(body.Attributes) {
		r.unknown(attribute.NameRange, attribute.Name, []string{typ})
	}
	for _, block := range body.Blocks {
		switch {
		case block.Type != typ:
			r.unknown(block.TypeRange, block.Type, []string{typ})
		case len(block.Labels) != 1:
			r.error(codeSyntax, hclsource.Range(block.DefRange()), "Wrong number of labels",
				fmt.Sprintf("Write %s \"name\" { … }, with exactly one name.", typ))
		default:
			n.members = append(n.members, member{
				name:      r.exact(block.LabelRanges[0], block.Labels[0]),
				nameRange: hclsource.Range(block.DefRange()),
				value:     read(block.Body),
			})
		}
	}
	r.unique(n.members)
	return n
}

// operation reads the attributes of an operation block. Which of them there
// may be is the decoder's business.
func (r *hclReader) operation(body *hclsyntax.Body) *node {
	n := &node{typ: object, rng: hclsource.Range(body.SrcRange)}
	for _, attribute := range sorted(body.Attributes) {
		n.members = append(n.members, member{
			name:      attribute.Name,
			nameRange: hclsource.Range(attribute.NameRange),
			value:     r.value(attribute.Expr),
		})
	}
	for _, block := range body.Blocks {
		r.unknown(block.TypeRange, block.Type+" block", operationKeys)
	}
	return n
}

func sorted(attributes hclsyntax.Attributes) []*hclsyntax.Attribute {
	return slices.SortedFunc(maps.Values(attributes), func(a, b *hclsyntax.Attribute) int {
		return cmp.Compare(a.NameRange.Start.Byte, b.NameRange.Start.Byte)
	})
}

func (r *hclReader) unknown(at hcl.Range, name string, known []string) {
	r.error(codeUnknownKey, hclsource.Range(at), "Unknown key", fmt.Sprintf("%q does not belong here. Use %s.%s",
		name, strings.Join(known, ", "), suggest.DidYouMean(name, known)))
}

// value reads a literal.
func (r *hclReader) value(expr hclsyntax.Expression) *node {
	n := &node{rng: hclsource.Range(expr.Range())}
	switch expr := expr.(type) {
	case *hclsyntax.ObjectConsExpr:
		n.typ = object
		for _, item := range expr.Items {
			r.item(n, item)
		}
		r.unique(n.members)
	case *hclsyntax.TupleConsExpr:
		n.typ = array
		for _, item := range expr.Exprs {
			n.items = append(n.items, r.value(item))
		}
	default:
		r.scalar(n, expr)
	}
	return n
}

func (r *hclReader) item(n *node, item hclsyntax.ObjectConsItem) {
	m := member{nameRange: hclsource.Range(item.KeyExpr.Range())}
	key, _ := item.KeyExpr.(*hclsyntax.ObjectConsKeyExpr)
	if key == nil || key.ForceNonLiteral {
		r.notLiteral(m.nameRange)
		return
	}
	if m.name = hcl.ExprAsKeyword(key.Wrapped); m.name == "" {
		name := &node{rng: m.nameRange}
		r.scalar(name, key.Wrapped)
		if !r.want(text, name, "A key") {
			return
		}
		m.name = name.text
	}
	m.value = r.value(item.ValueExpr)
	n.members = append(n.members, m)
}

func (r *hclReader) scalar(n *node, expr hclsyntax.Expression) {
	if !literal(expr) {
		n.typ = unreadable
		r.notLiteral(n.rng)
		return
	}
	value, _ := expr.Value(nil) // cannot fail: a literal
	switch {
	case value.IsNull():
	case value.Type() == cty.String:
		n.typ, n.text = text, r.exact(expr.Range(), value.AsString())
	case value.Type() == cty.Bool:
		n.typ, n.truth = boolean, value.True()
	case value.Type() == cty.Number:
		n.typ, n.text = number, numberText(string(expr.Range().SliceBytes(r.src)), value)
	}
}

// literal reports whether expr is a value as it stands.
func literal(expr hclsyntax.Expression) bool {
	switch expr := expr.(type) {
	case *hclsyntax.LiteralValueExpr:
		return true
	case *hclsyntax.UnaryOpExpr:
		operand, ok := expr.Val.(*hclsyntax.LiteralValueExpr)
		return ok && expr.Op == hclsyntax.OpNegate && operand.Val.Type() == cty.Number
	case *hclsyntax.TemplateExpr:
		for _, part := range expr.Parts {
			if _, ok := part.(*hclsyntax.LiteralValueExpr); !ok {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// numberText returns a number as written if that is JSON too.
func numberText(written string, value cty.Value) string {
	if json.Valid([]byte(written)) {
		return written
	}
	return value.AsBigFloat().Text('g', -1)
}

// exact returns a string as it is spelled. HCL normalises strings to NFC, and
// names are compared byte for byte (spec DEC-2).
func (r *hclReader) exact(at hcl.Range, value string) string {
	unquoted, err := strconv.Unquote(string(at.SliceBytes(r.src)))
	if err == nil && norm.NFC.String(unquoted) == value {
		return unquoted
	}
	return value
}
