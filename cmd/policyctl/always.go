package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/internal/errtext"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/load"
	"github.com/plangate/plangate/persist/writeback"
)

// lockPatience is how long write-back waits for other writers.
const lockPatience = 30 * time.Second

// writeBack is what always and undo share.
type writeBack struct {
	*world
	file     string
	catalogs []string
	dryRun   bool
	yes      bool
	format   *choice
}

func (b *writeBack) register(cmd *cobra.Command, fileUsage string) {
	flags := cmd.Flags()
	flags.StringVar(&b.file, "policy", "", fileUsage)
	flags.StringArrayVar(&b.catalogs, "catalog", nil, "`FILE` with known operations, .json or .hcl; may be repeated")
	flags.BoolVar(&b.dryRun, "dry-run", false, "only show what would change")
	flags.BoolVar(&b.yes, "yes", false, "do not ask before writing")
	notEmpty(cmd, "policy")
	exclusive(cmd, "dry-run", "yes")
	b.format.register(cmd, "output format")
}

// target says which file is written under which policy. A file that is named is
// looked at in its own directory, and one that is no layer by its name stands alone.
func (b *writeBack) target() (writeback.Target, error) {
	flags := policyFlags{catalogs: b.catalogs}
	opts, err := flags.options(b.world)
	if err != nil {
		return writeback.Target{}, err
	}
	target := writeback.Target{Options: opts}
	if opts.Places.Trust != "" {
		target.State = filepath.Dir(opts.Places.Trust)
	}
	if b.file == "" {
		return target, nil
	}
	name, err := filepath.Abs(b.file)
	if err != nil {
		return writeback.Target{}, failed("cannot find %s: %v", b.file, err)
	}
	target.File = name
	outer := name == opts.Places.User || name == opts.Places.Managed
	switch base := filepath.Base(name); {
	case outer:
	case base == layers.FileName || base == layers.FileName+".json":
		target.Options.Dir = filepath.Dir(name)
	default:
		target.Options.Files = []string{name}
	}
	return target, nil
}

// record writes what was done to the audit log. The change stands if that fails, so it
// is only said.
func (b *writeBack) record(ctx context.Context, entry audit.Entry, change *writeback.Change) {
	entry.Message = fmt.Sprintf("%s:%d policy %s", change.File, change.Line, change.Policy)
	state, err := layers.State{Log: b.getenv("PLANGATE_LOG")}.Resolve(layers.DefaultPlaces(b.getenv))
	name := state.Log
	if err == nil && name == "" {
		return // the user wants no log
	}
	var log *audit.Log
	if err == nil {
		log, err = audit.Open(name, audit.Options{Now: b.now})
	}
	if err == nil {
		_, err = log.Append(ctx, entry)
	}
	if err != nil {
		fmt.Fprintf(b.stderr, "policyctl: this was not recorded: %s\n", errtext.Plain(err))
	}
}

// confirmed asks before something is written. Without a terminal nobody can be
// asked.
func (b *writeBack) confirmed(question string) (bool, error) {
	if b.yes {
		return true, nil
	}
	if !b.typed {
		return false, failed("nothing is written: standard input is no terminal, so nobody can be asked; " +
			"add --yes to write, or --dry-run to only look")
	}
	if err := b.stdout.Flush(); err != nil {
		return false, failed("cannot write the output: %v", err)
	}
	fmt.Fprintf(b.stderr, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(b.stdin).ReadString('\n') // no answer is a no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, nil
	default:
		return false, &exitError{code: codeFindings, message: "nothing is written"}
	}
}

// refusal is what stands in JSON in place of a change.
type refusal struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// told turns an error of write-back into one that ends the command: 1 if the
// answer is no, 2 if something has to be put right first.
func (b *writeBack) told(err error) error {
	ours, ok := errors.AsType[*writeback.Error](err)
	if !ok {
		return failed("nothing is known to be written: %v", err)
	}
	if b.format.value == "json" {
		var r refusal
		r.Error.Code, r.Error.Message = ours.Code(), ours.Reason()
		if err := writeJSON(b.stdout, r); err != nil {
			return err
		}
	}
	refused := []error{
		writeback.ErrWouldLoosen, writeback.ErrTooBroad, writeback.ErrOutranked, writeback.ErrChanged, writeback.ErrNothing,
	}
	code := codeUsage
	if slices.ContainsFunc(refused, func(one error) bool { return errors.Is(err, one) }) {
		code = codeFindings
	}
	return &exitError{code: code, message: fmt.Sprintf("nothing is written: %s [%s]", ours.Reason(), ours.Code())}
}

