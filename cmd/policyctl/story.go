package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/load"
)

// Limits of a story: it is for reading.
const (
	maxBlockLines = 24
	maxCandidates = 20
)

// story tells people how a decision came about.
type story struct {
	explanation
	policy *load.Policy
	opts   layers.Options
	out    *bufio.Writer
	style  style
}

// filesOf returns the parsed files of a policy by name.
func filesOf(policy *load.Policy) map[string]*dsl.File {
	files := map[string]*dsl.File{}
	for _, layer := range policy.Input.Layers {
		files[layer.File.Name] = layer.File
	}
	return files
}

// tell writes the chapters in the order in which somebody would ask.
func (s *story) tell() {
	s.headline()
	s.decider()
	s.downgrade()
	s.unknown()
	s.items()
	s.parts()
	s.candidates()
	s.diagnostics()
	s.layers()
	s.remedies()
}

func (s *story) printf(format string, args ...any) { fmt.Fprintf(s.out, format, args...) }

// sentences prints text from files and of our own, wrapped.
func (s *story) sentences(format string, args ...any) {
	s.printf("\n%s\n", strings.Join(wrap(escape(fmt.Sprintf(format, args...))), "\n"))
}

// printed returns what a printer prints, without the blank lines at its end.
func (s *story) printed(show func(*printer)) string {
	var out strings.Builder
	show(&printer{out: &out, style: s.style, sources: s.policy.Sources, files: filesOf(s.policy)})
	return strings.TrimRight(out.String(), "\n") + "\n"
}

// title begins a chapter.
func (s *story) title(text string) { s.printf("\n%s\n", s.style.paint(bold, text)) }

// part is the part that decided.
func (s *story) part() *eval.Part { return &s.Parts[s.Decided] }

func (s *story) headline() {
	action := s.Decision.Action()
	s.printf("%s: %s\n", s.style.paint(bold+actionColour(action), action.String()), escape(describe(s.Call)))
	if len(s.Call.Input) > 0 {
		s.printf("  input %s\n", firstColumns(string(s.Call.Input), 2*textWidth))
	}
	s.filledIn()
}

// filledIn tells what the call left out and what it was judged as.
func (s *story) filledIn() {
	if s.Call.Kind != plangate.KindUnspecified && s.Call.Risk != plangate.RiskUnspecified {
		return
	}
	risk := s.part().Risk.String()
	if s.part().Risk == plangate.RiskUnspecified {
		risk = "unknown"
	}
	source := "the call does not say"
	if _, known := s.policy.Catalog.Find(s.Call.Provider, s.Call.Operation); known {
		source = "as the catalog says"
	}
	s.printf("  judged as %s, risk %s: %s\n", s.part().Kind, risk, source)
}

func actionColour(action plangate.Action) string {
	switch action {
	case plangate.Allow:
		return green
	case plangate.Deny:
		return red
	default:
		return yellow
	}
}

// decider names the block that decided and quotes it.
func (s *story) decider() {
	rule := s.Decision.Rule()
	s.sentences("Decided by %s.", longName(rule))
	if effect := grantEffects[rule.Name]; effect != "" && rule.Type == plangate.RuleGrant {
		s.sentences("%s", effect)
	}
	if quoted := s.quote(rule); quoted != "" {
		s.printf("\n%s", quoted)
	}
	// A rule without a reason of its own gets one that says no more than the above.
	if s.Decision.Reason() != fmt.Sprintf("Decided by %s %q.", rule.Type, rule.Name) {
		s.sentences("Reason: %s", s.Decision.Reason())
	}
}

// grantEffects are what a granted command does beside what its words say.
var grantEffects = map[string]string{
	"git-push":   "Git runs the repository's pre-push hook with it, and its configuration (url.*.insteadOf) can send it elsewhere.",
	"git-commit": "Git runs the repository's commit hooks with it.",
	"git-rebase": "Git runs the repository's hooks with it.",
}

// longName describes a rule with its layer and place.
func longName(rule plangate.Rule) string {
	name := shortName(rule)
	if rule.File == "" {
		return name
	}
	if rule.Type == plangate.RuleBuiltin {
		return fmt.Sprintf("%s, because of %s", name, placeOf(rule.File, rule.Line))
	}
	return fmt.Sprintf("%s of the %s layer, %s line %d", name, rule.Layer, rule.File, rule.Line)
}

func shortName(rule plangate.Rule) string {
	switch rule.Type {
	case plangate.RuleDefault:
		if rule.File == "" {
			return "the built-in default for " + rule.Name
		}
		return "the default for " + rule.Name
	case plangate.RuleList:
		return "the profile's " + rule.Name
	case plangate.RuleBuiltin:
		return "the built-in guard " + rule.Name
	default:
		return fmt.Sprintf("%s %q", rule.Type, rule.Name)
	}
}

