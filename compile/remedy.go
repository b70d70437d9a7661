package compile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/command"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
)

// Remedy is a change of policy that gives one call another answer. Exactly one
// of Block, Change and Blocked is set. A remedy was tried: the changed policy
// was compiled and the call decided again, with Decision as the result.
type Remedy struct {
	Action plangate.Action `json:"action"`
	// File is where to make the change; "" if no policy file exists yet.
	File string `json:"file"`
	// Block is HCL text to append to File. It matches as narrowly as it can.
	Block string `json:"block,omitempty"`
	// Change is the action value of an existing policy, to be replaced by Action.
	Change *plangate.Range `json:"change,omitempty"`
	// Blocked says why no policy block can do it.
	Blocked string `json:"blocked,omitempty"`
	// Decision is what the call gets after the change, or gets now if blocked.
	Decision plangate.Decision `json:"decision"`
}

// Remedies returns how the call could be allowed and how it could be denied,
// leaving out what it gets already. It compiles the input several times.
func Remedies(in Input, call plangate.Call) []Remedy {
	table, findings := Compile(in)
	now := table.Decide(call)
	var remedies []Remedy
	for _, action := range []plangate.Action{plangate.Allow, plangate.Deny} {
		if action == now.Action() {
			continue
		}
		r := Remedy{Action: action, Decision: now}
		if findings.HasErrors() {
			r.Blocked = "the policy has errors; correct them first"
		} else {
			search := remedySearch{in: in, trace: table.Explain(call), call: call, known: table.Profiles()}
			search.find(&r)
		}
		remedies = append(remedies, r)
	}
	return remedies
}

// remedySearch tries changes of the innermost file.
type remedySearch struct {
	in    Input
	call  plangate.Call
	trace eval.Trace
	known []string // profiles
	// commands are exact patterns for the commands of the call; nil if there are
	// none, or not for all of them.
	commands []string
}

func (s *remedySearch) find(r *Remedy) {
	target := len(s.in.Layers) - 1
	if target >= 0 {
		file := s.in.Layers[target].File
		r.File = file.Name
		if strings.HasSuffix(file.Name, ".json") {
			r.Blocked = "the innermost policy file is in JSON form; add a policy to it by hand"
			return
		}
	}
	if r.Blocked = s.unnameable(); r.Blocked != "" {
		return
	}
	if s.commands = s.exactCommands(); r.Action == plangate.Allow && s.runsCommands() && s.commands == nil {
		r.Blocked = "a part of its command cannot be written as an exact pattern, and a policy without one would allow every command"
		return
	}
	for _, profiles := range s.profileChoices() {
		block := s.block(r.Action, profiles)
		if s.tryBlock(r, target, block) || s.tryChange(r, target, block) {
			return
		}
	}
	r.Blocked = s.blockedBy(r, target)
}

// unnameable says why no match can name the call's operation exactly, or "".
func (s *remedySearch) unnameable() string {
	call := s.trace.Call
	switch {
	case strings.Contains(call.Operation+call.Provider, "*"):
		return "a name of the call has a star in it, which in a match would be a glob"
	case strings.Contains(call.Operation, "mcp__"):
		return "the operation is spelled mcp__SERVER__TOOL; give the call a provider and an operation instead"
	default:
		return ""
	}
}

// runsCommands reports whether items of the call are commands.
func (s *remedySearch) runsCommands() bool {
	return slices.ContainsFunc(s.trace.Items, func(item eval.Item) bool { return item.Text != "" })
}

// exactCommands writes each command of the call as a pattern for just this
// command. A block without it would open a shell for everything.
func (s *remedySearch) exactCommands() (patterns []string) {
	for _, item := range s.trace.Items {
		if item.Start >= item.End || item.End > len(item.Text) {
			return nil
		}
		pattern := "=" + item.Text[item.Start:item.End]
		if _, err := command.Compile(pattern); err != nil {
			return nil
		}
		if !slices.Contains(patterns, pattern) {
			patterns = append(patterns, pattern)
		}
	}
	return patterns
}