// alwaysRun is one run of the always command.
type alwaysRun struct {
	writeBack
	call, actor, approval string
	create                bool
}

func newAlways(w *world) *cobra.Command {
	a := &alwaysRun{writeBack: writeBack{world: w, format: newChoice("human", "json")}}
	cmd := &cobra.Command{
		Use:   "always allow|deny",
		Short: "Remember an answer to a call as policy",
		Long: `Writes a policy that allows or denies calls like this one from now on, as narrow
as the call: with its operation, provider, risk and kind, and its exact commands,
paths or hosts. It shows what would change and asks first. No other byte of the
file changes, and a trusted file stays trusted. An allow never lifts a deny or a
guard; what cannot be written narrowly is refused.

Without --policy the answer goes to the project's policy file if it is trusted,
else to the user's. A call without a time, cwd, workspace or home gets those of
this place. Formats: human, json.
Exit codes: 0 done or already there, 1 refused, and why is said, 2 wrong usage or a
file that cannot be read or written.`,
		Example: `  policyctl always allow --call '{"provider":"host","operation":"bash","kind":"resource",
    "risk":"high","input":{"command":"git status"}}' --actor alice
  policyctl always deny --policy agent.hcl --call - --actor alice --yes <call.json`,
		ValidArgs: []string{"allow", "deny"},
		Args:      oneAnswer,
		RunE:      func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), args[0]) },
	}
	a.register(cmd, "policy `FILE` to write")
	flags := cmd.Flags()
	flags.StringVar(&a.call, "call", "", "the call, a `JSON` object, or - for standard input")
	flags.StringVar(&a.actor, "actor", "", "`NAME` of who answers (default $USER)")
	flags.StringVar(&a.approval, "approval", "", "`ID` of what is answered, for the comment")
	flags.BoolVar(&a.create, "create", false, "make the file if it does not exist")
	notEmpty(cmd, "call")
	notEmpty(cmd, "actor")
	return cmd
}

// oneAnswer wants one of the two answers.
func oneAnswer(_ *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] != "allow" && args[0] != "deny" {
		return fmt.Errorf("which answer? Give allow or deny")
	}
	return nil
}

func (a *alwaysRun) run(ctx context.Context, answer string) error {
	req, err := a.request(answer)
	if err != nil {
		return err
	}
	preview, err := writeback.Preview(ctx, req)
	if err != nil {
		return a.told(err)
	}
	if a.dryRun || preview.AlreadyThere {
		return a.show(preview, a.dryRun)
	}
	if a.format.value == "human" {
		a.preview(preview)
	}
	if ok, err := a.confirmed(fmt.Sprintf("Write this to %s?", escape(preview.File))); !ok {
		return err
	}
	if !a.yes { // somebody saw just this
		req.Expect = preview.Digest
	}
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	change, err := writeback.Write(ctx, req)
	if err != nil {
		return a.told(err)
	}
	entry := audit.Decided(req.Call, change.After)
	entry.Event, entry.Actor, entry.Item, entry.Scope = audit.PolicyWritten, req.Actor, req.Approval, "always"
	a.record(ctx, entry, change)
	return a.done(change)
}

