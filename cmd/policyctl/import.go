package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/internal/toolcalls"
)

func newImport(w *world) *cobra.Command {
	cmd := group("import", "Turn the permissions of another tool into a policy file")
	cmd.Long = `Reads permissions in the form of another tool and prints a policy file that decides
the same. What it cannot say it says more strictly, with a warning. See the
commands below.`
	cmd.AddCommand(newImportToolCalls(w))
	cmd.AddCommand(newImportRules(w)...)
	return cmd
}

func newImportToolCalls(w *world) *cobra.Command {
	var opts toolcalls.Options
	cmd := &cobra.Command{
		Use:   "toolcalls FILE",
		Short: "Turn a policies object with toolCalls and decisions into a policy file",
		Long: `Reads a JSON object {"toolCalls": {"default", "byTool"}, "decisions": {…}}, bare or
as the value of "policies", "-" for standard input, and prints a policy file with
the same results: byTool[name], then the configured hook, then default.

Say with --hook-command or --hook-url that a hook is configured: it is asked about
every call that byTool does not name. Without one, "hook" denies.

Names are those of calls without a provider, or mcp__PROVIDER__NAME. With
--provider they are also those of this provider. Nothing becomes looser: what
cannot be the same is stricter, and a warning on standard error says what.

Exit codes: 0 written, 2 wrong usage or an object that cannot be read or has errors.`,
		Example: `  policyctl import toolcalls policies.json --hook-url https://app.example/hook > agent.hcl
  policyctl import toolcalls - --hook-command approve --hook-command=--strict`,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return errors.New("which object? Give a FILE, or - for standard input")
			case len(args) > 1:
				return unexpected(args[1], "")
			}
			return w.importToolCalls(args[0], opts)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&opts.HookCommand, "hook-command", nil,
		"a `WORD` of the configured hook's command; repeat it for arguments")
	flags.StringVar(&opts.HookURL, "hook-url", "", "the `URL` of the configured hook")
	flags.StringArrayVar(&opts.Providers, "provider", nil,
		"a `NAME` that calls of these tools give as provider; may be repeated")
	complete(cmd, "hook-url")
	complete(cmd, "provider")
	exclusive(cmd, "hook-command", "hook-url")
	notEmpty(cmd, "hook-url")
	return cmd
}

func (w *world) importToolCalls(name string, opts toolcalls.Options) error {
	shown, src, err := w.read(name, plangate.MaxJSONBytes)
	if err != nil {
		return err
	}
	out, diags := toolcalls.Convert(shown, src, opts)
	if diags.HasErrors() {
		return w.shownError(diags, map[string][]byte{shown: src})
	}
	// The names of the object are known to be fine; the target of the hook is not.
	const draft = "<policy>"
	if _, wrong := dsl.Parse(draft, out); wrong.HasErrors() {
		return w.shownError(wrong, map[string][]byte{draft: out})
	}
	p := &printer{out: w.stderr, sources: map[string][]byte{shown: src}}
	p.printAll(diags)
	_, err = w.stdout.Write(out)
	return written(err)
}
