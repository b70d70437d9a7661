package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/internal/suggest"
)

// inventory is the catalog, indexed for what findings ask of it.
type inventory struct {
	all        []*catalog.Operation
	operations map[string][]*catalog.Operation // by name
	providers  map[string][]*catalog.Operation // by provider
	names      []string                        // sorted operation names
	homes      []string                        // sorted provider names
}

func newInventory(c *catalog.Catalog) *inventory {
	x := &inventory{
		operations: map[string][]*catalog.Operation{}, providers: map[string][]*catalog.Operation{},
	}
	for operation := range c.All() {
		x.all = append(x.all, operation)
		x.operations[operation.Name] = append(x.operations[operation.Name], operation)
		x.providers[operation.Provider] = append(x.providers[operation.Provider], operation)
	}
	for name := range x.operations {
		x.names = append(x.names, name)
	}
	for name := range x.providers {
		x.homes = append(x.homes, name)
	}
	slices.Sort(x.names)
	slices.Sort(x.homes)
	return x
}

// findUnknownNames reports names that the catalog does not know, and blocks
// that match none of its operations. Without a catalog nothing is known.
func (c *compiler) findUnknownNames() {
	if c.Catalog.Len() == 0 {
		return
	}
	x := newInventory(c.Catalog)
	for _, e := range slices.Concat(c.policies, c.guards) {
		if c.checkNames(x, e) && !x.matchesAny(&e.rule.Match) {
			c.warn("matches_nothing", e.body.Header, "Nothing known matches",
				fmt.Sprintf("%q matches no operation of the catalog: their names, kinds and risks differ. "+
					"Compare the match with `policyctl catalog show`.", e.body.Name.Value)).Context = &e.body.Range
		}
	}
	for _, l := range c.Layers {
		for _, profile := range l.File.Profiles {
			for _, list := range []*dsl.Lit[[]dsl.Lit[string]]{profile.AllowedTools, profile.DenyTools} {
				if list != nil {
					c.checkTools(x, list.Value)
				}
			}
		}
	}
}

// checkNames reports exact names that are not known; true if all are.
func (c *compiler) checkNames(x *inventory, e *entry) bool {
	known := true
	for _, name := range e.body.Match.Operation {
		if text := string(name.Value); !strings.Contains(text, "*") && x.operations[text] == nil && c.aliases[text] == nil {
			c.warnUnknown("operation", text, x.names, name.Range)
			known = false
		}
	}
	for _, name := range e.body.Match.Provider {
		if text := string(name.Value); !strings.Contains(text, "*") && x.providers[text] == nil {
			c.warnUnknown("provider", text, x.homes, name.Range)
			known = false
		}
	}
	return known
}

func (c *compiler) warnUnknown(what, name string, known []string, at plangate.Range) {
	c.warn("unknown_"+what, at, "The catalog does not know this "+what,
		fmt.Sprintf("No %s of the catalog is named %q, so this matches nothing known.%s",
			what, name, suggest.DidYouMean(name, known)))
}

func (x *inventory) matchesAny(m *eval.Match) bool {
	combinations := m.Combinations()
	return slices.ContainsFunc(x.candidates(m), func(o *catalog.Operation) bool {
		return (len(m.Kinds) == 0 || slices.Contains(m.Kinds, o.Kind)) &&
			(len(m.Risks) == 0 || slices.Contains(m.Risks, o.Risk)) &&
			slices.ContainsFunc(combinations, func(c eval.Combination) bool { return c.Fits(o.Name, o.Provider) })
	})
}

// candidates returns the operations worth trying: those of one exact name if
// the match has just that.
func (x *inventory) candidates(m *eval.Match) []*catalog.Operation {
	if len(m.Operations) == 1 && !strings.Contains(m.Operations[0], "*") {
		return x.operations[m.Operations[0]]
	}
	return x.all
}

// findUnknownProfiles reports profiles lists that name a profile without a
// block, once there are blocks at all: the name is then likely a slip.
func (c *compiler) findUnknownProfiles() {
	declared := map[string]bool{}
	for _, l := range c.Layers {
		for _, profile := range l.File.Profiles {
			declared[profile.Name.Value] = true
		}
	}
	if len(declared) == 0 {
		return
	}
	known := slices.Sorted(maps.Keys(declared))
	for _, e := range slices.Concat(c.policies, c.guards) {
		for _, name := range e.body.Profiles {
			if !declared[name.Value] {
				c.warn("undeclared_profile", name.Range, "No such profile",
					fmt.Sprintf("No agent_profile block declares %q.%s", name.Value, suggest.DidYouMean(name.Value, known))).
					Context = &e.body.Range
			}
		}
	}
}

// checkTools reports list entries that name no known operation (spec PRF-2).
func (c *compiler) checkTools(x *inventory, names []dsl.Lit[string]) {
	for _, name := range names {
		if x.operations[name.Value] != nil || c.aliases[name.Value] != nil || x.isTool(name.Value) {
			continue
		}
		c.warnUnknown("operation", name.Value, x.names, name.Range)
	}
}

func (x *inventory) isTool(name string) bool {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return false
	}
	provider, operation, _ := strings.Cut(rest, "__")
	return slices.ContainsFunc(x.providers[provider], func(o *catalog.Operation) bool { return o.Name == operation })
}