func (a *alwaysRun) request(answer string) (writeback.Request, error) {
	action, err := plangate.ParseAction(answer)
	if err != nil {
		return writeback.Request{}, err
	}
	call, err := a.readCall()
	if err != nil {
		return writeback.Request{}, err
	}
	target, err := a.target()
	if err != nil {
		return writeback.Request{}, err
	}
	target.Create = a.create
	actor := cmp.Or(a.actor, a.getenv("USER"))
	if actor == "" {
		return writeback.Request{}, fmt.Errorf("who answers? Give --actor NAME")
	}
	_, _, found := load.Table(target.Options)
	layers.LookAround(found, a.getenv).FillIn(&call)
	now := a.now()
	if call.Time.IsZero() {
		call.Time = now
	}
	return writeback.Request{
		Target: target, Call: call, Action: action, Actor: actor, Approval: a.approval, Time: now,
	}, nil
}

func (a *alwaysRun) readCall() (plangate.Call, error) {
	text := []byte(a.call)
	switch a.call {
	case "":
		return plangate.Call{}, fmt.Errorf("which call? Give --call JSON, or --call - for standard input")
	case "-":
		_, read, err := a.read("-", plangate.MaxJSONBytes)
		if err != nil {
			return plangate.Call{}, err
		}
		text = read
	}
	call, err := plangate.ParseCall(text)
	if err != nil {
		return call, failed("--call: %s", errtext.Plain(err))
	}
	return call, nil
}

// show prints a change that is not made.
func (b *writeBack) show(change *writeback.Change, withDiff bool) error {
	if b.format.value == "json" {
		return writeJSON(b.stdout, change)
	}
	if change.AlreadyThere {
		fmt.Fprintf(b.stdout, "Already there: %s:%d (policy %s). Nothing is written.\n",
			escape(change.File), change.Line, quote(change.Policy))
		return nil
	}
	b.preview(change)
	if withDiff {
		fmt.Fprintf(b.stdout, "\n%s", escapeLines(change.Diff))
	}
	return nil
}

// preview says where a change goes, its text, and what it changes.
func (b *writeBack) preview(change *writeback.Change) {
	fmt.Fprintf(b.stdout, "In %s (layer %s), line %d, policy %s:\n\n",
		escape(change.File), change.Layer, change.Line, quote(change.Policy))
	text := change.Block
	if text == "" {
		text = changedLines(change.Diff)
	}
	for line := range strings.SplitSeq(strings.TrimRight(text, "\r\n"), "\n") {
		fmt.Fprintf(b.stdout, "  %s\n", escape(strings.TrimSuffix(line, "\r")))
	}
	fmt.Fprint(b.stdout, "\nIt changes these cells of the policy's table and no other:\n\n")
	if len(change.Cells) == 0 {
		fmt.Fprint(b.stdout, "  none that can be told without a call\n")
	}
	for i := range change.Cells {
		c := &change.Cells[i]
		profile := ""
		if c.Profile != "" {
			profile = ", profile " + escape(c.Profile)
		}
		fmt.Fprintf(b.stdout, "  %s, %s, risk %s%s: %s -> %s\n",
			escape(nameOf(c.Provider, c.Operation)), c.Kind, c.Risk, profile, cellAnswer(&c.Before), cellAnswer(&c.After))
	}
}

// changedLines are the lines of a diff that come and go.
func changedLines(diff string) string {
	var lines []string
	for line := range strings.SplitSeq(diff, "\n") {
		if (strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+")) &&
			!strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "+++") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func cellAnswer(answer *writeback.CellAnswer) string {
	text := fmt.Sprintf("%s (%s)", answer.Action, escape(answer.DecidedBy))
	if answer.Depends {
		text += " unless a condition says otherwise"
	}
	return text
}

// done says what was written and where.
func (a *alwaysRun) done(change *writeback.Change) error {
	if a.format.value == "json" {
		return writeJSON(a.stdout, change)
	}
	if change.AlreadyThere {
		return a.show(change, false)
	}
	fmt.Fprintf(a.stdout, "\nWritten to %s:%d (policy %s). The call gets %s now, was %s.\n",
		escape(change.File), change.Line, quote(change.Policy), change.After.Action(), change.Before.Action())
	if change.Trusted {
		fmt.Fprintln(a.stdout, "The file is trusted with its new content.")
	}
	fmt.Fprintf(a.stdout, "To take it back: policyctl undo --policy %s\n", escape(shellWord(change.File)))
	return nil
}
