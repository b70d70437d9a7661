package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
)

// ExportOptions say for whom rules are written.
type ExportOptions struct {
	// Profile is the agent profile that the CLI runs under; "" means any there is, so that only
	// what all of them allow is allowed.
	Profile string
	// Workspace is the absolute directory where relative path patterns start; without it they
	// have no form.
	Workspace string
	// Names are those that lists of profiles have, which a table does not tell.
	Names []string
	// Binder judges conditions; it must not be nil. See package bind.
	Binder eval.Binder
}

// Export renders what a CLI's own rules can say of a table. See the package comment for what it
// promises. The error is about a profile that the table does not know, or a CLI that is not
// one of [ExportNames].
func Export(cli CLI, table *eval.Table, opts ExportOptions) (Result, error) {
	if !slices.Contains(ExportNames(), string(cli)) {
		return Result{}, fmt.Errorf("rules: there is no export for %q", cli)
	}
	profiles := append([]string{""}, table.Profiles()...)
	for rule := range table.Rules() {
		profiles = append(profiles, rule.Profiles...)
	}
	slices.Sort(profiles)
	profiles = slices.Compact(profiles)
	if opts.Profile != "" {
		if !slices.Contains(profiles, opts.Profile) {
			return Result{}, fmt.Errorf("rules: no policy names the profile %q", opts.Profile)
		}
		profiles = []string{opts.Profile}
	}
	encoded := table.Encode()
	blind, err := eval.Load(encoded, someOnly{Binder: opts.Binder})
	if err != nil {
		return Result{}, fmt.Errorf("rules: %w", err)
	}
	commands, err := eval.Load(encoded, someOnly{Binder: opts.Binder, commands: true})
	if err != nil {
		return Result{}, fmt.Errorf("rules: %w", err)
	}
	x := &export{cli: cli, opts: opts, profiles: profiles, table: table, blind: blind, commands: commands}
	x.survey()
	x.render()
	return x.Result, nil
}

// export is one export while it is made.
type export struct {
	Result
	cli             CLI
	opts            ExportOptions
	profiles        []string
	table           *eval.Table
	blind, commands *eval.Table // conditions unknown; those but commands unknown

	tools    []toolVerdict
	servers  []serverVerdict
	rest     Verdict // of what is not named: Ask or Deny
	patterns []pattern
	exact    []string // commands that are allowed as they are
}

// toolVerdict is what all calls of a tool get that no pattern is about.
type toolVerdict struct {
	names   []string
	verdict Verdict
	by      string
	file    string
	line    int
}

// serverVerdict is the same for tools of MCP servers, whatever kind a call states: exact names, or for a deny globs.
type serverVerdict struct {
	server, tool string
	verdict      Verdict
	rule         plangate.Rule
}

// ruleRef is a rule with its reason.
type ruleRef struct {
	plangate.Rule
	reason string
}

// pattern is a denied pattern of one subject. One of command, path and host is set.
type pattern struct {
	rule                *ruleRef
	subject             subject
	command, path, host string
	exact               bool // of a command: no further arguments
	reading, writing    bool // of a path
}

// decide returns the strictest answer to a call under all profiles, in terms of what holds for
// every input. partial is set if a condition may still deny.
func (x *export) decide(table *eval.Table, call plangate.Call) (verdict Verdict, by plangate.Decision, partial bool) {
	for _, profile := range x.profiles {
		call.Profile = profile
		decision := table.Decide(call)
		this := verdictOf(decision.Action())
		open := len(decision.Unknown()) > 0 && decision.Downgrade() != plangate.DowngradeNone
		if open {
			this = Ask // only some input is asked about, and so denied
		}
		partial = partial || open || this == Ask && len(decision.Unknown()) > 0
		if verdict == None || this < verdict {
			verdict, by = this, decision
		}
	}
	return verdict, by, partial
}

// partialLoss reports a tool that is asked about where the policy denies some calls.
func (x *export) partialLoss(verdict Verdict, by plangate.Decision, partial bool, name string) {
	if rule := by.Rule(); partial && verdict != Deny && rule.Type != plangate.RuleBuiltin && !(rule.Type == plangate.RuleGuard && rule.Layer == plangate.LayerBuiltin) {
		x.lose(Loss{Effect: Partial, Rule: by.DecidedBy(), File: rule.File, Line: rule.Line, Tools: []string{name},
			Reason: "the whole tool is asked about, also where the rule's condition would deny"})
	}
}

// ownCall is a call of the CLI's own tools.
func (x *export) ownCall(operation string) plangate.Call {
	return plangate.Call{Provider: string(x.cli), Operation: operation, Kind: kindOf(x.cli, operation)}
}

