package dsl

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/hclsource"
)

var (
	bodyAttributes = []string{"match", "action", "command", "path", "host", "grant", "when", "reason", "profiles", "expires"}
	listConditions = []ConditionType{Command, Path, Host, Grant}

	policyActions = []string{"allow", "ask", "deny", "hook"}
	guardActions  = []string{"ask", "deny"}
	grantNames    = plangate.GrantNames()
)

// body reads a policy or guard block.
func (p *parser) body(b *block) Body {
	p.closed(b, bodyAttributes)
	out := Body{Name: p.label(b), Header: b.header, Range: b.rng}
	if a := b.attr("match"); a != nil {
		out.Match = p.match(b, a)
	} else if b.typ == "policy" && !b.misspells("match", bodyAttributes) {
		p.missing(b, "a match", "match = { … }; match = {} matches everything")
	}
	if a := b.attr("action"); a != nil {
		out.Action = p.action(b, a)
	} else if !b.misspells("action", bodyAttributes) {
		p.missing(b, "an action", `action = "ask"`)
	}
	out.Conditions = p.conditions(b)
	if a := b.attr("reason"); a != nil {
		out.Reason = p.reason(a)
	}
	if a := b.attr("profiles"); a != nil {
		out.Profiles = slices.DeleteFunc(listOf[string](p, p.value(a.expr), emptyRefused),
			func(name Lit[string]) bool { return !p.validName(name) })
	}
	if a := b.attr("expires"); a != nil {
		out.Expires = p.instant(a)
	}
	return out
}

func (p *parser) action(b *block, a *attribute) Lit[plangate.Action] {
	known := policyActions
	if b.typ == "guard" {
		known = guardActions
	}
	action, ok := wordAttribute(p, a, plangate.ParseAction, known)
	if ok && !slices.Contains(known, action.Value.String()) {
		p.error(codeGuardAction, action.Range, "A guard cannot "+action.Value.String(),
			`A guard only tightens: its action is "ask" or "deny". To permit something, write a policy.`)
		return Lit[plangate.Action]{plangate.Deny, action.Range}
	}
	return action
}

func (p *parser) conditions(b *block) (list []Condition) {
	for _, typ := range listConditions {
		a := b.attr(string(typ))
		if a == nil {
			continue
		}
		v := p.value(a.expr)
		list = append(list, Condition{
			Type: typ, Name: a.rng, Range: v.rng,
			Values: slices.DeleteFunc(listOf[string](p, v, emptyRefused), func(s Lit[string]) bool { return !p.conditionValue(typ, s) }),
		})
	}
	if a := b.attr("when"); a != nil {
		list = append(list, p.when(a))
	}
	return list
}

// conditionValue reports whether a value of a condition can be used.
func (p *parser) conditionValue(typ ConditionType, s Lit[string]) bool {
	switch {
	case typ == Grant:
		return p.grantName(s)
	case typ == Command && strings.TrimSpace(s.Value) == "":
		return p.filled("", s.Range)
	case !p.filled(s.Value, s.Range):
		return false
	case typ == Path:
		return p.pathPattern(s)
	}
	return true
}

func (p *parser) pathPattern(s Lit[string]) bool {
	problem := ""
	switch {
	case strings.HasPrefix(s.Value, "//"):
		problem = "A pattern that begins with // matches no path. Write one slash, or **/ for any depth."
	case strings.ContainsRune(s.Value, 0):
		problem = "A path cannot contain a NUL byte. Remove it."
	}
	if problem != "" {
		p.error(codeBadPathPattern, s.Range, "Invalid path pattern", problem)
	}
	return problem == ""
}

func (p *parser) grantName(s Lit[string]) bool {
	if slices.Contains(grantNames, s.Value) {
		return true
	}
	p.error(codeUnknownGrant, s.Range, "Unknown grant", quote(s.Value)+" is not a grant."+hint(s.Value, grantNames))
	return false
}

// when keeps the expression unevaluated. A constant that cannot be a boolean is
// refused here, since no call could make it one.
func (p *parser) when(a *attribute) Condition {
	at := hclsource.Range(a.expr.Range())
	out := Condition{Type: When, Name: a.rng, Range: at, Expr: a.expr, Text: p.slice(at)}
	v := p.value(a.expr)
	if p.json && v.typ != boolValue {
		inner, text, ok := p.wrapped(a.expr)
		if v.typ == notConstant && ok {
			out.Expr, out.Text = inner, text
			return out
		}
		p.error(codeBadType, at, "Wrong type", `In JSON, when is a string that holds one expression: "${ … }".`)
		return out
	}
	if v.typ != notConstant && v.typ != boolValue {
		p.wrongType(v, "an expression that is true or false, without quotes")
	}
	if _, whole := a.expr.(*hclsyntax.TemplateExpr); whole && v.typ == notConstant {
		p.wrongType(value{typ: stringValue, rng: at}, "an expression that is true or false, without quotes")
	}
	return out
}