// quote returns the text of a rule's block with line numbers, or of its line if
// it is not a block of its own.
func (s *story) quote(rule plangate.Rule) string {
	src := s.policy.Sources[rule.File]
	if src == nil || rule.Line < 1 {
		return ""
	}
	lines := strings.Split(string(src), "\n")
	last := rule.Line
	if file := filesOf(s.policy)[rule.File]; file != nil {
		for _, block := range blocksOf(file) {
			if block.header.Start.Line == rule.Line {
				last = block.whole.End.Line
			}
		}
	}
	var out strings.Builder
	for number := rule.Line; number <= min(last, len(lines)); number++ {
		if number-rule.Line == maxBlockLines {
			fmt.Fprintf(&out, "      … %s more\n", plural(last-number+1, "line"))
			break
		}
		fmt.Fprintf(&out, "%4d: %s\n", number, firstColumns(lines[number-1], textWidth+afterWidth))
	}
	return out.String()
}

func (s *story) downgrade() {
	matched := s.Decision.MatchedAction()
	switch s.Decision.Downgrade() {
	case plangate.DowngradeNoApplyStep:
		s.sentences("Downgraded: %s became deny, because a %s call runs without a step in which somebody could be asked.",
			matched, s.part().Kind)
	case plangate.DowngradeHeadless:
		s.sentences("Downgraded: %s became deny, because nobody can be asked under the headless profile %q.",
			matched, s.Call.Profile)
	default:
		if matched == plangate.Hook {
			s.printf("\nThe decision hook has to be asked; until it answers the call waits.\n")
		}
	}
}

func (s *story) unknown() {
	names := s.Decision.Unknown()
	if len(names) == 0 {
		return
	}
	s.title("Not known, so judged strictly")
	for _, name := range names {
		text, ok := unknownTexts[name]
		if !ok {
			text = "whether its condition holds"
		}
		s.printf("  %-13s %s\n", escape(name), text)
	}
}

var unknownTexts = map[string]string{
	"kind":          "the call does not say its kind; it counts as a resource",
	"risk":          "the call does not say its risk, and the rule names one",
	"kind_mismatch": "the call and the catalog say different kinds; both were judged",
	"risk_mismatch": "the call and the catalog say different risks; both were judged",
	"profile":       "no block mentions the call's profile",
	"expires":       "the call has no time, and the rule ends at one",
}

// parts lists the readings of the call, if there are several of its kind or risk.
func (s *story) parts() {
	if len(s.Parts) < 2 || len(s.Parts) == len(s.Items) {
		return
	}
	s.title(fmt.Sprintf("Judged %d ways; the strictest counts", len(s.Parts)))
	for i, part := range s.Parts {
		mark := " "
		if i == s.Decided {
			mark = "*"
		}
		s.printf("%s as %s, risk %s (from the %s), item %d: %s by %s\n", mark, part.Kind, part.Risk,
			part.Source, part.Item+1, part.Decision.Action(), escape(part.Decision.DecidedBy()))
	}
}

// diagnostics prints the errors, which are why everything is denied. Of warnings
// it says only that they exist: they are about the policy, not about the call.
func (s *story) diagnostics() {
	warnings := 0
	var errors plangate.Diagnostics
	for _, diag := range s.policy.Diagnostics {
		if diag.Severity == plangate.SeverityWarning {
			warnings++
		} else {
			errors = append(errors, diag)
		}
	}
	if len(errors) > 0 {
		s.title("About the policy")
		s.printf("\n%s", s.printed(func(p *printer) { p.printAll(errors) }))
	}
	if warnings > 0 {
		s.printf("\n%s: %s\n", plural(warnings, "warning"), escape(checkCommand(s.opts)))
	}
}

// checkCommand is the command that shows the findings of the same policy.
func checkCommand(opts layers.Options) string {
	words := []string{"policyctl", "check"}
	if opts.Layers != nil {
		layers := layers.List(opts.Layers)
		words = append(words, "--layers", layers.String())
	}
	for _, cli := range opts.Builtin {
		words = append(words, "--cli", cli)
	}
	for _, catalog := range opts.Catalogs {
		words = append(words, "--catalog", shellWord(catalog))
	}
	for _, file := range opts.Files {
		words = append(words, shellWord(file))
	}
	return strings.Join(words, " ")
}

func (s *story) layers() {
	s.title("Where policy was looked for")
	for _, layer := range s.policy.Layers {
		s.printf("  %-8s %-10s %s\n", layer.Layer, layer.Status, escape(layerPlace(layer)))
		if layer.Status == eval.LayerUntrusted {
			s.untrusted(layer.File)
		}
	}
	if len(s.policy.Layers) == 0 {
		s.printf("  nowhere\n")
	}
}

// layerPlace is where a layer was looked for.
func layerPlace(layer eval.Layer) string {
	if layer.File == "" {
		return "no place (HOME is not set)"
	}
	return layer.File
}

func (s *story) untrusted(file string) {
	const indent = "                      " // below the name of the file
	if s.opts.Places.Trust == "" {
		s.printf("%sit can only tighten, and there is no place for a trust file\n", indent)
		return
	}
	s.printf("%sit can only tighten until you trust it:\n%s  %s\n", indent, indent, trustCommand(file))
}

// trustCommand returns the command that trusts a file, safe to show and to copy.
func trustCommand(file string) string { return "policyctl trust " + escape(shellWord(file)) }
