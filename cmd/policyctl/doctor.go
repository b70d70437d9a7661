package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/install"
	"github.com/plangate/plangate/internal/errtext"
)

func newDoctor(w *world) *cobra.Command {
	format := newChoice("human", "json")
	cmd := &cobra.Command{
		Use:   "doctor [cli]",
		Short: "Prove that the policy gate holds in the agent CLIs of this machine",
		Long: `Examines every agent CLI that is found, or the one that is named: whether the
hook is installed and answers a canary call with a deny that the CLI obeys, whether
the CLI trusts it, whether failures block, and whether a setting of this directory
or of the user switches it off right now. It also lists what never reaches the gate.

Nothing is changed and no network is used. The canary call may be in the log.

Formats: human, json.
Exit codes: 0 everything holds, 1 something is off or no CLI was found, 2 wrong
usage or something cannot be read.`,
		Example: `  policyctl doctor
  policyctl doctor claude --format json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return oneCLI(cmd, args)
		},
		ValidArgs: harness.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			return doctor(cmd, w, args, format.value)
		},
	}
	format.register(cmd, "output format")
	return cmd
}

func doctor(cmd *cobra.Command, w *world, names []string, format string) error {
	machine, err := newMachine(w)
	if err != nil {
		return err
	}
	named := len(names) > 0
	if !named {
		names = harness.Names()
	}
	reports := plangate.List[install.Report]{}
	for _, name := range names {
		hook, _, err := installHook(w, name)
		if err != nil {
			if named {
				return err
			}
			fmt.Fprintf(w.stderr, "policyctl: %s is not examined: %s\n", name, escape(errtext.Plain(err)))
			continue
		}
		if named || machine.Found(hook) {
			reports = append(reports, machine.Examine(cmd.Context(), hook))
		}
	}
	if format == "json" {
		if err := writeJSON(w.stdout, reports); err != nil {
			return err
		}
	} else {
		printReports(w, reports)
	}
	return exit(reportsCode(reports))
}

// reportsCode returns the exit code for what was found.
func reportsCode(reports []install.Report) int {
	code := codeFine
	if len(reports) == 0 {
		code = codeFindings
	}
	for _, r := range reports {
		switch r.State {
		case install.StateUnreadable:
			return codeUsage
		case install.StateOff:
			code = codeFindings
		case install.StateOK, install.StateNote:
		}
	}
	return code
}

func printReports(w *world, reports []install.Report) {
	if len(reports) == 0 {
		fmt.Fprintln(w.stdout, "No agent CLI was found in the PATH, and no hook is installed.")
	}
	for i, r := range reports {
		if i > 0 {
			fmt.Fprintln(w.stdout)
		}
		fmt.Fprintf(w.stdout, "%s (%s): %s\n", r.Title, r.CLI, enforcedWord(r.State))
		for _, c := range r.Checks {
			fmt.Fprintf(w.stdout, "  %-10s %-12s %s\n", c.State, c.Name, escape(c.Detail))
			if c.File != "" {
				fmt.Fprintf(w.stdout, "  %-10s %-12s in %s\n", "", "", escape(c.File))
			}
		}
		printList(w, "Never reaches the gate:", r.Unseen)
		printList(w, "To harden it:", r.Hardening)
	}
}

func enforcedWord(state install.State) string {
	switch state {
	case install.StateOff:
		return "NOT ENFORCED"
	case install.StateUnreadable:
		return "CANNOT BE TOLD"
	default:
		return "enforced"
	}
}

func printList(w *world, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(w.stdout, "  %s\n", title)
	for _, item := range items {
		fmt.Fprintf(w.stdout, "    - %s\n", item)
	}
}
