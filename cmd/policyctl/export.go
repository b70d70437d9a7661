package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate/bind"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/internal/suggest"
	"github.com/plangate/plangate/load"
	"github.com/plangate/plangate/rules"
	"github.com/plangate/plangate/when"
)

// exportRun is one run of export.
type exportRun struct {
	*world
	policy    policyFlags
	profile   string
	workspace string
	losses    lossFlags
}

func newExport(w *world) *cobra.Command {
	e := &exportRun{world: w}
	cmd := &cobra.Command{
		Use:   "export opencode|amp|claude|codex|gemini|copilot",
		Short: "Write what an agent CLI's own rules can say of a policy",
		Long: `Prints the policy as permission rules of an agent CLI, in its format and order.

What is printed is never looser than the policy: a rule that would allow more is
left out, and what the rules miss is asked about where the CLI can be told so.
Every difference is a loss on standard error. The rules do not replace the hook:
they are what holds if it does not run.

Relative path patterns start at --workspace, the current directory unless given.
Without --profile only what all profiles allow is allowed.

Exit codes: 0 written, 1 written with losses under --strict, 2 wrong usage or a
policy that does not load.`,
		Example: `  policyctl export opencode --policy agent.hcl > opencode.json
  policyctl export claude --strict --format json`,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return errors.New("for which CLI? Give one of opencode, amp, claude, codex, gemini, copilot")
			case len(args) > 1:
				return unexpected(args[1], "")
			}
			return e.run(args[0])
		},
		ValidArgs: rules.ExportNames(),
	}
	e.policy.register(cmd)
	cmd.Flags().StringVar(&e.profile, "profile", "", "write the rules for this agent profile's `NAME`")
	cmd.Flags().StringVar(&e.workspace, "workspace", "", "the `DIR` that the agent works in")
	complete(cmd, "profile")
	notEmpty(cmd, "profile")
	notEmpty(cmd, "workspace")
	e.losses.register(cmd)
	return cmd
}

func (e *exportRun) run(name string) error {
	if !slices.Contains(rules.ExportNames(), name) {
		return fmt.Errorf("unknown CLI %q.%s", name, suggest.DidYouMean(name, rules.ExportNames()))
	}
	opts, err := e.policy.options(e.world)
	if err != nil {
		return err
	}
	workspace, err := filepath.Abs(e.workspace)
	if err != nil {
		return failed("cannot find the workspace: %v", err)
	}
	policy := load.Open(opts)
	p := &printer{out: e.stderr, sources: policy.Sources, files: filesOf(policy)}
	if policy.Diagnostics.HasErrors() {
		p.printAll(policy.Diagnostics)
		return exit(codeUsage)
	}
	table, err := e.withTools(policy, name)
	if err != nil {
		return err
	}
	result, err := rules.Export(rules.CLI(name), table, rules.ExportOptions{
		Profile: e.profile, Workspace: filepath.ToSlash(workspace), Names: listNames(policy), Binder: bind.Binder{When: when.Language{}},
	})
	if err != nil {
		return failed("%v", err)
	}
	return e.losses.tell(e.world, &result)
}

// withTools compiles the policy with the CLI's own tools in the catalog.
func (e *exportRun) withTools(policy *load.Policy, name string) (*eval.Table, error) {
	own := catalog.Builtin(name)
	if own == nil {
		return policy.Table, nil
	}
	merged, diags := catalog.Merge(policy.Catalog, own)
	if diags.HasErrors() {
		return nil, e.shownError(diags, policy.Sources)
	}
	input := policy.Input
	input.Catalog = merged
	table, diags := compile.Compile(input)
	if diags.HasErrors() {
		return nil, e.shownError(diags, policy.Sources)
	}
	return table, nil
}

// listNames returns the names in the lists of all profiles.
func listNames(policy *load.Policy) (names []string) {
	for _, layer := range policy.Input.Layers {
		for _, profile := range layer.File.Profiles {
			for _, list := range []*dsl.Lit[[]dsl.Lit[string]]{profile.AllowedTools, profile.DenyTools} {
				if list == nil {
					continue
				}
				for _, name := range list.Value {
					names = append(names, name.Value)
				}
			}
		}
	}
	return names
}

// lossFlags say how losses are told.
type lossFlags struct {
	format *choice
	strict bool
}

func (l *lossFlags) register(cmd *cobra.Command) {
	l.format = newChoice("human", "json")
	l.format.register(cmd, "form of the result and its losses")
	cmd.Flags().BoolVar(&l.strict, "strict", false, "end with exit code 1 if anything is lost")
}

// lossReport is the result in JSON.
type lossReport struct {
	Text   string       `json:"text"`
	Losses []rules.Loss `json:"losses"`
}

// tell writes the text to standard output and the losses to standard error, or both as JSON to
// standard output.
func (l *lossFlags) tell(w *world, result *rules.Result) error {
	if err := l.write(w, result); err != nil {
		return err
	}
	if l.strict && len(result.Losses) > 0 {
		return exit(codeFindings)
	}
	return nil
}

func (l *lossFlags) write(w *world, result *rules.Result) error {
	if l.format.value == "json" {
		return writeJSON(w.stdout, lossReport{string(result.Text), append([]rules.Loss{}, result.Losses...)})
	}
	printLosses(w.stderr, result.Losses)
	_, err := w.stdout.Write(result.Text)
	return written(err)
}

func printLosses(out io.Writer, losses []rules.Loss) {
	for i := range losses {
		fmt.Fprintln(out, escape(losses[i].String()))
	}
	switch len(losses) {
	case 0:
	case 1:
		fmt.Fprintln(out, "1 loss")
	default:
		fmt.Fprintf(out, "%d losses\n", len(losses))
	}
}
