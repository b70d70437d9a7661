package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate/load"
)

func newCompile(w *world) *cobra.Command {
	var policy policyFlags
	var output string
	cmd := &cobra.Command{
		Use:   "compile -o FILE",
		Short: "Compile policy into a table",
		Long: `Compiles the policy into an encoded decision table, which decide --table and the
library load without reading HCL. It refuses a policy with errors, and to replace
a file that is no table.

The table does not change with the files it was made from; compile it again
when they change.
Exit codes: 0 written, 2 wrong usage or a policy that does not load.`,
		Example: "  policyctl compile --policy agent.hcl -o agent.table",
		Args:    noArgs("give the policy with --policy: policyctl compile --policy %s -o FILE"),
		RunE: func(*cobra.Command, []string) error {
			if output == "" {
				return fmt.Errorf("where should the table go? Give -o FILE, or -o - for standard output")
			}
			return compileTo(w, &policy, output)
		},
	}
	policy.register(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the table to `FILE`, - for standard output")
	return cmd
}

func compileTo(w *world, flags *policyFlags, output string) error {
	opts, err := flags.options(w)
	if err != nil {
		return err
	}
	policy := load.Open(opts)
	p := &printer{out: w.stderr, sources: policy.Sources, files: filesOf(policy)}
	p.printAll(policy.Diagnostics)
	if policy.Diagnostics.HasErrors() {
		return exit(codeUsage)
	}
	encoded := policy.Table.Encode()
	if output == "-" {
		_, err := w.stdout.Write(encoded)
		return written(err)
	}
	if err := checkOverwrite(output); err != nil {
		return err
	}
	return write(output, encoded)
}
