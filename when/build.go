package when

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/hclsource"
	"github.com/plangate/plangate/internal/suggest"
)

// build makes a node of an expression of HCL. What cannot be built is reported
// and stands in the tree as an unknown.
func (p *parser) build(expr hclsyntax.Expression) node {
	at := hclsource.Range(expr.Range())
	if !p.count(at) {
		return p.broken(at)
	}
	p.depth++
	defer func() { p.depth-- }()
	switch e := expr.(type) {
	case *hclsyntax.ParenthesesExpr:
		return p.build(e.Expression)
	case *hclsyntax.LiteralValueExpr:
		return p.literal(e)
	case *hclsyntax.TemplateExpr:
		return p.template(at, e.Parts)
	case *hclsyntax.TemplateWrapExpr:
		return p.template(at, []hclsyntax.Expression{e.Wrapped})
	case *hclsyntax.ScopeTraversalExpr:
		return p.scope(e.Traversal)
	case *hclsyntax.RelativeTraversalExpr:
		return p.steps(p.build(e.Source), e.Traversal)
	case *hclsyntax.IndexExpr:
		return p.index(at, p.build(e.Collection), p.build(e.Key))
	case *hclsyntax.TupleConsExpr:
		return &list{place(at), p.buildAll(e.Exprs)}
	case *hclsyntax.ConditionalExpr:
		return &conditional{place(at), p.build(e.Condition), p.build(e.TrueResult), p.build(e.FalseResult)}
	case *hclsyntax.UnaryOpExpr:
		if e.Op == hclsyntax.OpNegate {
			return &negation{place(at), p.build(e.Val)}
		}
		return &not{place(at), p.build(e.Val)}
	case *hclsyntax.BinaryOpExpr:
		return p.binary(at, e)
	case *hclsyntax.FunctionCallExpr:
		return p.call(at, e)
	case *hclsyntax.ForExpr:
		return p.forLoop(at, e)
	case *hclsyntax.SplatExpr:
		return p.splat(at, e)
	case *hclsyntax.AnonSymbolExpr:
		return &element{place(at)}
	default:
		return p.refuse(at, "Expression is not offered",
			"A condition cannot make objects. Compare the single values with each other.")
	}
}

func (p *parser) buildAll(exprs []hclsyntax.Expression) []node {
	nodes := make([]node, len(exprs))
	for i, expr := range exprs {
		nodes[i] = p.build(expr)
	}
	return nodes
}

// count counts a node, and reports the first one too many or too deep.
func (p *parser) count(at plangate.Range) bool {
	p.nodes++
	if p.full || p.nodes <= MaxNodes && p.depth < MaxDepth {
		return !p.full
	}
	p.full = true
	p.refuse(at, "Expression is too complex", fmt.Sprintf(
		"It may have %d operators, calls, literals and steps, and they may nest %d deep. Split it into several rules.",
		MaxNodes, MaxDepth))
	return false
}

func (p *parser) broken(at plangate.Range) node { return &literal{place(at), unknownValue{}} }

func (p *parser) refuse(at plangate.Range, summary, detail string) node {
	p.report(codeTooComplex, at, summary, detail)
	return p.broken(at)
}

// literal takes numbers from the text, because HCL rounds them.
func (p *parser) literal(e *hclsyntax.LiteralValueExpr) node {
	at := hclsource.Range(e.SrcRange)
	switch {
	case e.Val.IsNull():
		return &literal{place(at), nil}
	case e.Val.Type() == cty.Bool:
		return &literal{place(at), e.Val.True()}
	case e.Val.Type() == cty.String:
		return &literal{place(at), e.Val.AsString()}
	}
	number, ok := parseNumber(p.text[at.Start.Byte-p.start.Byte : at.End.Byte-p.start.Byte])
	if !ok {
		return p.refuse(at, "Number is too large", fmt.Sprintf(
			"A number may have %d characters and an exponent up to %d. Shorten it.", maxNumberBytes, maxExponent))
	}
	return &literal{place(at), number}
}

func (p *parser) template(at plangate.Range, parts []hclsyntax.Expression) node {
	if len(parts) == 1 {
		if only, ok := parts[0].(*hclsyntax.LiteralValueExpr); ok && only.Val.Type() == cty.String {
			return &literal{place(at), only.Val.AsString()}
		}
	}
	return &template{place(at), p.buildAll(parts)}
}

// variables are the names that an expression may begin with.
var variables = []string{"input", "session", "caller", "call"}

