package toolcalls

import (
	"slices"

	"golang.org/x/text/unicode/norm"

	"github.com/plangate/plangate"
)

// Options say what does not stand in the object.
type Options struct {
	// HookCommand is the argv, HookURL the address of the configured hook. At most one
	// is set; there is no hook without one.
	HookCommand []string
	HookURL     string
	// Providers are those whose tools are also known by their operation alone.
	Providers []string
}

// Convert returns the text of a policy file. The file name stands in ranges only. If the
// diagnostics have errors there is no text; warnings tell what is stricter than before.
func Convert(file string, text []byte, opts Options) ([]byte, plangate.Diagnostics) {
	s := &source{file: file, text: text}
	s.checkOptions(opts)
	in := s.decode()
	if s.diags.HasErrors() {
		return nil, s.errors()
	}
	c := &converter{source: s, opts: opts, tools: in.tools, pairs: map[pair]int{}}
	c.resolveHook(&in)
	c.convert()
	if s.diags.HasErrors() {
		return nil, s.errors()
	}
	c.warnAsk(&in)
	s.diags.Sort()
	return c.write(&in), s.diags
}

// checkOptions refuses providers that no match can name.
func (s *source) checkOptions(opts Options) {
	for _, provider := range opts.Providers {
		if provider == "" || !inMatch(provider) || !norm.NFC.IsNormalString(provider) {
			s.diags = append(s.diags, &plangate.Diagnostic{
				Code: "import_name", Summary: "Invalid provider",
				Detail: "The name of a provider is not empty and has neither * nor mcp__ in it, nor characters to compose.",
				Range:  plangate.Range{File: s.file},
			})
		}
	}
}

func (o Options) hasHook() bool { return len(o.HookCommand) > 0 || o.HookURL != "" }

// converter makes rules of tools.
type converter struct {
	*source
	opts     Options
	tools    []tool
	fallback plangate.Action // of a call that no entry names
	rules    []rule
	pairs    map[pair]int // index in rules
	wide     span         // the first entry that counts for any provider
	narrow   span         // the first that does not count for named providers
}

type pair struct{ provider, operation string }

// rule is a policy to be written. It compares provider and operation exactly.
type rule struct {
	label       string
	operation   string
	provider    string // empty for calls without one
	anyProvider bool   // whatever the provider
	action      plangate.Action
}

// resolveHook finds what holds for a call that no entry names, and makes deny of hooks
// that cannot be asked.
func (c *converter) resolveHook(in *object) {
	c.fallback = in.fallback
	if c.opts.hasHook() {
		if in.fallbackAt != nil && in.fallback < plangate.Hook {
			c.warn("import_unreached", *in.fallbackAt, "The default is never reached",
				"A configured hook is asked about every call that byTool does not name, and saying nothing allows. "+
					"Without a hook this default would deny or ask.")
		}
		c.fallback = plangate.Hook
		return
	}
	const detail = "No hook is configured, so this denies. Name the hook to have it asked."
	if c.fallback == plangate.Hook {
		c.warn("import_no_hook", *in.fallbackAt, "Nobody to ask", detail)
		c.fallback = plangate.Deny
	}
	for i := range c.tools {
		if c.tools[i].action == plangate.Hook {
			c.warn("import_no_hook", c.tools[i].value, "Nobody to ask", detail)
			c.tools[i].action = plangate.Deny
		}
	}
}

// convert makes the rules, those for a provider and an operation last, since they may have
// to be stricter than their entry.
func (c *converter) convert() {
	for _, t := range c.tools {
		if c.usable(t) && len(splits(t.name)) != 1 {
			c.byName(t)
		}
	}
	for _, t := range c.tools {
		ways := splits(t.name)
		if len(ways) == 1 || len(ways) > 1 && t.action < c.fallback {
			for _, way := range ways {
				c.pair(t, way)
			}
		}
	}
	for _, t := range c.tools {
		c.byProvider(t)
	}
	c.warnNames()
}

