package rules

import (
	"slices"
	"strings"

	"github.com/plangate/plangate"
)

// importOrdered turns rules of which the first that matches wins into policies and guards. What is
// asked about or denied by a pattern becomes a guard; a whole tool that is allowed by patterns
// only becomes a policy without conditions, before which the patterns' policies come (spec SEL-1).
func (d *document) importOrdered(parsed []Rule) {
	var exact []string
	for _, r := range parsed {
		if _, _, mcp := d.mcpName(r); r.Tool != "" && !mcp && !strings.ContainsAny(r.Tool, "*?") && exactName(r.Tool) {
			exact = append(exact, r.Tool)
		}
	}
	for _, o := range operationsOf(d.cli, exact) {
		d.importOperation(o, parsed)
	}
	d.importServers(parsed)
	d.importRest(parsed)
}

// coverage says how a rule's names relate to those of an operation.
type coverage uint8

const (
	coversNone coverage = iota
	coversSome
	coversAll
)

func (d *document) covers(r Rule, o operation) coverage {
	all, some := true, false
	for _, name := range o.names {
		if ruleNames(d.cli, r, Call{Tool: name}) {
			some = true
		} else {
			all = false
		}
	}
	switch {
	case all:
		return coversAll
	case some:
		return coversSome
	}
	return coversNone
}

// importOperation writes the rules of one operation.
func (d *document) importOperation(o operation, parsed []Rule) {
	var above []Rule
	var base *Rule
	for i := range parsed {
		r := parsed[i]
		switch cover := d.covers(r, o); {
		case cover == coversNone:
			continue
		case cover == coversSome && r.Action == Allow:
			e := d.entryOf(r)
			d.loss(Dropped, &e, "the tools "+strings.Join(o.names, ", ")+" are one operation ("+o.name+"), and the rule allows only some of them")
			continue
		case cover == coversAll && !r.Has && r.Narrowed == "":
			base = &r
		case cover == coversSome && r.Narrowed == "":
			r.Narrowed = "some names"
		}
		if base != nil {
			break
		}
		above = append(above, r)
	}
	redirects := d.cli == Gemini && o.subject == shell && base != nil && base.Action == Allow
	if base != nil && strings.Trim(base.Tool, "*") == "" && len(above) == 0 && !redirects {
		return // importRest says it
	}
	allows := false
	for i, r := range above {
		if r.Action == Allow {
			allows = d.allowPattern(o, r) || allows
			continue
		}
		d.restrictPattern(o, above, i, base)
	}
	d.importBase(o, base, allows)
}

func (d *document) allowPattern(o operation, r Rule) bool {
	e := d.entryOf(r)
	e.provider, e.operations = string(d.cli), []string{o.name}
	if r.Narrowed != "" {
		d.loss(Dropped, &e, "it holds only with "+r.Narrowed+", which has no form here")
		return false
	}
	if !d.condition(&e, o, r) {
		d.loss(Dropped, &e, "the pattern has no form that allows no more")
		return false
	}
	d.allow(e)
	return true
}

func (d *document) restrictPattern(o operation, above []Rule, i int, base *Rule) {
	r := above[i]
	e := d.entryOf(r)
	isAllow := func(r Rule) bool { return r.Action == Allow }
	if base != nil && base.Action <= r.Action && !slices.ContainsFunc(above[i:], isAllow) {
		return // what comes after it is as strict
	}
	e.operations = restrictedNames(o)
	if r.Narrowed != "" && r.Narrowed != "some names" {
		d.loss(Stricter, &e, "it holds only with "+r.Narrowed+"; here it holds always")
	}
	if r.Has && !d.condition(&e, o, r) {
		e.commands, e.paths, e.hosts, e.when = nil, nil, nil, ""
		d.loss(Stricter, &e, "the pattern has no form here: the rule counts for all calls of "+o.name)
	}
	if slices.ContainsFunc(above[:i], isAllow) {
		d.loss(Stricter, &e, "where a rule before it allows, it stops the call all the same")
	}
	d.restrict(e)
}

// restrictedNames are the canonical name and those of the CLI.
func restrictedNames(o operation) []string {
	names := []string{o.name}
	for _, name := range o.names {
		if name != o.name && inMatch(name) && !(o.name != name && name == "edit") {
			names = append(names, name)
		}
	}
	return names
}

func (d *document) importBase(o operation, base *Rule, allows bool) {
	if base == nil {
		return
	}
	e := d.entryOf(*base)
	e.provider, e.operations = string(d.cli), []string{o.name}
	switch {
	case base.Action == Allow && d.cli == Gemini && o.subject == shell: // a redirection is asked about
		rest := e
		rest.action = plangate.Ask
		d.add(rest, false)
		e.when = `!regex(coalesce(input.command, input.cmd), "[<>]")`
		d.allow(e)
	case base.Action == Allow:
		d.allow(e)
	case allows:
		d.add(e, false)
	default:
		e.provider, e.operations = "", restrictedNames(o)
		d.restrict(e)
	}
}

