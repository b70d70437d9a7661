package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/load"
)

// checkRun is one run of the check command.
type checkRun struct {
	*world
	policy          policyFlags
	format          *choice
	quiet           bool
	allowEmpty      bool
	warningsAsError bool
	report          *report
	code            int
}

func newCheck(w *world) *cobra.Command {
	c := &checkRun{world: w, format: newChoice("human", "json", "sarif", "github"), report: newReport()}
	cmd := &cobra.Command{
		Use:   "check [path...]",
		Short: "Check policy files",
		Long: `Checks each policy file by itself and reports every finding with its place. A
directory stands for all agent.hcl and agent.hcl.json files below it, "-" for
standard input; without a path the layers in force here are checked together.

With --catalog, names that no operation of the catalog has are reported too.

Formats: human, json, sarif (2.1.0), github (workflow commands).
Exit codes: 0 no findings or warnings only, 1 errors, 2 wrong usage, unreadable
input or no policy file found.`,
		Example: `  policyctl check agent.hcl
  policyctl check --format sarif --warnings-as-errors .`,
		RunE: func(_ *cobra.Command, args []string) error { return c.run(args) },
	}
	c.policy.registerLayers(cmd)
	flags := cmd.Flags()
	c.format.register(cmd, "output format")
	flags.BoolVarP(&c.quiet, "quiet", "q", false, "print errors only")
	flags.BoolVar(&c.allowEmpty, "allow-empty", false, "finding no policy file is fine")
	flags.BoolVar(&c.warningsAsError, "warnings-as-errors", false, "treat warnings as errors")
	return cmd
}

func (c *checkRun) run(args []string) error {
	opts, err := c.policy.options(c.world)
	if err != nil {
		return err
	}
	if len(c.policy.catalogs)+len(c.policy.clis) == 0 {
		c.report.names = "; names were not checked (no --catalog)"
	}
	if len(args) == 0 {
		c.layers(opts)
	} else if err := c.paths(args, opts); err != nil {
		return err
	}
	if c.warningsAsError {
		for _, diag := range c.report.Diagnostics {
			diag.Severity = plangate.SeverityError
		}
	}
	if c.report.count(plangate.SeverityError) > 0 {
		c.worse(codeFindings)
	}
	if err := c.print(); err != nil {
		return err
	}
	return exit(c.code)
}

// worse keeps the highest exit code.
func (c *checkRun) worse(code int) { c.code = max(c.code, code) }

func (c *checkRun) print() error {
	switch c.format.value {
	case "json":
		return writeJSON(c.stdout, c.report)
	case "sarif":
		return writeJSON(c.stdout, sarifOf(c.report))
	case "github":
		printGitHub(c.stdout, c.report.Diagnostics)
	default:
		printReport(c.world, c.report, c.quiet)
	}
	return nil
}

// layers checks the layers in force together.
func (c *checkRun) layers(opts layers.Options) {
	policy := load.Open(opts)
	for _, layer := range policy.Input.Layers {
		c.report.add(layer.File)
	}
	c.report.sources = policy.Sources
	c.report.Diagnostics = append(c.report.Diagnostics, policy.Diagnostics...)
	var places []string
	for _, layer := range policy.Layers {
		switch layer.Status {
		case eval.LayerAbsent:
			places = append(places, layerPlace(layer))
		case layers.Unreadable:
			c.worse(codeUsage)
		default:
			c.report.Files++
		}
	}
	if len(places) == len(policy.Layers) {
		c.foundNothing(strings.Join(places, ", "))
	}
}

// paths checks the files that arguments stand for, each by itself.
func (c *checkRun) paths(args []string, opts layers.Options) error {
	known, err := c.catalog()
	if err != nil {
		return err
	}
	files := find(args, layers.FileName, layers.FileName+".json")
	for _, problem := range files.problems {
		c.unreadable(problem)
	}
	paired := map[string]bool{}
	for _, name := range files.names {
		if diag := layers.TwoForms(name); diag != nil && !paired[diag.Range.File] {
			paired[diag.Range.File] = true
			c.report.Diagnostics = append(c.report.Diagnostics, diag)
		}
		c.file(name, compile.Input{Catalog: known, Now: opts.Now, Protect: compile.Protection{On: true}})
	}
	for _, dir := range files.empty {
		c.foundNothing(dir)
	}
	plangate.Diagnostics(c.report.Diagnostics).Sort()
	return nil
}

// foundNothing complains, because a gate that looked at nothing looks green.
func (c *checkRun) foundNothing(place string) {
	if !c.allowEmpty {
		fmt.Fprintf(c.stderr, "policyctl: found 0 policy files in %s\n", escape(place))
		c.worse(codeUsage)
	}
}

// catalog reads the catalogs. One with errors is reported and not used.
func (c *checkRun) catalog() (*catalog.Catalog, error) {
	texts, err := c.readCatalogs(c.policy.catalogs, c.policy.clis...)
	if err != nil {
		return nil, err
	}
	for name, src := range texts.sources {
		c.report.sources[name] = src
	}
	c.report.Diagnostics = append(c.report.Diagnostics, texts.diags...)
	if texts.diags.HasErrors() {
		return &catalog.Catalog{}, nil
	}
	return texts.catalog, nil
}

// unreadable reports a file that cannot be read. It is in the report, so that
// a machine does not take the other files for all of them.
func (c *checkRun) unreadable(err error) {
	c.worse(codeUsage)
	p, _ := errors.AsType[problem](err)
	c.report.Diagnostics = append(c.report.Diagnostics, &plangate.Diagnostic{
		Code: "file_unreadable", Summary: "Cannot read file", Range: plangate.Range{File: p.name},
		Detail: fmt.Sprintf("Reading failed: %v. Give a policy file or a directory that you may read.", p.err),
	})
}

// file checks one file as a trusted project layer.
func (c *checkRun) file(name string, in compile.Input) {
	shown, src, err := c.read(name, dsl.MaxBytes)
	if err != nil {
		c.unreadable(err)
		return
	}
	file, findings := dsl.Parse(shown, src)
	c.report.Files++
	c.report.add(file)
	in.Layers = []compile.LayerFile{{Layer: plangate.LayerProject, File: file, Trusted: true}}
	in.Findings = findings
	_, findings = compile.Compile(in)
	c.report.Diagnostics = append(c.report.Diagnostics, findings...)
}
