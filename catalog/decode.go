package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/suggest"
)

// The keys of the closed schema (spec CAT-1).
var (
	fileKeys      = []string{"providers"}
	providerKeys  = []string{"operations"}
	operationKeys = []string{"kind", "risk", "description", "input_schema", "roles", "shell", "aliases"}
	roleKeys      = []string{"command", "path", "url", "cwd"}
	shells        = []string{defaultShell, "sh", "zsh", "powershell", "cmd", "none"}
)

const defaultShell = "bash"

// decoder turns the nodes of our own form into operations.
type decoder struct {
	*report
	operations []Operation
	work       int64 // spent on schemas, see maxSchemaWork
}

func (d *decoder) root(n *node) {
	if !d.object(n, "A catalog", fileKeys) {
		return
	}
	providers := n.get("providers")
	if providers == nil {
		d.missing(n.rng, "A catalog", "providers")
		return
	}
	if d.want(object, providers, "providers") {
		for _, m := range providers.members {
			d.provider(m)
		}
	}
}

func (d *decoder) provider(m member) {
	what := fmt.Sprintf("Provider %q", m.name)
	if !d.object(m.value, what, providerKeys) {
		return
	}
	operations := m.value.get("operations")
	if operations == nil {
		d.missing(m.nameRange, what, "operations")
		return
	}
	if d.want(object, operations, "operations") {
		for _, op := range operations.members {
			d.operation(m.name, op)
		}
	}
}

func (d *decoder) operation(provider string, m member) {
	what := fmt.Sprintf("Operation %q", m.name)
	if m.name == "" {
		d.error(codeValue, m.nameRange, "Empty name", "An operation must have a name.")
		return
	}
	if !d.object(m.value, what, operationKeys) {
		return
	}
	op := Operation{Provider: provider, Name: m.name, Range: m.nameRange, Shell: defaultShell}
	d.required(m, what)
	d.kindAndRisk(&op, m.value)
	if n := m.value.get("description"); n != nil && d.want(text, n, "description") {
		op.Description = n.text
	}
	if n := m.value.get("shell"); n != nil {
		op.Shell = d.word(n, "shell", shells)
	}
	if n := m.value.get("aliases"); n != nil {
		op.Aliases = d.aliases(n, m.name)
	}
	schema := shapeOf(d.schema(&op, m.value.get("input_schema")))
	if n := m.value.get("roles"); n != nil {
		op.Roles = d.roles(n, schema)
	} else {
		op.Roles = defaultRoles(schema)
	}
	d.operations = append(d.operations, op)
}

// aliases reads a list of other names (spec CAT-9).
func (d *decoder) aliases(n *node, name string) []string {
	if !d.want(array, n, "aliases") {
		return nil
	}
	first := map[string]plangate.Range{}
	var aliases []string
	for _, item := range n.items {
		if !d.want(text, item, "An alias") {
			continue
		}
		before, twice := first[item.text]
		switch {
		case item.text == "" || strings.Contains(item.text, "*"):
			d.error(codeValue, item.rng, "Bad alias", "An alias is a whole name, without `*`. Write out each name.")
		case item.text == name:
			d.error(codeValue, item.rng, "Bad alias", fmt.Sprintf("%q is the name of the operation itself. Remove it.", name))
		case twice:
			d.duplicate(fmt.Sprintf("The alias %q", item.text), before, item.rng)
		default:
			first[item.text] = item.rng
			aliases = append(aliases, item.text)
		}
	}
	slices.Sort(aliases)
	return aliases
}

func (d *decoder) required(m member, what string) {
	for _, key := range []string{"kind", "risk"} {
		if m.value.get(key) == nil {
			d.missing(m.nameRange, what, key)
		}
	}
}

// kindAndRisk reads both and holds them against each other (spec CAT-2).
func (d *decoder) kindAndRisk(op *Operation, n *node) {
	kind, risk := n.get("kind"), n.get("risk")
	if kind != nil {
		op.Kind, _ = plangate.ParseKind(d.word(kind, "kind", kindWords()))
	}
	if risk != nil {
		op.Risk, _ = plangate.ParseRisk(d.word(risk, "risk", riskWords()))
	}
	if op.Kind == plangate.KindUnspecified || op.Risk == plangate.RiskUnspecified {
		return
	}
	if (op.Kind == plangate.Resource) == (op.Risk == plangate.ReadOnly) {
		d.add(&plangate.Diagnostic{
			Code:    codeKindRisk,
			Range:   risk.rng,
			Summary: "Risk does not go with kind",
			Detail: "A resource is never read_only, a data_source and an interactive operation always are. " +
				fmt.Sprintf("Change the risk %s or the kind %s.", op.Risk, op.Kind),
			Related: []plangate.Related{{Message: "the kind stands here", Range: kind.rng}},
		})
	}
}

func kindWords() []string {
	return []string{plangate.Resource.String(), plangate.DataSource.String(), plangate.Interactive.String()}
}

func riskWords() []string {
	words := []string{}
	for risk := plangate.ReadOnly; risk <= plangate.Critical; risk++ {
		words = append(words, risk.String())
	}
	return words
}

// word returns the text of n if it is one of the known words, else "".
func (d *decoder) word(n *node, what string, known []string) string {
	if !d.want(text, n, what) {
		return ""
	}
	if !slices.Contains(known, n.text) {
		d.error(codeValue, n.rng, "Unknown "+what, fmt.Sprintf("%q is not a %s. Use one of %s.%s",
			n.text, what, strings.Join(known, ", "), suggest.DidYouMean(n.text, known)))
		return ""
	}
	return n.text
}

// object reports whether n is an object, and every key of it that is not known.
func (d *decoder) object(n *node, what string, known []string) bool {
	if !d.want(object, n, what) {
		return false
	}
	for _, m := range n.members {
		if !slices.Contains(known, m.name) {
			d.error(codeUnknownKey, m.nameRange, "Unknown key", fmt.Sprintf("%s has no key %q. Use one of %s.%s",
				what, m.name, strings.Join(known, ", "), suggest.DidYouMean(m.name, known)))
		}
	}
	return true
}

func (d *decoder) missing(at plangate.Range, what, key string) {
	d.error(codeMissing, at, "Missing "+key, fmt.Sprintf("%s needs the key %q. Add it.", what, key))
}
