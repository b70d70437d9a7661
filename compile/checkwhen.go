package compile

import (
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/when"
)

// checkWhen reports what is wrong with the expressions, by themselves and for
// the operations that their rules name.
func (c *compiler) checkWhen() {
	for _, e := range slices.Concat(c.policies, c.guards) {
		for _, condition := range e.body.Conditions {
			if condition.Type == dsl.When {
				c.checkExpression(e, condition)
			}
		}
	}
}

func (c *compiler) checkExpression(e *entry, condition dsl.Condition) {
	expression, findings := when.Parse(condition.Text, condition.Range.File, condition.Range.Start)
	if !findings.HasErrors() {
		findings = append(findings, sharedFindings(expression, c.namedOperations(&e.rule.Match))...)
	}
	for _, d := range findings {
		found := *d
		found.Context = &e.body.Range
		c.report(found)
	}
}

// sharedFindings returns what is wrong for every one of the operations: what one
// of them has the rule may ask about.
func sharedFindings(expression *when.Expr, operations []*catalog.Operation) plangate.Diagnostics {
	var shared plangate.Diagnostics
	for i, operation := range operations {
		found := expression.Check(operation.InputSchema)
		if i == 0 {
			shared = found
			continue
		}
		shared = slices.DeleteFunc(shared, func(d *plangate.Diagnostic) bool {
			return !slices.ContainsFunc(found, func(o *plangate.Diagnostic) bool { return o.Code == d.Code && o.Range == d.Range })
		})
	}
	return shared
}

// namedOperations returns the catalogued operations that a match names, or
// nothing if it may fit others too.
func (c *compiler) namedOperations(match *eval.Match) []*catalog.Operation {
	var all []*catalog.Operation
	for _, name := range match.Operations {
		found := false
		for operation := range c.Catalog.All() {
			if operation.Name == name && (len(match.Providers) == 0 || slices.Contains(match.Providers, operation.Provider)) {
				all, found = append(all, operation), true
			}
		}
		if !found || strings.Contains(name, "*") {
			return nil
		}
	}
	return all
}
