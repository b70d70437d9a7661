package conformance

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/bind"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/internal/reference"
	"github.com/plangate/plangate/when"
)

var binder = bind.Binder{When: when.Language{}}

// boundJudge answers the reference's questions with the real conditions. It is
// made for one call.
type boundJudge struct {
	catalog *catalog.Catalog
	read    eval.Readings // nil until a question comes
}

func (j *boundJudge) readings(call plangate.Call) eval.Readings {
	if j.read == nil {
		j.read = binder.Read(call, j.known(call))
	}
	return j.read
}

// known is what the catalog says of a call's operation, or nil.
func (j *boundJudge) known(call plangate.Call) *eval.Operation {
	for o := range j.catalog.All() {
		if o.Provider == call.Provider && o.Name == call.Operation {
			return &eval.Operation{Provider: o.Provider, Name: o.Name, Kind: o.Kind, Risk: o.Risk, Roles: rolesOf(o)}
		}
	}
	return nil
}

// rolesOf is CND-4: an argument that the schema names and does not require may
// be left out.
func rolesOf(o *catalog.Operation) eval.Roles {
	roles := eval.Roles{
		Command: o.Roles.Command, Path: o.Roles.Path, URL: o.Roles.URL, Cwd: o.Roles.Cwd, Shell: o.Shell,
	}
	var schema struct {
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
	}
	if len(o.InputSchema) == 0 || json.Unmarshal(o.InputSchema, &schema) != nil {
		return roles
	}
	for _, pointer := range slices.Concat(roles.Command, roles.Path, roles.URL, roles.Cwd) {
		name := strings.Split(pointer, "/")[1]
		if _, named := schema.Properties[name]; named && !slices.Contains(schema.Required, name) {
			roles.Optional = append(roles.Optional, pointer)
		}
	}
	return roles
}

// Items implements [reference.Judge].
func (j *boundJudge) Items(call plangate.Call) int { return j.readings(call).Items() }

// Test implements [reference.Judge].
func (j *boundJudge) Test(q reference.Question) reference.Truth {
	rule, index := ruleOf(&q)
	condition, err := binder.Bind(rule, index)
	if err != nil {
		return reference.Unknown
	}
	switch condition.Test(j.readings(q.Call), q.Item, q.Action) {
	case eval.Yes:
		return reference.Yes
	case eval.No:
		return reference.No
	default:
		return reference.Unknown
	}
}

// ruleOf makes what a binder looks at of the rule in question, and says which of
// its conditions is meant.
func ruleOf(q *reference.Question) (rule *eval.Rule, index int) {
	rule = &eval.Rule{Action: q.Action}
	if q.Body == nil {
		rule.Conditions = []eval.ConditionSource{sourceOf(q.Condition)}
		return rule, 0
	}
	for _, operation := range q.Body.Match.Operation {
		rule.Match.Operations = append(rule.Match.Operations, string(operation.Value))
	}
	for i := range q.Body.Conditions {
		c := &q.Body.Conditions[i]
		rule.Conditions = append(rule.Conditions, sourceOf(c))
		if c == q.Condition {
			index = i
		}
	}
	return rule, index
}

func sourceOf(c *dsl.Condition) eval.ConditionSource {
	source := eval.ConditionSource{Type: string(c.Type)}
	if c.Type == dsl.When {
		source.Values = []string{c.Text}
	}
	for _, value := range c.Values {
		source.Values = append(source.Values, value.Value)
	}
	return source
}

// builtins are the built-in guards as the reference takes them.
func builtins(rules []eval.Rule) (list []reference.Builtin) {
	for _, rule := range rules {
		list = append(list, reference.Builtin{
			Name: rule.Name, Action: rule.Action, Reason: rule.Reason,
			Type: rule.Conditions[0].Type, Values: rule.Conditions[0].Values,
		})
	}
	return list
}
