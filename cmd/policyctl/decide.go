package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/bind"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/internal/errtext"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/load"
	"github.com/plangate/plangate/when"
)

// decideRun is one run of the decide command.
type decideRun struct {
	*world
	policy  policyFlags
	profile string
	table   string

	around layers.Around // of calls that leave them out
	tools  ownTools

	decide  func(plangate.Call) plangate.Decision
	encoder *json.Encoder
	line    []byte // the line being decided
	number  int    // of the last line that was read, from 1
	calls   int    // lines that got an answer
	refused int    // answers other than allow
	code    int    // at least this
}

func newDecide(w *world) *cobra.Command {
	d := &decideRun{world: w}
	cmd := &cobra.Command{
		Use:   "decide",
		Short: "Decide calls from standard input",
		Long: `Reads one call a line as JSON and writes one decision a line as JSON, in the same
order and at once. A line that is no call is denied, with its number and the
error as reason, and the rest goes on; if the policy does not load every call is denied.

A call without a time is made now, and one without a cwd here; its workspace is
the directory of the project's policy file, its home that of the user. Lines of
white space get no answer.
Formats: JSON Lines, see spec/formats.md.
Exit codes: 0 all allowed, 1 not all allowed, 2 wrong usage, a bad line, no call
at all or a policy that does not load, 3 internal error.`,
		Example: `  echo '{"id":"1","operation":"read_file","kind":"data_source"}' | policyctl decide
  policyctl decide --policy agent.hcl --profile ci < calls.jsonl`,
		Args: noArgs("calls are read from standard input: policyctl decide < %s"),
		RunE: func(*cobra.Command, []string) error { return d.run() },
	}
	d.policy.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&d.profile, "profile", "", "profile of calls that name none")
	complete(cmd, "profile")
	flags.StringVar(&d.table, "table", "", "use this table `FILE`, made by policyctl compile, instead of policy")
	exclusive(cmd, "table", "policy", "layers", "catalog", "cli")
	notEmpty(cmd, "table")
	return cmd
}

func (d *decideRun) run() error {
	d.encoder = json.NewEncoder(d.stdout)
	d.encoder.SetEscapeHTML(false)
	d.tools = d.policy.clis.tools()
	lines := &lineReader{in: bufio.NewReaderSize(d.stdin, 64<<10), limit: plangate.MaxJSONBytes, idle: d.stdout.Flush}
	defer d.denyAfterPanic(lines)
	table := d.load()
	if d.profile != "" && d.code == codeFine {
		if err := checkProfile(d.profile, table.Profiles()); err != nil {
			return err
		}
	}
	d.decide = table.Decide
	if d.typed {
		fmt.Fprintln(d.stderr, "policyctl: reading calls from standard input, one JSON object a line; end with Ctrl-D")
	}
	if err := d.all(lines); err != nil {
		return err
	}
	return d.outcome()
}

// all answers every line.
func (d *decideRun) all(lines *lineReader) error {
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return failed("cannot read standard input: %v", err)
		}
		d.number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		d.line = line
		if err := d.answer(d.decideLine(line)); err != nil {
			return err
		}
	}
}

func (d *decideRun) decideLine(line []byte) plangate.Decision {
	call, err := plangate.ParseCall(line)
	if err != nil {
		d.code = codeUsage
		return plangate.InvalidCall(call.ID, fmt.Errorf("line %d: %s", d.number, errtext.Plain(err)))
	}
	if call.Time.IsZero() {
		call.Time = d.now()
	}
	d.tools.rename(&call)
	d.around.FillIn(&call)
	if call.Profile == "" {
		call.Profile = d.profile
	}
	return d.decide(call)
}

func (d *decideRun) answer(decision plangate.Decision) error {
	d.calls++
	if decision.Action() != plangate.Allow {
		d.refused++
	}
	d.line = nil
	return written(d.encoder.Encode(decision))
}

func (d *decideRun) outcome() error {
	switch {
	case d.calls == 0:
		return failed("no calls on standard input")
	case d.code != codeFine:
		return exit(d.code)
	case d.refused > 0:
		return exit(codeFindings)
	default:
		return nil
	}
}

// denyAfterPanic denies the call that hit a defect of this program, and all
// that follow, before the panic goes on: whoever waits for an answer gets one.
func (d *decideRun) denyAfterPanic(lines *lineReader) {
	defect := recover()
	if defect == nil {
		return
	}
	d.decide = func(call plangate.Call) plangate.Decision { return internalError(call.ID) }
	if d.line != nil {
		call, _ := plangate.ParseCall(d.line)
		_ = d.answer(internalError(call.ID))
	}
	_ = d.all(lines)
	panic(defect)
}

func internalError(id string) plangate.Decision {
	rule := plangate.Rule{Type: plangate.RuleBuiltin, Name: "internal_error"}
	return plangate.NewDecision(id, &plangate.Outcome{
		DecidedBy: rule.DecidedBy(), Rule: rule,
		Reason: "The call is denied because of an internal error of policyctl.",
	})
}

// load returns the table. One that denies everything, because something is
// wrong, sets the exit code and is told on standard error.
func (d *decideRun) load() *eval.Table {
	if d.table != "" {
		return d.loadTable()
	}
	opts, err := d.policy.options(d.world)
	if err != nil {
		return d.denyAll(err)
	}
	table, diags, found := load.Table(opts)
	d.around = layers.LookAround(found, d.getenv)
	if diags.HasErrors() {
		d.code = codeUsage
		p := &printer{out: d.stderr, sources: load.Open(opts).Sources}
		p.printAll(diags)
		return table
	}
	for _, diag := range diags {
		fmt.Fprintf(d.stderr, "policyctl: warning: %s [%s]\n", escape(diag.Detail), escape(diag.Code))
	}
	return table
}

func (d *decideRun) loadTable() *eval.Table {
	d.around = layers.LookAround(nil, d.getenv)
	_, encoded, err := d.read(d.table, maxTableBytes)
	if err == nil && len(encoded) > maxTableBytes {
		err = failed("%s is larger than %d bytes, so it is no table", d.table, maxTableBytes)
	}
	if err == nil {
		var table *eval.Table
		if table, err = eval.Load(encoded, bind.Binder{When: when.Language{}}); err == nil {
			return table
		}
		err = failed("%s", notATable(d.table, err))
	}
	return d.denyAll(err)
}

// denyAll tells why there is no policy and returns a table that denies everything.
func (d *decideRun) denyAll(err error) *eval.Table {
	d.code = codeUsage
	fmt.Fprintf(d.stderr, "policyctl: %s\n", escape(err.Error()))
	return eval.DenyAll("The policy does not load: "+err.Error(), plangate.Rule{File: d.table}, nil)
}

// notATable says what is wrong with a table.
func notATable(name string, err error) string {
	if errors.Is(err, eval.ErrEncoding) {
		detail := strings.TrimPrefix(err.Error(), eval.ErrEncoding.Error()+": ")
		return fmt.Sprintf("%s is not a table made by policyctl compile: %s", name, detail)
	}
	return fmt.Sprintf("%s: %s", name, errtext.Plain(err))
}

// maxTableBytes bounds an encoded table: a hundred thousand policies are below it.
const maxTableBytes = 64 << 20
