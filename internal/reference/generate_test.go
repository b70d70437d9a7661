package reference_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/plangate/plangate"
)

// The universe of names is small, so that rules meet each other and the calls.
var (
	operationNames = []string{"read", "write", "write_x", "bash"}
	providerNames  = []string{"fs", "git", "f"}
	operationGlobs = []string{"*", "w*", "*e", "wr*e", "write*", "write_*", "w**", "*r*", "*_*x", "r*d"}
	providerGlobs  = []string{"*", "f*", "*s", "*i*"}
	profileNames   = []string{"worker", "chief"}
	listEntries    = []string{"read", "write", "bash", "mcp__fs__write", "mcp__git__read"}
	grantNames     = []string{"git-commit", "git-rebase", "git-push"}
	allRisks       = []plangate.Risk{plangate.ReadOnly, plangate.Low, plangate.Moderate, plangate.High, plangate.Critical}
	allKinds       = []plangate.Kind{plangate.Resource, plangate.DataSource, plangate.Interactive}

	// Names that only calls have.
	strangeOperations = []string{
		"wr", "", "mcp__fs__write", "mcp__git__read", "mcp__fs__write__x", "mcp__a___b", "mcp__", "mcp____x", "mcp__fs__", "wrīte",
	}
)

// generator makes random sets and calls. Equal seeds give equal results.
type generator struct {
	*rand.Rand
	names int // of blocks so far
}

func newGenerator(seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 0))}
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

// some returns between low and high different members, in random order.
func some[T any](g *generator, from []T, low, high int) []T {
	count := min(low+g.IntN(high-low+1), len(from))
	out := make([]T, 0, count)
	for _, i := range g.Perm(len(from))[:count] {
		out = append(out, from[i])
	}
	return out
}

func (g *generator) set() *policySet {
	s := &policySet{protected: g.chance(50)}
	layers := some(g, []plangate.Layer{plangate.LayerManaged, plangate.LayerUser, plangate.LayerProject}, 1, 3)
	for _, layer := range layers {
		s.layers = append(s.layers, g.layer(layer, layer.String()+".hcl"))
	}
	if g.chance(15) {
		s.layers = append(s.layers, g.layer(layers[0], "another.hcl"))
	}
	if g.chance(60) {
		g.boundLists(s)
	}
	for _, provider := range append(providerNames, "") {
		for _, name := range operationNames {
			if g.chance(30) {
				s.operations = append(s.operations, g.operation(provider, name))
			}
		}
	}
	s.extra = g.guard()
	return s
}

func (g *generator) operation(provider, name string) operation {
	if kind := pick(g, allKinds); kind != plangate.Resource {
		return operation{provider, name, kind, plangate.ReadOnly}
	}
	return operation{provider, name, plangate.Resource, pick(g, allRisks[1:])}
}

func (g *generator) layer(layer plangate.Layer, file string) layerText {
	l := layerText{file: file, layer: layer, trusted: g.chance(70)}
	for range g.IntN(9) {
		l.blocks = append(l.blocks, g.policy())
	}
	for range g.IntN(2) {
		l.blocks = append(l.blocks, g.guard())
	}
	if g.chance(40) {
		l.blocks = append(l.blocks, g.defaults())
	}
	if g.chance(50) {
		for _, name := range some(g, profileNames, 1, 2) {
			l.blocks = append(l.blocks, g.profile(name))
		}
	}
	g.Shuffle(len(l.blocks), func(i, j int) { l.blocks[i], l.blocks[j] = l.blocks[j], l.blocks[i] })
	return l
}

func (g *generator) policy() block {
	g.names++
	kinds := allKinds[:2] // a policy cannot name interactive
	b := block{header: fmt.Sprintf("policy %q", fmt.Sprintf("p%d", g.names))}
	b.attributes = append(b.attributes, "match = "+g.match(kinds))
	action := pick(g, []string{"allow", "allow", "allow", "allow", "ask", "ask", "hook", "deny"})
	b.attributes = append(b.attributes, fmt.Sprintf("action = %q", action))
	return g.body(b)
}

func (g *generator) guard() block {
	g.names++
	b := block{header: fmt.Sprintf("guard %q", fmt.Sprintf("g%d", g.names))}
	if g.chance(95) {
		b.attributes = append(b.attributes, "match = "+g.match(allKinds))
	}
	b.attributes = append(b.attributes, fmt.Sprintf("action = %q", pick(g, []string{"ask", "ask", "deny"})))
	return g.body(b)
}

// body adds the attributes that policies and guards have in common.
func (g *generator) body(b block) block {
	if g.chance(25) {
		b.attributes = append(b.attributes, g.condition())
	}
	if g.chance(8) {
		b.attributes = append(b.attributes, `when = input.`+pick(g, []string{"a", "b"}))
	}
	if g.chance(20) {
		b.attributes = append(b.attributes, "profiles = "+quoted(some(g, append(profileNames, "hidden"), 1, 2)))
	}
	if g.chance(20) {
		end := callTime.Add(time.Duration(g.IntN(3)-1) * time.Hour)
		b.attributes = append(b.attributes, fmt.Sprintf("expires = %q", end.Format(time.RFC3339)))
	}
	if g.chance(30) {
		b.attributes = append(b.attributes, fmt.Sprintf("reason = %q", "because "+b.header[:1]))
	}
	return b
}

// condition returns a condition for the fake judge: see answers.
func (g *generator) condition() string {
	name := pick(g, []string{"path", "command", "host", "grant"})
	if name == "grant" {
		return "grant = " + quoted(some(g, grantNames, 1, 2))
	}
	return name + " = " + quoted(some(g, []string{"yes", "no", "unknown", "strict", "a", "a", "b", "b"}, 1, 2))
}

