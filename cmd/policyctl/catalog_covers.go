package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/load"
)

// coversRun is one run of catalog covers.
type coversRun struct {
	*world
	policy policyFlags
	old    []string
	format *choice
}

func newCatalogCovers(w *world) *cobra.Command {
	c := &coversRun{world: w, format: newChoice("human", "json")}
	cmd := &cobra.Command{
		Use:   "covers FILE...",
		Short: "List the known operations that the globs of the policy cover",
		Long: `Lists every policy and guard whose match has a glob, with the operations of the
catalogs that it covers. A glob takes in what a server adds later: give its catalog
of before with --old, and what is new is marked with +, what is gone with -.

Formats: human, json.
Exit codes: 0 fine, 1 with --old if a glob that allows covers more than before, 2
wrong usage, or a catalog or policy that cannot be read or has errors.`,
		Example: `  policyctl catalog covers jira.json
  policyctl catalog covers jira.json --old jira-before.json --policy agent.hcl`,
		RunE: func(_ *cobra.Command, args []string) error { return c.run(args) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&c.policy.files, "policy", nil, "use exactly this `FILE` as policy, trusted, and no layers; may be repeated")
	flags.StringArrayVar(&c.old, "old", nil, "catalog `FILE` of before; may be repeated")
	c.format.register(cmd, "output format")
	return cmd
}

// covering is a rule with a glob.
type covering struct {
	plangate.Rule
	Action  plangate.Action       `json:"action"`
	Globs   plangate.List[string] `json:"globs"`
	Covers  plangate.List[string] `json:"covers"`
	Added   plangate.List[string] `json:"added"`
	Removed plangate.List[string] `json:"removed"`
}

func (c *coversRun) run(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("which catalog? Give at least one FILE")
	}
	known, err := c.known(args)
	if err != nil {
		return err
	}
	before := known
	if len(c.old) > 0 {
		if before, err = c.known(c.old); err != nil {
			return err
		}
	}
	opts, err := c.policy.options(c.world)
	if err != nil {
		return err
	}
	policy := load.Open(opts)
	if policy.Diagnostics.HasErrors() {
		return c.shownError(policy.Diagnostics, policy.Sources)
	}
	all, grown := plangate.List[covering]{}, false
	for rule := range policy.Table.Rules() {
		if globs := globsOf(&rule); len(globs) > 0 && rule.Type != plangate.RuleBuiltin {
			one := cover(&rule, globs, known, before)
			grown = grown || rule.Action == plangate.Allow && len(one.Added) > 0
			all = append(all, one)
		}
	}
	if err := c.print(all); err != nil {
		return err
	}
	if grown {
		return exit(codeFindings)
	}
	return nil
}

func (c *coversRun) known(files []string) (*catalog.Catalog, error) {
	texts, err := c.readCatalogs(files)
	if err != nil {
		return nil, err
	}
	if texts.diags.HasErrors() {
		return nil, c.shownError(texts.diags, texts.sources)
	}
	return texts.catalog, nil
}

func globsOf(rule *eval.Rule) []string {
	return slices.DeleteFunc(slices.Concat(rule.Match.Providers, rule.Match.Operations), func(text string) bool {
		return !strings.Contains(text, "*")
	})
}

func cover(rule *eval.Rule, globs []string, known, before *catalog.Catalog) covering {
	now, then := covered(rule, known), covered(rule, before)
	without := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return slices.Contains(other, name) })
	}
	return covering{
		Rule: rule.Rule, Action: rule.Action, Globs: globs, Covers: now, Added: without(now, then), Removed: without(then, now),
	}
}

// covered returns the operations that a rule's match fits, sorted.
func covered(rule *eval.Rule, known *catalog.Catalog) []string {
	var names []string
	match := &rule.Match
	for op := range known.All() {
		fits := slices.ContainsFunc(match.Combinations(), func(c eval.Combination) bool { return c.Fits(op.Name, op.Provider) })
		kind := len(match.Kinds) == 0 || slices.Contains(match.Kinds, op.Kind)
		risk := len(match.Risks) == 0 || slices.Contains(match.Risks, op.Risk)
		if fits && kind && risk {
			names = append(names, nameOf(op.Provider, op.Name))
		}
	}
	return names
}

func (c *coversRun) print(all plangate.List[covering]) error {
	if c.format.value == "json" {
		return writeJSON(c.stdout, all)
	}
	if len(all) == 0 {
		fmt.Fprintln(c.stdout, "No policy or guard has a glob in its match.")
	}
	for _, one := range all {
		fmt.Fprintf(c.stdout, "%s %q  %s  %s:%d\n", one.Type, one.Name, one.Action, escape(one.File), one.Line)
		for _, name := range one.Covers {
			mark := " "
			if slices.Contains(one.Added, name) {
				mark = "+"
			}
			fmt.Fprintf(c.stdout, "  %s %s\n", mark, escape(name))
		}
		for _, name := range one.Removed {
			fmt.Fprintf(c.stdout, "  - %s\n", escape(name))
		}
		if len(one.Covers)+len(one.Removed) == 0 {
			fmt.Fprintln(c.stdout, "    covers nothing that is known")
		}
	}
	return written(c.stdout.Flush())
}