func (p *parser) scope(path hcl.Traversal) node {
	name, at := path.RootName(), hclsource.Range(path[0].SourceRange())
	var base node
	switch {
	case p.looping && name == p.itemName && name != "":
		base = &element{place(at)}
	case p.looping && name == p.keyName && name != "":
		base = &elementKey{place(at)}
	case name == "call":
		return p.callField(path)
	case name == "input":
		base = &variable{place(at), inputRoot}
	case name == "session":
		base = &variable{place(at), sessionRoot}
	case name == "caller":
		base = &variable{place(at), callerRoot}
	default:
		p.report(codeUnknownVariable, at, "Unknown variable", fmt.Sprintf(
			"There is no variable %.100q.%s An expression reads input.NAME, session.NAME, caller.NAME and call.NAME; "+
				"text stands in quotes.", name, suggest.DidYouMean(name, variables)))
		return p.broken(at)
	}
	return p.steps(base, path[1:])
}

// callField reads an attribute of the call, whose names are known.
func (p *parser) callField(path hcl.Traversal) node {
	at := hclsource.Range(path.SourceRange())
	name := ""
	if len(path) > 1 {
		name, _ = stepName(path[1])
		at = hclsource.Range(hcl.RangeBetween(path[0].SourceRange(), path[1].SourceRange()))
	}
	if slices.Contains(callFields, name) {
		return p.steps(&callField{place(at), name}, path[2:])
	}
	p.report(codeUnknownVariable, at, "Unknown attribute of call", fmt.Sprintf(
		"The variable call is read as call.NAME.%s The names are %s.",
		suggest.DidYouMean(name, callFields), strings.Join(callFields, ", ")))
	return p.broken(at)
}

// stepName returns the name in a step .name or ["name"].
func stepName(step hcl.Traverser) (string, bool) {
	switch step := step.(type) {
	case hcl.TraverseAttr:
		return step.Name, true
	case hcl.TraverseIndex:
		if step.Key.Type() == cty.String {
			return step.Key.AsString(), true
		}
	}
	return "", false
}

func (p *parser) steps(base node, path hcl.Traversal) node {
	for _, step := range path {
		at := base.at()
		at.End = hclsource.Range(step.SourceRange()).End
		if !p.count(at) {
			return p.broken(at)
		}
		if name, ok := stepName(step); ok {
			base = &attribute{place(at), base, name}
			continue
		}
		number, ok := stepNumber(step)
		if !ok {
			return p.refuse(at, "Step is not offered", "Read an attribute as .NAME and an element as [NUMBER], counting from 0.")
		}
		base = &index{place(at), base, &literal{place(at), number}}
	}
	return base
}

// stepNumber returns the number in a step [NUMBER].
func stepNumber(step hcl.Traverser) (*big.Rat, bool) {
	index, ok := step.(hcl.TraverseIndex)
	if !ok || index.Key.Type() != cty.Number {
		return nil, false
	}
	number, accuracy := index.Key.AsBigFloat().Int64()
	return big.NewRat(number, 1), accuracy == big.Exact
}

// index makes an attribute of an index that is a constant name.
func (p *parser) index(at plangate.Range, base, key node) node {
	if name, ok := constantString(key); ok {
		return &attribute{place(at), base, name}
	}
	return &index{place(at), base, key}
}

func (p *parser) binary(at plangate.Range, e *hclsyntax.BinaryOpExpr) node {
	a, b := p.left(e), p.build(e.RHS)
	switch e.Op {
	case hclsyntax.OpLogicalAnd:
		return &logical{place(at), a, b, false}
	case hclsyntax.OpLogicalOr:
		return &logical{place(at), a, b, true}
	case hclsyntax.OpEqual, hclsyntax.OpNotEqual:
		negate := e.Op == hclsyntax.OpNotEqual
		switch {
		case isNull(b):
			return &nullTest{place(at), a, negate}
		case isNull(a):
			return &nullTest{place(at), b, negate}
		}
		return &equality{place(at), a, b, negate}
	}
	if test, ok := orders[e.Op]; ok {
		return &order{place(at), a, b, test}
	}
	return &arithmetic{place(at), a, b, arithmetics[e.Op]}
}

// left builds the left side. A chain of one logical operator is not deep: it
// only looks so in the tree.
func (p *parser) left(e *hclsyntax.BinaryOpExpr) node {
	inner, ok := e.LHS.(*hclsyntax.BinaryOpExpr)
	if ok && inner.Op == e.Op && (e.Op == hclsyntax.OpLogicalAnd || e.Op == hclsyntax.OpLogicalOr) {
		p.depth--
		defer func() { p.depth++ }()
	}
	return p.build(e.LHS)
}

func isNull(n node) bool {
	l, ok := n.(*literal)
	return ok && l.constant == nil
}
