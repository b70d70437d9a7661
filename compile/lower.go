package compile

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/facts"
)

// lower turns the syntax trees into the plain form of package eval.
func (c *compiler) lower() eval.Source {
	source := eval.Source{Defaults: eval.BuiltinDefaults(), Layers: c.Places, Settings: c.lowerSettings()}
	for _, l := range c.Layers {
		for _, policy := range l.File.Policies {
			c.policies = append(c.policies, c.entry(l, &policy.Body, plangate.RulePolicy))
		}
		for _, guard := range l.File.Guards {
			c.guards = append(c.guards, c.entry(l, &guard.Body, plangate.RuleGuard))
		}
	}
	source.Rules = make([]eval.Rule, 0, len(c.policies)+len(c.guards))
	for _, list := range [][]*entry{c.policies, c.guards} {
		for i, e := range list {
			e.number = i
			source.Rules = append(source.Rules, e.rule)
		}
	}
	c.lowerDefaults(&source.Defaults)
	source.Profiles = c.mergeProfiles()
	for operation := range c.Catalog.All() {
		source.Operations = append(source.Operations, eval.Operation{
			Provider: operation.Provider, Name: operation.Name, Kind: operation.Kind, Risk: operation.Risk,
			Roles: rolesOf(operation),
		})
	}
	source.Rules = append(source.Rules, c.Protect.Rules()...)
	return source
}

// conventional are the roles of an operation whose catalog says nothing of them.
func conventional() catalog.Roles {
	roles := facts.ConventionalRoles()
	return catalog.Roles{Command: roles.Command, Path: roles.Path, URL: roles.URL, Cwd: roles.Cwd}
}

// rolesOf returns the argument roles of an operation, and which of the arguments
// its schema lets a call leave out.
func rolesOf(o *catalog.Operation) eval.Roles {
	roles := eval.Roles{
		Command: o.Roles.Command, Path: o.Roles.Path, URL: o.Roles.URL, Cwd: o.Roles.Cwd, Shell: o.Shell,
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	roles.Guessed = o.InputSchema == nil && reflect.DeepEqual(o.Roles, conventional())
	if o.InputSchema == nil || json.Unmarshal(o.InputSchema, &schema) != nil {
		return roles
	}
	for _, pointer := range slices.Concat(roles.Command, roles.Path, roles.URL, roles.Cwd) {
		name, _, _ := strings.Cut(pointer[1:], "/")
		if schema.Properties[name] != nil && !slices.Contains(schema.Required, name) {
			roles.Optional = append(roles.Optional, pointer)
		}
	}
	return roles
}

func (c *compiler) entry(l LayerFile, body *dsl.Body, sort plangate.RuleType) *entry {
	e := &entry{body: body, layer: l.Layer, trusted: l.Trusted, expired: c.expiredAt(body)}
	e.rule = eval.Rule{
		Rule: plangate.Rule{
			Type: sort, Name: body.Name.Value, Layer: l.Layer,
			File: body.Header.File, Line: body.Header.Start.Line,
		},
		Action: body.Action.Value,
		Match: eval.Match{
			Operations: c.aliases.expand(texts(body.Match.Operation)), Providers: texts(body.Match.Provider),
			Risks: values(body.Match.Risk), Kinds: values(body.Match.Kind),
		},
		Profiles:  values(body.Profiles),
		Untrusted: !l.Trusted,
	}
	if body.Reason != nil {
		e.rule.Reason = body.Reason.Value
	}
	if body.Expires != nil {
		e.rule.NotAfter = endOf(body.Expires.Value)
	}
	for _, condition := range body.Conditions {
		e.rule.Conditions = append(e.rule.Conditions, conditionSource(condition))
	}
	return e
}

// endOf keeps an end in the year 1 apart from "no end".
func endOf(t time.Time) time.Time {
	if t.IsZero() {
		return t.Add(1)
	}
	return t.UTC()
}

func conditionSource(c dsl.Condition) eval.ConditionSource {
	if c.Type == dsl.When {
		return eval.ConditionSource{Type: string(c.Type), Values: []string{c.Text}}
	}
	return eval.ConditionSource{Type: string(c.Type), Values: values(c.Values)}
}

func values[T any](literals []dsl.Lit[T]) []T {
	if len(literals) == 0 {
		return nil
	}
	out := make([]T, len(literals))
	for i, literal := range literals {
		out[i] = literal.Value
	}
	return out
}

func texts(literals []dsl.Lit[dsl.Pattern]) []string {
	if len(literals) == 0 {
		return nil
	}
	out := make([]string, len(literals))
	for i, literal := range literals {
		out[i] = string(literal.Value)
	}
	return out
}

// lowerDefaults merges the defaults blocks (spec SEL-4, LAY-4): the innermost
// trusted one stands, then untrusted ones may tighten.
func (c *compiler) lowerDefaults(defaults *eval.Defaults) {
	c.checkDefaultsOnce()
	for _, trusted := range []bool{true, false} {
		for _, l := range c.Layers {
			if l.Trusted != trusted {
				continue
			}
			for _, d := range l.File.Defaults {
				slot := defaultOf(defaults, d.Kind)
				if trusted || d.Action.Value < slot.Action {
					*slot = eval.Default{Action: d.Action.Value, Rule: plangate.Rule{
						Type: plangate.RuleDefault, Name: d.Kind.String(), Layer: l.Layer,
						File: d.Action.Range.File, Line: d.Action.Range.Start.Line,
					}}
				}
			}
		}
	}
}

// checkDefaultsOnce refuses two trusted files of one layer that set the default of one
// kind, because the order of files must not decide (spec SEL-5).
func (c *compiler) checkDefaultsOnce() {
	type slot struct {
		layer plangate.Layer
		kind  plangate.Kind
	}
	first := map[slot]plangate.Range{}
	for _, l := range c.Layers {
		if !l.Trusted {
			continue // it only tightens, whatever its place
		}
		for _, d := range l.File.Defaults {
			key := slot{l.Layer, d.Kind}
			if at, twice := first[key]; twice {
				c.reportTwice("the default of "+d.Kind.String(), d.Action.Range, at)
			} else {
				first[key] = d.Action.Range
			}
		}
	}
}

// reportTwice refuses what only one file of a layer may set.
func (c *compiler) reportTwice(what string, second, first plangate.Range) {
	c.report(plangate.Diagnostic{
		Code:    "set_twice",
		Summary: "Set in two files of one layer",
		Detail: fmt.Sprintf("Two files of the same layer set %s, and the order of files does not count. "+
			"Keep one of the two.", what),
		Range:   second,
		Related: []plangate.Related{{Message: "the other one", Range: first}},
	})
}

func defaultOf(defaults *eval.Defaults, kind plangate.Kind) *eval.Default {
	switch kind {
	case plangate.DataSource:
		return &defaults.DataSource
	case plangate.Interactive:
		return &defaults.Interactive
	default:
		return &defaults.Resource
	}
}
