package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plangate/plangate/internal/suggest"
)

func newRoot(w *world) *cobra.Command {
	root := group("policyctl", "Check, explain and decide policies for tool calls of AI agents")
	root.Long = `policyctl works with agent.hcl, the policy that says which tool calls of an AI
agent are allowed, asked about or denied. It checks and formats policy files,
decides calls and explains every decision down to the line that made it.

Exit codes of all commands: 0 fine, 1 findings or not allowed, 2 wrong usage or
unreadable input, 3 internal error.`
	root.Example = `  policyctl check
  policyctl explain 'resource filesystem.write_file risk=high path="src/a.go"'`
	showVersion := root.Flags().Bool("version", false, "print the version of this program")
	wantsCommand := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *showVersion {
			printVersion(w.stdout, readVersion())
			return nil
		}
		return wantsCommand(cmd, args)
	}
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.SetIn(w.stdin)
	root.SetOut(w.stdout)
	root.SetErr(w.stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.AddCommand(
		newCheck(w), newExplain(w), newDecide(w), newFmt(w), newCompile(w), newCatalog(w), newTrust(w),
		newApprovals(w),
		newLog(w),
		newImport(w),
		newExport(w),
		newAlways(w), newUndo(w),
		newInit(w), newDoctor(w), newHook(w),
		newConformance(w), newServe(w), newMCP(w), newVersion(w),
	)
	makeCompletionStrict(root)
	return root
}

// makeCompletionStrict makes cobra's own group refuse a shell it does not know.
func makeCompletionStrict(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			strict := group("completion", cmd.Short)
			cmd.Args, cmd.RunE = strict.Args, strict.RunE
			for _, shell := range cmd.Commands() {
				shell.Args = noArgs("")
			}
		}
	}
}

// group returns a command that does nothing but hold others.
func group(use, short string) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return fmt.Errorf("%s wants a command", cmd.CommandPath())
		},
	}
}

// knownCommand refuses the argument of a group, which is an unknown command:
// cobra itself would print the help and be content.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasSubCommands() {
		return unexpected(args[0], "")
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	return fmt.Errorf("unknown command %q for %q.%s", args[0], cmd.CommandPath(), suggest.DidYouMean(args[0], names))
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if err := knownCommand(found, rest); err != nil {
				return err
			}
			return found.Help()
		},
	}
}

// flagError adds the nearest flag to the error about an unknown one, and says
// which values a flag takes.
func flagError(cmd *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return invalidValue(invalid)
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	if name := suggest.Nearest(unknown.GetSpecifiedName(), names); name != "" {
		return fmt.Errorf("%w. Did you mean --%s?", err, name)
	}
	return err
}

func invalidValue(err *pflag.InvalidValueError) error {
	flag, value := err.GetFlag(), err.GetValue()
	switch flag.Value.Type() {
	case "duration":
		return fmt.Errorf("--%s: %.64q is not a duration; write it like 10s or 2m", flag.Name, value)
	case "bool":
		return fmt.Errorf("--%s: %.64q is neither true nor false", flag.Name, value)
	default:
		return fmt.Errorf("--%s: %.64q: %w", flag.Name, value, err.Unwrap())
	}
}

// longForms lets fmt take -check and -diff besides --check and --diff, which is
// how other formatters of HCL spell them.
func longForms(args []string) []string {
	if len(args) == 0 || args[0] != "fmt" {
		return args
	}
	long := append([]string(nil), args...)
	for i, arg := range long {
		switch arg {
		case "-check", "-diff":
			long[i] = "-" + arg
		case "--":
			return long
		}
	}
	return long
}
