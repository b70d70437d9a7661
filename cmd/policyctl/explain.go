package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/load"
)

// explainRun is one run of the explain command.
type explainRun struct {
	*world
	policy policyFlags
	format *choice
	fields map[string]*string // flags that set a field of the call
	input  string
}

func newExplain(w *world) *cobra.Command {
	e := &explainRun{world: w, format: newChoice("human", "json"), fields: map[string]*string{}}
	cmd := &cobra.Command{
		Use:   "explain [query | -]",
		Short: "Explain the decision on one call",
		Long: `Decides one call and tells the whole story: which block decided it and what that
block beat, what guards and downgrades did, what is unknown, where policy was
looked for, and what would change the answer. The call is given in words, as
JSON on standard input with "-", or by flags, which also override the others.

` + queryHelp + `

A call without a time is made now; without a cwd it is made here; its workspace is
the directory of the project's policy file, its home that of the user.
Formats: human, json (the trace, with remedies).
Exit codes: 0 explained, whatever the decision is; 2 wrong usage, a call that
cannot be read or a policy that does not load.`,
		Example: `  policyctl explain 'resource filesystem.write_file risk=high path="src/a.go"'
  policyctl explain --operation bash --kind resource --input '{"command":"git push"}'
  echo '{"operation":"read_file","kind":"data_source"}' | policyctl explain -`,
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd, args) },
	}
	e.policy.register(cmd)
	flags := cmd.Flags()
	e.format.register(cmd, "output format")
	for _, field := range fieldKeys {
		e.fields[field] = flags.String(field, "", "the call's "+field)
	}
	flags.StringVar(&e.input, "input", "", "the call's arguments, a `JSON` object")
	e.completeFields(cmd)
	return cmd
}

// completeFields lets a shell complete the fields of a call. Only cwd is a file.
func (e *explainRun) completeFields(cmd *cobra.Command) {
	complete(cmd, "kind", kindWords...)
	complete(cmd, "risk", riskWords...)
	for _, field := range []string{"provider", "operation", "profile", "id", "time", "input"} {
		complete(cmd, field)
	}
}

func (e *explainRun) run(cmd *cobra.Command, args []string) error {
	call, err := e.call(cmd, args)
	if err != nil {
		return err
	}
	opts, err := e.policy.options(e.world)
	if err != nil {
		return err
	}
	tools := e.policy.clis.tools()
	tools.rename(&call)
	policy := load.Open(opts)
	layers.LookAround(policy.Layers, e.getenv).FillIn(&call)
	broken := policy.Diagnostics.HasErrors()
	// A call in JSON may be somebody else's, so its unknown profile is explained.
	typed := len(args) == 0 || args[0] != "-" || cmd.Flags().Changed("profile")
	if typed && call.Profile != "" && !broken {
		if err := checkProfile(call.Profile, policy.Table.Profiles()); err != nil {
			return err
		}
	}
	s := &story{
		explanation: explanation{Trace: policy.Table.Explain(call)},
		policy:      policy, opts: opts, out: e.stdout, style: style{e.colour},
	}
	if !broken {
		s.Remedies = compile.Remedies(policy.Input, call)
	}
	if err := e.print(s); err != nil {
		return err
	}
	if broken {
		return exit(codeUsage)
	}
	return nil
}

// explanation is what `explain --format json` prints.
type explanation struct {
	eval.Trace
	Remedies plangate.List[compile.Remedy] `json:"remedies"`
}

// print writes the explanation. Diagnostics go to standard error beside JSON and
// are a part of the story otherwise.
func (e *explainRun) print(s *story) error {
	if e.format.value == "json" {
		p := &printer{out: e.stderr, sources: s.policy.Sources, files: filesOf(s.policy)}
		p.printAll(s.policy.Diagnostics)
		return writeJSON(e.stdout, s.explanation)
	}
	s.tell()
	return nil
}

// call puts the call together from the query, standard input and flags.
func (e *explainRun) call(cmd *cobra.Command, args []string) (plangate.Call, error) {
	call, err := e.argument(args)
	if err != nil {
		return call, err
	}
	if err := e.override(cmd, &call); err != nil {
		return call, err
	}
	if call.Operation == "" {
		return call, fmt.Errorf("which call? Give a query such as 'filesystem.write_file risk=high', -, or --operation")
	}
	if call.Time.IsZero() {
		call.Time = e.now()
	}
	if call.Cwd == "" {
		if call.Cwd, err = os.Getwd(); err != nil {
			return call, failed("cannot find the current directory: %v", err)
		}
	}
	return call, nil
}

func (e *explainRun) argument(args []string) (plangate.Call, error) {
	switch {
	case len(args) == 0:
		return plangate.Call{}, nil
	case len(args) == 1 && args[0] == "-":
		_, text, err := e.read("-", plangate.MaxJSONBytes)
		if err != nil {
			return plangate.Call{}, err
		}
		call, err := plangate.ParseCall(text)
		if err != nil {
			return call, failed("standard input: %s", strings.TrimPrefix(err.Error(), "plangate: "))
		}
		return call, nil
	default:
		call, err := parseQuery(joinQuery(args))
		if err != nil {
			return call, &exitError{code: codeUsage, message: err.Error(), lines: true}
		}
		return call, nil
	}
}

func (e *explainRun) override(cmd *cobra.Command, call *plangate.Call) error {
	for _, field := range fieldKeys {
		if !cmd.Flags().Changed(field) {
			continue
		}
		if err := setCallField(call, field, *e.fields[field]); err != nil {
			return failed("--%s: %v", field, err)
		}
	}
	if !cmd.Flags().Changed("input") {
		return nil
	}
	text := bytes.TrimSpace([]byte(e.input))
	if err := plangate.CheckJSON(text); err != nil {
		return failed("--input: %v", err)
	}
	if text[0] != '{' {
		return failed("--input: want a JSON object")
	}
	call.Input = json.RawMessage(text)
	return nil
}