func (g *generator) match(kinds []plangate.Kind) string {
	var fields []string
	if g.chance(60) {
		fields = append(fields, "operation = "+g.names3(operationNames, operationGlobs))
	}
	if g.chance(45) {
		fields = append(fields, "provider = "+g.names3(providerNames, providerGlobs))
	}
	if g.chance(25) {
		fields = append(fields, "risk = "+quoted(words(some(g, allRisks, 1, 3))))
	}
	if g.chance(25) {
		fields = append(fields, "kind = "+quoted(words(some(g, kinds, 1, len(kinds)))))
	}
	return "{ " + strings.Join(fields, ", ") + " }"
}

// names3 returns one to three values, exact ones and globs.
func (g *generator) names3(exact, globs []string) string {
	if g.chance(75) {
		if g.chance(60) {
			return fmt.Sprintf("%q", pick(g, exact))
		}
		return fmt.Sprintf("%q", pick(g, globs))
	}
	return quoted(some(g, append(append([]string{}, exact...), globs...), 1, 3))
}

func (g *generator) defaults() block {
	b := block{header: "defaults"}
	for _, kind := range some(g, allKinds, 1, 3) {
		b.attributes = append(b.attributes, fmt.Sprintf("%s = %q", kind, pick(g, []string{"allow", "ask", "deny", "hook"})))
	}
	return b
}

func (g *generator) profile(name string) block {
	b := block{header: fmt.Sprintf("agent_profile %q", name)}
	if g.chance(35) {
		b.attributes = append(b.attributes, "headless = true")
	}
	if g.chance(35) {
		b.attributes = append(b.attributes, "deny_tools = "+quoted(some(g, listEntries, 0, 2)))
	}
	if g.chance(35) {
		b.attributes = append(b.attributes, "grants = "+quoted(some(g, grantNames, 0, 2)))
	}
	if g.chance(25) {
		b.attributes = append(b.attributes, "escalation_grants = "+quoted(some(g, grantNames, 0, 3)))
	}
	return b
}

// boundLists gives profiles an allowed_tools that narrows from layer to layer.
// Now and then one is wider, which the policy must not survive.
func (g *generator) boundLists(s *policySet) {
	for _, profile := range profileNames {
		inherited := listEntries
		for _, layer := range []plangate.Layer{plangate.LayerManaged, plangate.LayerUser, plangate.LayerProject} {
			b := s.find(layer, fmt.Sprintf("agent_profile %q", profile))
			if b == nil || g.chance(40) {
				continue
			}
			if !g.chance(15) {
				inherited = some(g, inherited, 0, len(inherited))
			} else {
				inherited = some(g, listEntries, 1, len(listEntries))
			}
			b.attributes = append(b.attributes, "allowed_tools = "+quoted(inherited))
		}
	}
}

func (s *policySet) find(layer plangate.Layer, header string) *block {
	for i := range s.layers {
		for j := range s.layers[i].blocks {
			if b := &s.layers[i].blocks[j]; s.layers[i].layer == layer && b.header == header {
				return b
			}
		}
	}
	return nil
}

// call returns a random call. Its input is what the fake judge reads.
func (g *generator) call() plangate.Call {
	call := plangate.Call{
		ID:        fmt.Sprint(g.IntN(1000)),
		Operation: pick(g, operationNames),
		Provider:  pick(g, append(providerNames, "", "other")),
		Profile:   pick(g, []string{"", "", "", "worker", "worker", "worker", "chief", "chief", "hidden", "ghost"}),
	}
	if g.chance(20) {
		call.Operation = pick(g, strangeOperations)
	}
	if strings.HasPrefix(call.Operation, "mcp__") && g.chance(80) {
		call.Provider = ""
	}
	if g.chance(70) {
		call.Kind = pick(g, allKinds)
	}
	if g.chance(70) {
		call.Risk = pick(g, allRisks)
	}
	if g.chance(80) {
		call.Time = callTime.Add(time.Duration(g.IntN(5)-2) * 30 * time.Minute)
	}
	if g.chance(70) {
		call.Input = g.input()
	}
	if g.chance(40) {
		call.Session = g.session()
	}
	if g.chance(30) {
		call.ProducerCategory = plangate.SlashCommand
	}
	return call
}

func (g *generator) input() json.RawMessage {
	all := make(items, 1+g.IntN(3))
	for i := range all {
		for range 2 {
			all[i] += pick(g, []string{"y", "n", "-"})
		}
		for range builtinValues {
			all[i] += pick(g, []string{"y", "n", "n", "n", "n", "n", "n", "n", "n", "-"})
		}
	}
	return inputOf(all)
}

// session returns roles and grants, among them some that nobody can read.
func (g *generator) session() json.RawMessage {
	if g.chance(5) {
		return json.RawMessage(pick(g, []string{
			"[]", "{", "null", `"escalation"`, `{"role":"escalation","role":"reviewer"}`, `{"role":"reviewer","role":"escalation"}`,
		}))
	}
	members := []string{pick(g, []string{`"branch":"x"`, `"number":1e999`})}
	if g.chance(80) {
		members = append(members, `"role":`+pick(g, []string{
			`"escalation"`, `"escalation"`, `"escalation"`, `"reviewer"`, `"other"`, `"Escalation"`, `"escalat\u0069on"`, "null", "1",
		}))
	}
	if g.chance(30) {
		members = append(members, `"grants":`+pick(g, []string{
			quoted(some(g, grantNames, 0, 3)), quoted(some(g, grantNames, 1, 3)), "null", `"git-commit"`, `["git-commit",1]`, `["git-commit",null]`,
		}))
	}
	return json.RawMessage("{" + strings.Join(members, ",") + "}")
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = fmt.Sprintf("%q", name)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func words[T fmt.Stringer](values []T) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = value.String()
	}
	return out
}