// condition turns a rule's pattern into conditions of an entry.
func (d *document) condition(e *entry, o operation, r Rule) bool {
	if !r.Has {
		return true
	}
	if r.Regex {
		return false
	}
	switch o.subject {
	case shell:
		g := readCommandGlob(r.Pattern)
		extra := ""
		switch {
		case r.Prefix:
			g = readCommandGlob(r.Pattern + " *")
		case d.cli == Amp: // the text as a whole is compared
			extra = "glob(coalesce(input.command, input.cmd), " + quote(r.Pattern) + ")"
		}
		if g.whole && d.cli == Amp {
			return true
		}
		return d.withCommand(e, g, extra)
	case reads, writes:
		paths := readSpanningPath(r.Pattern)
		e.paths = paths.deny
		if e.action == plangate.Allow {
			e.paths = paths.allow
			if d.cli == Amp && !paths.whole && !strings.HasPrefix(r.Pattern, "/") && !strings.HasPrefix(r.Pattern, "*") {
				return false // the argument is compared as it is, and it is absolute
			}
		}
		return paths.whole || len(e.paths) > 0
	case fetches:
		return d.urlCondition(e, r.Pattern)
	case plain, spawns:
	}
	return false
}

// urlCondition reads scheme://host/ with a star at its end.
func (d *document) urlCondition(e *entry, pattern string) bool {
	rest, ok := strings.CutPrefix(pattern, "https://")
	if !ok {
		return false
	}
	host, _, ok := strings.Cut(rest, "/")
	if !ok || !hostName.MatchString(host) || strings.HasPrefix(host, "*") {
		return false
	}
	e.hosts = []string{host}
	if e.action == plangate.Allow {
		e.when = "glob(input.url, " + quote(pattern) + ")"
		return !strings.Contains(pattern, "?")
	}
	return true
}

// mcpName reads a rule's name as one of MCP tools: the name, and what separates its parts.
func (d *document) mcpName(r Rule) (name, separator string, ok bool) {
	if r.Server != "" {
		return "", "", true
	}
	if _, known := findTool(d.cli, r.Tool); known {
		return "", "", false
	}
	for o := range catalogOf(d.cli) {
		if o == r.Tool {
			return "", "", false
		}
	}
	switch d.cli {
	case Amp:
		rest, found := strings.CutPrefix(r.Tool, "mcp__")
		return rest, "__", found
	case Gemini:
		rest, found := strings.CutPrefix(r.Tool, "mcp_")
		return rest, "_", found
	case OpenCode:
		return r.Tool, "_", strings.Contains(r.Tool, "_") && strings.Trim(r.Tool, "*") != ""
	case Claude, Codex, Copilot:
	}
	return "", "", false
}

// importServers writes the rules about tools of MCP servers.
func (d *document) importServers(parsed []Rule) {
	restricted, allowed := false, false
	for _, r := range parsed {
		name, separator, ok := d.mcpName(r)
		if !ok {
			if strings.Contains(r.Tool, "*") && strings.Trim(r.Tool, "*") != "" && r.Action != Allow {
				e := d.entryOf(r)
				if inMatch(r.Tool) {
					e.operations = []string{r.Tool}
				}
				d.restrict(e)
				restricted = true
			} else if strings.Contains(r.Tool, "*") && r.Action == Allow && strings.Trim(r.Tool, "*") != "" {
				e := d.entryOf(r)
				d.loss(Dropped, &e, "a glob over names of tools allows only the tools that are known")
			}
			if strings.Trim(r.Tool, "*") == "" && !r.Has && r.Narrowed == "" && r.Server == "" {
				return // all that comes after it is hidden
			}
			continue
		}
		d.importServer(r, [2]string{name, separator}, r.Action == Allow && restricted || r.Action != Allow && allowed)
		restricted = restricted || r.Action != Allow
		allowed = allowed || r.Action == Allow
	}
}

func (d *document) importServer(r Rule, name [2]string, after bool) {
	e := d.entryOf(r)
	if r.Action == Allow && (r.Has || r.Narrowed != "") {
		d.loss(Dropped, &e, "an allow of an MCP tool with a condition has no form here")
		return
	}
	if r.Action != Allow && r.Has {
		d.loss(Stricter, &e, "the pattern has no form here: the rule counts for all calls of the tool")
	}
	if after {
		d.loss(Stricter, &e, "of this and the rules before it, one that asks or denies counts wherever it matches")
	}
	if r.Server != "" {
		operation := r.Tool
		if operation == "" {
			operation = "*"
		}
		d.mcpTool(e, r.Server, operation)
		return
	}
	text := name[0]
	if text == "*" {
		text = "*" + name[1] + "*"
	}
	ways := splitName(text, name[1])
	if len(ways) == 0 {
		if r.Action != Allow {
			e.operations = nil
			if inMatch(r.Tool) {
				e.operations = []string{r.Tool}
			}
			d.restrict(e)
		}
		return
	}
	for _, way := range ways {
		d.mcpTool(e, way[0], way[1])
	}
	if r.Action != Allow && strings.Contains(text, "*") && d.cli != Amp {
		d.mcpTool(e, strings.TrimRight(text, "*")+"*", "*")
	}
}

// importRest turns the first rule for everything into defaults.
func (d *document) importRest(parsed []Rule) {
	for _, r := range parsed {
		if r.Tool == "" && r.Server != "" || strings.Trim(r.Tool, "*") != "" {
			continue
		}
		if r.Server != "" {
			continue
		}
		e := d.entryOf(r)
		if r.Has || r.Narrowed != "" {
			if r.Action == Allow {
				d.loss(Dropped, &e, "an allow of every tool with a condition has no form here")
			} else {
				d.loss(Stricter, &e, "a condition on every tool has no form here: the rule counts for all calls")
				d.restrict(e)
			}
			continue
		}
		d.defaults = [3]plangate.Action{e.action, e.action, e.action}
		if e.action == plangate.Ask {
			d.loss(Stricter, &e, "an ask about a call that only reads is a deny here")
		}
		return
	}
}