// survey asks the table about every tool that it names and the CLI has.
func (x *export) survey() {
	for _, t := range toolsOf(x.cli) {
		v := toolVerdict{names: []string{t.name}}
		for _, operation := range t.operations {
			this, by, partial := x.decide(x.blind, x.ownCall(operation))
			x.partialLoss(this, by, partial, t.name)
			if v.verdict == None || this < v.verdict {
				v.verdict, v.by, v.file, v.line = this, by.DecidedBy(), by.Rule().File, by.Rule().Line
			}
			if narrowed := x.named(t.name, operation, v.verdict); narrowed != nil {
				v.verdict, v.by, v.file, v.line = min(v.verdict, verdictOf(narrowed.Action)), narrowed.DecidedBy(), narrowed.File, narrowed.Line
			}
		}
		x.tools = append(x.tools, v)
	}
	x.surveyServers()
	for rule := range x.table.Rules() {
		x.surveyRule(&rule)
	}
	slices.SortStableFunc(x.Losses, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(b.File, a.File), cmp.Compare(a.Line, b.Line))
	})
}

// named returns a restrictive rule that names the tool as the CLI does: an adapter may match it
// by either name.
func (x *export) named(name, operation string, verdict Verdict) (found *eval.Rule) {
	if name == operation {
		return nil
	}
	for rule := range x.table.Rules() {
		action := verdictOf(rule.Action)
		if action >= verdict || rule.Action == plangate.Allow || len(rule.Match.Operations) == 0 {
			continue
		}
		combinations := rule.Match.Combinations()
		if slices.ContainsFunc(combinations, func(c eval.Combination) bool { return c.Fits(name, string(x.cli)) }) {
			if len(rule.Conditions) > 0 || len(rule.Profiles) > 0 || !rule.NotAfter.IsZero() || len(rule.Match.Kinds)+len(rule.Match.Risks) > 0 {
				rule.Action = plangate.Ask
			}
			if verdictOf(rule.Action) < verdict {
				found, verdict = &rule, verdictOf(rule.Action)
			}
		}
	}
	return found
}

// surveyServers finds the tools of servers that are named, and what all others get.
func (x *export) surveyServers() {
	const unnamed = "\x00unnamed"
	resource, _, _ := x.decide(x.blind, plangate.Call{Provider: unnamed, Operation: unnamed, Kind: plangate.Resource})
	reading, by, _ := x.decide(x.blind, plangate.Call{Provider: unnamed, Operation: unnamed, Kind: plangate.DataSource})
	x.rest = Ask
	switch {
	case resource == Deny && reading == Deny:
		x.rest = Deny
	case resource == Deny || reading == Deny:
		rule := by.Rule()
		x.lose(Loss{Effect: Partial, Rule: by.DecidedBy(), File: rule.File, Line: rule.Line,
			Reason: "tools that no rule names are asked about, also those of a kind that the policy denies"})
	}
	for rule := range x.table.Rules() {
		for _, server := range rule.Match.Providers {
			for _, name := range orAny(rule.Match.Operations) {
				x.surveyPair(server, name)
			}
		}
	}
	for cell := range x.table.Cells() {
		x.surveyPair(cell.Provider, cell.Operation)
	}
	x.surveyNames(unnamed)
}

// surveyNames asks about the names in lists of profiles: as tools of servers, since a list is about
// these too, and of the CLI.
func (x *export) surveyNames(unnamed string) {
	for _, name := range x.opts.Names {
		if ways := splitName(strings.TrimPrefix(name, "mcp__"), "__"); strings.HasPrefix(name, "mcp__") {
			for _, way := range ways {
				x.surveyPair(way[0], way[1])
			}
			continue
		}
		if !plainName(name) {
			continue
		}
		verdict, by, _ := x.decide(x.blind, plangate.Call{Provider: unnamed, Operation: name})
		if verdict != Deny || x.rest == Deny {
			continue
		}
		if x.cli == Codex || x.cli == Copilot {
			rule := by.Rule()
			x.lose(Loss{Effect: Partial, Rule: by.DecidedBy(), File: rule.File, Line: rule.Line, Tools: []string{name},
				Reason: "there is no form for a tool of this name of any server"})
			continue
		}
		x.servers = append(x.servers, serverVerdict{"*", name, Deny, by.Rule()})
		if _, own := findTool(x.cli, name); !own {
			x.tools = append(x.tools, toolVerdict{names: []string{name}, verdict: Deny, by: by.DecidedBy()})
		}
	}
}

