package dsl

import (
	"math/big"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/hclsource"
)

// valueType is the type of a constant value. The zero value is no constant.
type valueType uint8

const (
	notConstant valueType = iota
	stringValue
	numberValue
	boolValue
	nullValue
	listValue
	objectValue
)

var valueTypeNames = [...]string{
	"an expression", "a string", "a number", "a boolean", "null", "a list", "an object",
}

// value is a constant of either syntax, read off the syntax tree. Nothing is
// evaluated: an expression, or a string with a template in it, is notConstant.
// The members of an object are read by [source.eachMember].
type value struct {
	typ     valueType
	text    string // of a string; of a notConstant, the bare word if it is one
	number  *big.Float
	flag    bool
	heredoc bool
	items   []value
	rng     plangate.Range
}

// member is an item of an object.
type member struct {
	name  string
	rng   plangate.Range // of the key
	value value
	// computed says that the key is an expression; it has no name then.
	computed bool
}

// source reads values. It needs the bytes because HCL puts strings into NFC,
// and names are compared byte for byte (spec LNG-17, DEC-2).
type source struct {
	src  string
	json bool
}

func (s *source) value(expr hcl.Expression) value {
	if s.json {
		return s.jsonValue(expr)
	}
	v := s.nativeValue(expr)
	v.rng = hclsource.Range(expr.Range())
	return v
}

func (s *source) nativeValue(expr hcl.Expression) value {
	switch e := expr.(type) {
	case *hclsyntax.TemplateExpr:
		return s.nativeString(e)
	case *hclsyntax.LiteralValueExpr:
		return literal(e.Val)
	case *hclsyntax.TupleConsExpr:
		items := make([]value, len(e.Exprs))
		for i, item := range e.Exprs {
			items[i] = s.value(item)
		}
		return value{typ: listValue, items: items}
	case *hclsyntax.ObjectConsExpr:
		return value{typ: objectValue}
	case *hclsyntax.ParenthesesExpr:
		return s.nativeValue(e.Expression)
	case *hclsyntax.UnaryOpExpr:
		if v := s.nativeValue(e.Val); v.typ == numberValue && e.Op == hclsyntax.OpNegate {
			return value{typ: numberValue, number: new(big.Float).Neg(v.number)}
		}
	case *hclsyntax.ScopeTraversalExpr:
		if len(e.Traversal) == 1 {
			return value{text: e.Traversal.RootName()}
		}
	}
	return value{}
}

func literal(v cty.Value) value {
	switch {
	case v.IsNull():
		return value{typ: nullValue}
	case v.Type() == cty.Number && v.IsKnown():
		return value{typ: numberValue, number: v.AsBigFloat()}
	case v.Type() == cty.Bool:
		return value{typ: boolValue, flag: v.True()}
	}
	return value{}
}

// eachMember visits the members of an object in order, doubles included. The
// member is valid during the visit only.
func (s *source) eachMember(expr hcl.Expression, visit func(*member)) {
	var m member
	if s.json {
		for _, pair := range pairs(expr) {
			m = member{name: s.jsonText(pair.Key), rng: hclsource.Range(pair.Key.Range()), value: s.jsonValue(pair.Value)}
			visit(&m)
		}
		return
	}
	switch e := expr.(type) {
	case *hclsyntax.ParenthesesExpr:
		s.eachMember(e.Expression, visit)
	case *hclsyntax.ObjectConsExpr:
		for _, item := range e.Items {
			m = member{rng: hclsource.Range(item.KeyExpr.Range()), value: s.value(item.ValueExpr)}
			m.name, m.computed = s.key(item.KeyExpr)
			visit(&m)
		}
	}
}

// key reads the key of an object item. A bare word, a quoted string and a
// literal stand for themselves; anything else is computed.
func (s *source) key(expr hcl.Expression) (name string, computed bool) {
	key, ok := expr.(*hclsyntax.ObjectConsKeyExpr)
	if !ok || key.ForceNonLiteral {
		return "", true
	}
	switch v := s.nativeValue(key.Wrapped); {
	case v.text != "" && !v.heredoc:
		return v.text, false
	case v.typ == notConstant:
		return "", true
	}
	return s.slice(hclsource.Range(expr.Range())), false
}