// usable reports names that nothing can hold.
func (c *converter) usable(t tool) bool {
	var detail string
	switch {
	case t.name == "":
		detail = "No call has an empty name. Remove the entry."
	case !needsCondition(t.name):
		return true
	case len(t.name) > maxName:
		detail = "A name with * or mcp__ of more than 500 bytes cannot be compared exactly. Remove the entry."
	case !norm.NFC.IsNormalString(t.name):
		detail = "A name with * or mcp__ and with characters to compose cannot be compared exactly. Remove the entry."
	default:
		return true
	}
	c.error("import_name", t.at, "Invalid name", detail)
	return false
}

// needsCondition reports whether a match cannot hold all of a name.
func needsCondition(name string) bool {
	if ways := splits(name); len(ways) == 1 {
		return !inMatch(ways[0].provider) || !inMatch(ways[0].operation)
	}
	return !inMatch(name)
}

// byName makes the rule for calls that have no provider, or for all calls of this
// operation if that is no looser.
func (c *converter) byName(t tool) {
	r := rule{label: "tool " + t.name, operation: t.name, anyProvider: t.action <= c.fallback, action: t.action}
	ambiguous := len(splits(t.name)) > 1
	if t.action > c.fallback {
		if !ambiguous && len(c.opts.Providers) == 0 && c.narrow == (span{}) {
			c.narrow = t.at
		}
	} else if t.action < c.fallback && c.wide == (span{}) {
		c.wide = t.at
	}
	if ambiguous && t.action > plangate.Ask {
		c.warn("import_loss", t.at, "Stricter than before",
			"This name can be split in several ways into mcp__SERVER__TOOL, so a call of it is at least ask. "+
				"Have calls give provider and operation apart.")
	}
	c.rules = append(c.rules, r)
}

// byProvider makes the rules for the providers whose tools have this name too, where the
// rule of the bare name does not hold.
func (c *converter) byProvider(t tool) {
	for _, provider := range c.opts.Providers {
		way := pair{provider, t.name}
		_, taken := c.pairs[way]
		if taken || t.action > c.fallback || len(splits(t.name)) == 1 {
			c.pair(t, way)
		}
	}
}

// pair makes the rule for one operation of one provider.
func (c *converter) pair(t tool, way pair) {
	i, taken := c.pairs[way]
	if !taken {
		c.pairs[way] = len(c.rules)
		label := "tool " + way.operation + " of " + way.provider
		c.rules = append(c.rules, rule{label: label, operation: way.operation, provider: way.provider, action: t.action})
		return
	}
	if c.rules[i].action != t.action {
		c.warn("import_loss", t.at, "Two names of one tool",
			"Another entry means the same tool and says something else; the stricter of the two counts.")
		c.rules[i].action = min(c.rules[i].action, t.action)
	}
}

// warnNames tells once how names and providers go together in this object.
func (c *converter) warnNames() {
	if c.wide != (span{}) {
		c.warn("import_loss", c.wide, "Stricter than before",
			"This entry, and others like it, counts for the tool of this name of any provider, also of one that only happens to have it.")
	}
	if c.narrow != (span{}) {
		c.warn("import_loss", c.narrow, "Stricter than before",
			"This entry, and others like it, counts for calls without a provider only: another provider may call a tool of its own so. "+
				"Name the providers whose tools are meant.")
	}
}

// warnAsk tells that not every ask can be asked.
func (c *converter) warnAsk(in *object) {
	asks := func(action plangate.Action) bool { return action == plangate.Ask || action == plangate.Hook }
	i := slices.IndexFunc(c.tools, func(t tool) bool { return asks(t.action) })
	var at span
	switch {
	case i >= 0:
		at = c.tools[i].value
	case !asks(c.fallback):
		return
	case in.fallbackAt != nil:
		at = *in.fallbackAt
	}
	c.warn("import_loss", at, "Some asks deny",
		"An ask about a call that reads data or talks to the human becomes deny, "+
			"because such a call has no step at which somebody could be asked.")
}