// profileChoices is "under every profile" and then "under the call's profile",
// if the policy knows it: a policy that names an unknown profile would make it
// known, for every other call too (spec PRF-3).
func (s *remedySearch) profileChoices() [][]string {
	if !slices.Contains(s.known, s.call.Profile) {
		return [][]string{nil}
	}
	return [][]string{nil, {s.call.Profile}}
}

// tryBlock appends the block and decides again.
func (s *remedySearch) tryBlock(r *Remedy, target int, block string) bool {
	decision, findings := s.decideWith(target, func(text []byte) []byte { return appendBlock(text, block) })
	if findings.HasErrors() || decision.Action() != r.Action {
		return false
	}
	r.Block, r.Decision = block, decision
	return true
}

// tryChange changes the action of the policy that the block conflicts with.
func (s *remedySearch) tryChange(r *Remedy, target int, block string) bool {
	_, findings := s.decideWith(target, func(text []byte) []byte { return appendBlock(text, block) })
	for _, d := range findings {
		if d.Code != "conflict" || len(d.Related) == 0 {
			continue
		}
		policy := s.policyAt(target, d.Related[0].Range)
		if policy == nil {
			continue
		}
		at := policy.Action.Range
		decision, findings := s.decideWith(target, func(text []byte) []byte {
			return slices.Concat(text[:at.Start.Byte], []byte(fmt.Sprintf("%q", r.Action)), text[at.End.Byte:])
		})
		if !findings.HasErrors() && decision.Action() == r.Action {
			r.Change, r.Decision = &at, decision
			return true
		}
	}
	return false
}

func (s *remedySearch) policyAt(target int, header plangate.Range) *dsl.Policy {
	if target < 0 {
		return nil
	}
	for _, policy := range s.in.Layers[target].File.Policies {
		if policy.Header == header {
			return policy
		}
	}
	return nil
}

// decideWith compiles the input with one file edited.
func (s *remedySearch) decideWith(target int, edit func([]byte) []byte) (plangate.Decision, plangate.Diagnostics) {
	in := s.in
	in.Layers = slices.Clone(in.Layers)
	if target < 0 {
		in.Layers = append(in.Layers, LayerFile{Layer: plangate.LayerProject, File: &dsl.File{}, Trusted: true})
		target = 0
	}
	old := in.Layers[target].File
	file, findings := dsl.Parse(old.Name, edit(old.Source))
	in.Layers[target].File = file
	in.Findings = append(slices.Clone(in.Findings), findings...)
	table, all := Compile(in)
	return table.Decide(s.call), all
}

// blockedBy says what stands in the way: it decides with the narrowest block in
// place and names the winner.
func (s *remedySearch) blockedBy(r *Remedy, target int) string {
	if target >= 0 && !s.in.Layers[target].Trusted {
		return fmt.Sprintf("%s is not trusted, so nothing in it can allow; trust it, or write the policy in an outer file", r.File)
	}
	block := s.block(r.Action, s.profileChoices()[len(s.profileChoices())-1])
	decision, findings := s.decideWith(target, func(text []byte) []byte { return appendBlock(text, block) })
	if findings.HasErrors() {
		decision = s.trace.Decision
	}
	rule := decision.Rule()
	at := ""
	if rule.File != "" {
		at = fmt.Sprintf(" (%s:%d)", rule.File, rule.Line)
	}
	blocked := fmt.Sprintf("%s%s says %s and no policy lifts it", decision.DecidedBy(), at, decision.MatchedAction())
	if r.Action == plangate.Deny {
		blocked = fmt.Sprintf("%s%s comes before every policy that could; write a guard", decision.DecidedBy(), at)
	}
	switch {
	case decision.DecidedBy() == "builtin:unknown_profile":
		blocked += fmt.Sprintf("; declare agent_profile %q, or correct the name", s.call.Profile)
	case decision.DecidedBy() == "allowed_tools":
		blocked += fmt.Sprintf("; add %q to that list", s.trace.Call.Operation)
	case slices.Contains(decision.Unknown(), "risk"):
		blocked += "; the risk of the call is unknown: state it, or give a catalog that knows the operation"
	}
	return blocked
}