// surveyPair asks about a tool of a server.
func (x *export) surveyPair(server, name string) {
	same := func(s serverVerdict) bool { return s.server == server && s.tool == name }
	if isCLI(server) || !plainName(server) || !plainName(name) || slices.ContainsFunc(x.servers, same) {
		return
	}
	verdict, by, partial := x.decide(x.blind, plangate.Call{Provider: server, Operation: name})
	for _, kind := range []plangate.Kind{plangate.Resource, plangate.DataSource, plangate.Interactive} {
		this, other, open := x.decide(x.blind, plangate.Call{Provider: server, Operation: name, Kind: kind})
		if slices.Contains(other.Unknown(), "kind_mismatch") {
			continue // the catalog has the kind
		}
		if partial = partial || open || this < verdict && this == Deny; this < verdict {
			verdict, by = max(this, Ask), other // a call of another kind may be allowed
		}
	}
	x.partialLoss(verdict, by, partial, server+" "+name)
	x.servers = append(x.servers, serverVerdict{server, name, verdict, by.Rule()})
}

func orAny(values []string) []string {
	if len(values) == 0 {
		return []string{"*"}
	}
	return values
}

// plainName reports whether a CLI writes a name as it is: others are rewritten, and two servers may
// become one. A double or outer underscore would make the split ambiguous.
func plainName(name string) bool {
	if name == "" || strings.HasPrefix(name, "_") || strings.HasSuffix(name, "_") || strings.Contains(name, "__") {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	})
}

// surveyRule takes what a rule has of patterns to deny and commands to allow, and reports the rest.
func (x *export) surveyRule(rule *eval.Rule) {
	ref := &ruleRef{rule.Rule, rule.Reason}
	lose := func(effect Effect, reason string) {
		x.lose(Loss{Effect: effect, Rule: ref.DecidedBy(), File: ref.File, Line: ref.Line, Reason: reason})
	}
	restrictive := rule.Action != plangate.Allow
	if restrictive && rule.Action != plangate.Deny && rule.Layer != plangate.LayerBuiltin && mayAskReads(rule) {
		lose(Partial, "about a tool of a server that only reads its ask is a deny; the CLI asks")
	}
	switch {
	case rule.Layer == plangate.LayerBuiltin:
		// What protects the gate itself is for its hook, not for the CLI.
	case !restrictive && rule.Untrusted:
		lose(Dropped, "an untrusted file allows nothing")
	case !restrictive:
		x.surveyAllow(rule, lose)
	case len(rule.Profiles) > 0 && (x.opts.Profile == "" || !slices.Contains(rule.Profiles, x.opts.Profile)):
		if x.opts.Profile == "" {
			lose(Partial, "it has no form for one profile: give --profile; until then what it may stop is asked about")
		}
	case !rule.NotAfter.IsZero():
		lose(Partial, "rules of the CLI do not expire; what it stops is asked about")
	case len(rule.Conditions) > 0:
		x.surveyConditions(rule, ref, lose)
	case len(rule.Match.Risks)+len(rule.Match.Kinds) > 0:
		lose(Partial, "the CLI does not know kind and risk: tools it knows by name are stopped, others asked about")
	default:
		x.surveyMatch(rule, ref, lose)
	}
}

func (x *export) surveyAllow(rule *eval.Rule, lose func(Effect, string)) {
	if len(rule.Conditions) == 0 {
		if len(rule.Match.Risks) > 0 || len(rule.Profiles) > 0 && x.opts.Profile == "" || !rule.NotAfter.IsZero() {
			lose(Dropped, "it holds for some risks, profiles or times only; the CLI asks")
		}
		return
	}
	found := false
	for _, condition := range rule.Conditions {
		if condition.Type != string(dsl.Command) || len(rule.Conditions) > 1 {
			continue
		}
		for _, text := range condition.Values {
			found = x.surveyExact(strings.TrimPrefix(text, "=")) || found
		}
	}
	if !found {
		lose(Dropped, "a pattern of the CLI would allow more than its condition; the CLI asks")
		return
	}
	lose(Dropped, "only the exact commands are allowed, without further arguments")
}

// surveyExact keeps a command that is allowed in any place, with nothing but itself in the call, if
// the CLI can compare the whole text.
func (x *export) surveyExact(text string) bool {
	if x.cli != Amp && x.cli != Gemini {
		return false
	}
	for word := range strings.SplitSeq(text, " ") {
		if !safeWord.MatchString(word) {
			return false
		}
	}
	call := x.ownCall("bash")
	call.Input = fmt.Appendf(nil, `{"command":%q}`, text)
	if verdict, _, _ := x.decide(x.commands, call); verdict != Allow || slices.Contains(x.exact, text) {
		return slices.Contains(x.exact, text)
	}
	call.Operation = toolsOf(x.cli)[0].name
	if narrowed := x.named(call.Operation, "bash", Allow); narrowed != nil {
		return false
	}
	x.exact = append(x.exact, text)
	return true
}

