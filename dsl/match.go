package dsl

import (
	"slices"
	"strings"

	"github.com/plangate/plangate"
)

// oldOperation is the older name of the match key operation.
const oldOperation = "tool_name"

var (
	matchKeys = [...]string{"operation", oldOperation, "provider", "risk", "kind"}
	riskWords = []string{"read_only", "low", "moderate", "high", "critical"}
	kindWords = []string{"resource", "data_source", "interactive"}
)

// match reads the match attribute from the syntax of its object: HCL itself
// would silently keep the last of two equal keys.
func (p *parser) match(b *block, a *attribute) Match {
	v := p.value(a.expr)
	out := Match{Range: v.rng}
	if v.typ != objectValue {
		p.error(codeBadType, v.rng, "Wrong type",
			"This is "+valueTypeNames[v.typ]+"; wanted is an object: match = { operation = \"…\" }.")
		return out
	}
	var seen [len(matchKeys)]plangate.Range
	p.eachMember(a.expr, func(m *member) {
		if p.matchKey(m, &seen) {
			p.matchField(b, &out, m)
		}
	})
	return out
}

// matchKey reports whether a key is known and new. Seen has the places of the
// keys so far, in the order of matchKeys.
func (p *parser) matchKey(m *member, seen *[len(matchKeys)]plangate.Range) bool {
	i := slices.Index(matchKeys[:], m.name)
	switch {
	case m.computed:
		p.error(codeNotConstant, m.rng, "Not a constant", "A match key is a plain name. Known here: "+strings.Join(matchKeys[:], ", ")+".")
		return false
	case i < 0:
		p.error(codeUnknownKey, m.rng, "Unknown match key", "There is no match key "+quote(m.name)+"."+matchKeyHint(m.name))
		return false
	case seen[i].Start.Line > 0:
		p.second(codeDuplicateKey, pairOf{m.rng, seen[i]}, "Match key given twice",
			"Each key may stand once. For alternatives, give a list: "+m.name+" = [\"…\", \"…\"].")
		return false
	}
	seen[i] = m.rng
	// The first two are names of one key.
	if i < 2 && seen[1-i].Start.Line > 0 {
		p.second(codeMatchAlias, pairOf{m.rng, seen[1-i]}, "Operation given twice",
			"tool_name is the older name of operation. Keep operation and remove tool_name.")
		return false
	}
	return true
}

// matchKeyHint knows attributes that people put into the match.
func matchKeyHint(name string) string {
	if slices.Contains(bodyAttributes, name) {
		return ` "` + name + `" stands beside match, not in it.`
	}
	return hint(name, matchKeys[:])
}

func (p *parser) matchField(b *block, out *Match, m *member) {
	switch m.name {
	case "operation", oldOperation:
		out.Operation = p.patterns(m.value)
		for _, s := range out.Operation {
			p.mcpSpelling(s)
		}
	case "provider":
		out.Provider = p.patterns(m.value)
	case "risk":
		out.Risk = matchWords(p, m.value, plangate.ParseRisk, riskWords)
	case "kind":
		out.Kind = p.kinds(b, m.value)
	}
}

func (p *parser) patterns(v value) []Lit[Pattern] {
	return slices.DeleteFunc(listOf[Pattern](p, v, emptyRefused), func(s Lit[Pattern]) bool { return !p.filled(string(s.Value), s.Range) })
}

// matchWords reads the values of risk and kind, which are no patterns.
func matchWords[T any](p *parser, v value, parse func(string) (T, error), known []string) (list []Lit[T]) {
	for _, s := range listOf[string](p, v, emptyRefused) {
		if !p.filled(s.Value, s.Range) {
			continue
		}
		if strings.Contains(s.Value, "*") {
			p.error(codeBadGlob, s.Range, "Pattern not possible here",
				"Only operation and provider take patterns. Leave the key out to match all, or list the words: "+
					strings.Join(known, ", ")+".")
			continue
		}
		if lit, ok := word(p, s, parse, known); ok {
			list = append(list, lit)
		}
	}
	return list
}

func (p *parser) kinds(b *block, v value) []Lit[plangate.Kind] {
	known := kindWords
	if b.typ == "policy" {
		known = kindWords[:2]
	}
	return slices.DeleteFunc(matchWords(p, v, plangate.ParseKind, known), func(kind Lit[plangate.Kind]) bool {
		refused := b.typ == "policy" && kind.Value == plangate.Interactive
		if refused {
			p.error(codeKindInteractive, kind.Range, "A policy cannot match interactive calls",
				`An interactive call has no plan to gate. To stop such calls, write a guard with `+
					`match = { kind = "interactive" }, or set interactive in the defaults block.`)
		}
		return refused
	})
}

// mcpSpelling refuses the name that agent CLIs give to an MCP tool, and the
// patterns that were meant for such names.
func (p *parser) mcpSpelling(s Lit[Pattern]) {
	if !meansMCP(string(s.Value)) {
		return
	}
	detail := "A call of an MCP tool is seen as operation TOOL of provider SERVER, so this value never matches it. "
	splits := mcpSplits(string(s.Value))
	_, rest, _ := strings.Cut(string(s.Value), mcpPrefix)
	switch server, _, _ := strings.Cut(rest, "__"); {
	case len(splits) == 1 && splits[0].tool == "*":
		detail += `Write match = { provider = ` + quote(splits[0].server) + ` }.`
	case len(splits) == 1:
		detail += `Write match = { provider = ` + quote(splits[0].server) + `, operation = ` + quote(splits[0].tool) + ` }.`
	case len(splits) == 0 && server != "" && !strings.Contains(server, "*"):
		detail += `Write match = { provider = ` + quote(server) + ` } for all its tools.`
	default:
		detail += `Write match = { provider = "SERVER", operation = "TOOL" }.`
	}
	p.error(codeMCPSpelling, s.Range, "Name of an MCP tool", detail)
}

// meansMCP reports whether a value contains the prefix of MCP tool names, or is
// a pattern whose text before the first star is that prefix cut short: one that
// ends earlier, such as m*, is taken for what it says.
func meansMCP(value string) bool {
	before, _, glob := strings.Cut(value, "*")
	return strings.Contains(value, mcpPrefix) || glob && (before == "mcp" || before == "mcp_")
}