// block writes a policy that matches the call as narrowly as a match can.
func (s *remedySearch) block(action plangate.Action, profiles []string) string {
	part := s.trace.Parts[s.trace.Decided]
	call := s.trace.Call
	b := Block{
		Name: s.name(action), Operation: call.Operation, Provider: call.Provider, Risk: part.Risk, Kind: part.Kind,
		Command: s.commands, Action: action, Profiles: profiles,
	}
	return b.HCL()
}

// Block is a policy block that is to be written. Empty fields are left out.
type Block struct {
	Name                string
	Operation, Provider string // exact names
	Risk                plangate.Risk
	Kind                plangate.Kind // Interactive is left out too: no match can name it
	Command, Path, Host []string      // patterns
	When                string        // an expression
	Action              plangate.Action
	Profiles            []string
}

// HCL returns the block in canonical layout, with line feeds. Whatever the
// fields hold, it is one block: strings are quoted. When alone is written as it
// is and must be the text of one expression.
func (p *Block) HCL() string {
	fields := []string{"operation = " + quote(p.Operation)}
	if p.Provider != "" {
		fields = append(fields, "provider = "+quote(p.Provider))
	}
	if p.Risk != plangate.RiskUnspecified {
		fields = append(fields, "risk = "+quote(p.Risk.String()))
	}
	if p.Kind == plangate.Resource || p.Kind == plangate.DataSource {
		fields = append(fields, "kind = "+quote(p.Kind.String()))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "policy %s {\n", quote(p.Name))
	fmt.Fprintf(&b, "match = { %s }\n", strings.Join(fields, ", "))
	writeList(&b, "command", p.Command)
	writeList(&b, "path", p.Path)
	writeList(&b, "host", p.Host)
	if p.When != "" {
		fmt.Fprintf(&b, "when = %s\n", p.When)
	}
	fmt.Fprintf(&b, "action = %s\n", quote(p.Action.String()))
	writeList(&b, "profiles", p.Profiles)
	b.WriteString("}\n")
	return string(hclwrite.Format([]byte(b.String())))
}

func writeList(b *strings.Builder, name string, values []string) {
	if len(values) == 0 {
		return
	}
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = quote(value)
	}
	fmt.Fprintf(b, "%s = [%s]\n", name, strings.Join(quoted, ", "))
}

// Known returns what the catalog of the input knows of an operation, as a table
// made from the input has it, or nil. The name must be split (spec DEC-6), as
// in eval.Trace.Call.
func Known(in Input, provider, operation string) *eval.Operation {
	if in.Catalog == nil {
		return nil
	}
	found, ok := in.Catalog.Find(provider, operation)
	if !ok {
		return nil
	}
	return &eval.Operation{
		Provider: found.Provider, Name: found.Name, Kind: found.Kind, Risk: found.Risk, Roles: rolesOf(found),
	}
}

// name makes a name of plain letters that no policy has.
func (s *remedySearch) name(action plangate.Action) string {
	base := action.String() + "_" + plain(s.trace.Call.Operation)
	name := base
	for n := 2; s.taken(name); n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	return name
}

func (s *remedySearch) taken(name string) bool {
	for _, l := range s.in.Layers {
		for _, policy := range l.File.Policies {
			if strings.EqualFold(policy.Name.Value, name) {
				return true
			}
		}
	}
	return false
}

// plain keeps what is safe in a name: lower-case letters, digits, _ and -.
func plain(text string) string {
	const longest = 60
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		default:
			return '_'
		}
	}, text)
	return clean[:min(len(clean), longest)]
}

// quote writes a string as HCL does, so that no name can end the string early.
func quote(text string) string {
	return string(hclwrite.TokensForValue(cty.StringVal(text)).Bytes())
}

// appendBlock adds a block at the end, after the newline that a last line may lack.
func appendBlock(text []byte, block string) []byte {
	out := bytes.Clone(text)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	if len(out) > 0 {
		out = append(out, '\n')
	}
	return append(out, block...)
}