// mayAskReads reports whether a rule may be about a tool of a server that only reads.
func mayAskReads(rule *eval.Rule) bool {
	own := len(rule.Match.Providers) > 0 && !slices.ContainsFunc(rule.Match.Providers, func(p string) bool { return !isCLI(p) })
	return !own && (len(rule.Match.Kinds) == 0 || slices.Contains(rule.Match.Kinds, plangate.DataSource))
}

// surveyMatch takes unconditional rules about globs over servers' tools.
func (x *export) surveyMatch(rule *eval.Rule, ref *ruleRef, lose func(Effect, string)) {
	if rule.Action != plangate.Deny || len(rule.Match.Operations)+len(rule.Match.Providers) == 0 {
		return // the rest is asked about anyway
	}
	for _, server := range orAny(rule.Match.Providers) {
		for _, name := range orAny(rule.Match.Operations) {
			if server == "*" && name == "*" || isCLI(server) {
				continue
			}
			if plainName(server) && plainName(name) {
				continue
			}
			if rule.Type == plangate.RulePolicy && x.better(server, name) {
				lose(Partial, "beside a tool that gets more it has no form: others of the server are asked about")
				continue
			}
			if !plainGlob(server) || !plainGlob(name) || x.cli == Codex || x.cli == Copilot && (name != "*" || strings.Contains(server, "*")) {
				lose(Partial, "the names have no form in rules of the CLI: such a tool is asked about")
				continue
			}
			x.servers = append(x.servers, serverVerdict{server, name, Deny, ref.Rule})
		}
	}
}

// better reports whether a named tool that a glob covers is not denied.
func (x *export) better(server, name string) bool {
	servers, names := eval.NewPattern(server), eval.NewPattern(name)
	return slices.ContainsFunc(x.servers, func(s serverVerdict) bool {
		return s.verdict != Deny && servers.Matches(s.server) && names.Matches(s.tool)
	})
}

func plainGlob(name string) bool {
	rest := strings.ReplaceAll(name, "*", "")
	return rest == "" || plainName(strings.Trim(rest, "_"))
}

// surveyConditions takes denied patterns of one condition.
func (x *export) surveyConditions(rule *eval.Rule, ref *ruleRef, lose func(Effect, string)) {
	if rule.Action != plangate.Deny {
		lose(Partial, "what it asks about is asked about with the whole tool")
		return
	}
	if len(rule.Conditions) > 1 {
		lose(Partial, "a rule of the CLI has one condition: what it denies is asked about")
		return
	}
	condition := rule.Conditions[0]
	fits := func(s subject) bool {
		for _, t := range toolsOf(x.cli) {
			for _, operation := range t.operations {
				if t.subject == s && x.mayMatch(rule, operation, t.name) {
					return true
				}
			}
		}
		return false
	}
	switch condition.Type {
	case string(dsl.Command):
		if fits(shell) {
			x.commandPatterns(condition.Values, ref, lose)
		}
	case string(dsl.Path):
		for _, text := range condition.Values {
			x.patterns = append(x.patterns, pattern{rule: ref, subject: reads, path: text, reading: fits(reads), writing: fits(writes)})
		}
	case string(dsl.Host):
		for _, text := range condition.Values {
			if fits(fetches) {
				x.patterns = append(x.patterns, pattern{rule: ref, subject: fetches, host: text})
			}
		}
	default:
		lose(Partial, "the condition "+condition.Type+" has no form: what it denies is asked about")
		return
	}
	lose(Partial, "the CLI's pattern stops fewer spellings than the policy; those it misses are asked about")
}

func (x *export) commandPatterns(values []string, ref *ruleRef, lose func(Effect, string)) {
	for _, text := range values {
		body, exact := strings.CutPrefix(text, "=")
		words := strings.Split(body, " ")
		if slices.ContainsFunc(words, func(word string) bool { return !safeWord.MatchString(word) }) {
			lose(Partial, fmt.Sprintf("the command %q has no form", text))
			continue
		}
		x.patterns = append(x.patterns, pattern{rule: ref, subject: shell, command: body, exact: exact})
	}
}

// mayMatch reports whether a rule's match can fit an operation by either of its names.
func (x *export) mayMatch(rule *eval.Rule, operation, name string) bool {
	if len(rule.Match.Kinds) > 0 && !slices.Contains(rule.Match.Kinds, kindOf(x.cli, operation)) {
		return false
	}
	return slices.ContainsFunc(rule.Match.Combinations(), func(c eval.Combination) bool {
		return c.Fits(operation, string(x.cli)) || c.Fits(name, string(x.cli))
	})
}
