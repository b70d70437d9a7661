package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/internal/errtext"
)

// approvalsAnswer is one run of the allow or the deny command.
type approvalsAnswer struct {
	approvals
	decision plangate.Action
	scope    *choice
	message  string
	input    string
	digest   string
	actor    string
	token    string
	yes      bool
	full     bool
	format   *choice

	terminal  *terminal // nil with a token and without one
	corrected json.RawMessage
}

const answerLong = `
Each call is shown as by show, and then asked about on the terminal. The answer
carries the digest of what was shown, so that it cannot hit another call. Several
ids are answered one by one.

Answering is refused inside the process tree of an agent and without a terminal,
unless --token-file names a file with the token of policyctl approvals token; where
there is no terminal, say then with --digest what you answer.

Formats: human, json (one object a line).
Exit codes: 0 answered, also when just this was answered before; 1 refused or not
answered, and why is said; 2 wrong usage, an unknown id, or a store or policy that
cannot be read; 3 internal error.`

func newApprovalsAllow(w *world, h human) *cobra.Command {
	a := newAnswer(w, h, plangate.Allow)
	cmd := a.command("allow ID...", "Allow calls that wait", "Allows calls that wait."+answerLong)
	cmd.Example = `  policyctl approvals allow k3v9aa
  policyctl approvals allow k3v9aa --scope session
  policyctl approvals allow k3v9aa --input '{"command":"make test"}'`
	cmd.Flags().StringVar(&a.input, "input", "", "run it with these arguments instead: `JSON`, or @file")
	notEmpty(cmd, "input")
	return cmd
}

func newApprovalsDeny(w *world, h human) *cobra.Command {
	a := newAnswer(w, h, plangate.Deny)
	cmd := a.command("deny ID...", "Deny calls that wait", "Denies calls that wait. The model is told, with your message."+answerLong)
	cmd.Example = `  policyctl approvals deny k3v9aa --message "Use the staging database."`
	return cmd
}

func newAnswer(w *world, h human, decision plangate.Action) *approvalsAnswer {
	return &approvalsAnswer{
		approvals: approvals{world: w, human: h}, decision: decision,
		scope: newChoice("once", "session", "always"), format: newChoice("human", "json"),
	}
}

func (a *approvalsAnswer) command(use, short, long string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("give the id of a call; policyctl approvals list shows those that wait")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), args) },
	}
	a.register(cmd)
	flags := cmd.Flags()
	flags.Var(scopeFlag{a.scope}, "scope", "once, or also later calls like it: session, always")
	complete(cmd, "scope", a.scope.options...)
	flags.StringVar(&a.message, "message", "", "`TEXT` for the model")
	flags.StringVar(&a.digest, "digest", "", "answer only if the call has this `DIGEST`")
	flags.StringVar(&a.actor, "actor", "", "`NAME` of who answers (default user@host)")
	flags.StringVar(&a.token, "token-file", "", "`FILE` with the token that lets a program answer")
	flags.BoolVar(&a.yes, "yes", false, "show, but do not ask; ids must be whole")
	flags.BoolVar(&a.full, "full", false, "leave nothing out of what is shown")
	a.format.register(cmd, "output format")
	for _, name := range []string{"digest", "actor", "token-file"} {
		notEmpty(cmd, name)
	}
	return cmd
}

// scopeFlag is a choice whose values stand in the text about it, since they are long.
type scopeFlag struct{ *choice }

// Type implements [pflag.Value].
func (scopeFlag) Type() string { return "SCOPE" }

// run answers every id and ends with the worst of the exit codes.
func (a *approvalsAnswer) run(ctx context.Context, ids []string) error {
	if err := a.check(ids); err != nil {
		return err
	}
	if err := a.person(); err != nil {
		return refused(err)
	}
	if a.terminal != nil {
		defer a.terminal.close()
	} else if a.digest == "" {
		return errors.New("without a terminal nothing is shown, so say with --digest what you answer; " +
			"policyctl approvals show ID --format json has it")
	}
	defer a.close()
	if err := a.wantStore(ctx); err != nil {
		return err
	}
	worst := codeFine
	for _, id := range ids {
		err := a.one(ctx, id)
		if ours, ok := errors.AsType[*exitError](err); ok {
			a.tell(id, err, ours)
			worst = max(worst, ours.code)
		} else if err != nil {
			return err
		}
		if err := a.stdout.Flush(); err != nil {
			return failed("cannot write the output: %v", err)
		}
	}
	return exit(worst)
}

// check refuses what contradicts itself, before anything is looked at.
func (a *approvalsAnswer) check(ids []string) (err error) {
	switch {
	case a.digest != "" && len(ids) > 1:
		return errors.New("--digest is that of one call; give one id at a time with it")
	case a.input != "" && len(ids) > 1:
		return errors.New("--input is for one call; give one id at a time with it")
	}
	if a.actor == "" {
		a.actor = accountName()
	}
	if a.input != "" {
		a.corrected, err = a.correctedInput()
	}
	return err
}

// correctedInput reads --input.
func (a *approvalsAnswer) correctedInput() (json.RawMessage, error) {
	text := []byte(a.input)
	if name, ok := strings.CutPrefix(a.input, "@"); ok {
		var err error
		if text, err = readFile(name, plangate.MaxJSONBytes); err != nil {
			return nil, problemWith(name, err)
		}
	}
	if err := plangate.CheckJSON(text); err != nil {
		return nil, failed("--input: %s", errtext.Plain(err))
	}
	return text, nil
}

// person makes sure that a person answers, or a program that may.
func (a *approvalsAnswer) person() (err error) {
	if a.token == "" {
		a.terminal, err = a.human.person()
		return err
	}
	if err := checkToken(a.world, a.token); err != nil {
		return err
	}
	// With a token a terminal is welcome and not required.
	a.terminal, err = a.human.terminal()
	if err != nil {
		a.terminal = nil
	}
	return nil
}

// one answers one call. An exitError says why it was not.
func (a *approvalsAnswer) one(ctx context.Context, id string) error {
	if len(id) != fullID && (a.yes || a.terminal == nil) {
		return failed("%.64q is no whole id, and nobody is asked whether it is the right one", id)
	}
	item, err := a.find(ctx, id)
	if err != nil {
		return err
	}
	if isWithin(a.token, item.Call.Workspace) && a.token != "" {
		return refused(&notAPerson{refusedToken, a.token + " is in the workspace of the call, where an agent can read it"})
	}
	opened, err := a.openFor(ctx, &item)
	if err != nil {
		return err
	}
	if item.State == gate.Waiting {
		if a.decision == plangate.Allow {
			if err := a.mayAllow(opened); err != nil {
				return err
			}
		}
		if a.terminal != nil {
			if err := a.confirm(ctx, &item); err != nil {
				return err
			}
		}
	}
	resolved, err := opened.Gate.Resolve(ctx, item.ID, a.verdict(&item))
	if err != nil {
		return notApplied(&item, err)
	}
	return a.told(&resolved)
}

func (a *approvalsAnswer) verdict(item *gate.Item) gate.Verdict {
	digest := item.Digest
	if item.Answer != nil {
		digest = item.Answer.Digest // a correction changed that of the item; a repeat names what was shown
	}
	return gate.Verdict{
		Decision: a.decision, Scope: gate.Scope(a.scope.value), Digest: cmp.Or(a.digest, digest),
		CorrectedInput: a.corrected, Actor: a.actor, Message: a.message,
	}
}

// confirm shows the call and asks, unless that was answered on the command line.
func (a *approvalsAnswer) confirm(ctx context.Context, item *gate.Item) error {
	if a.digest != "" && a.digest != item.Digest {
		return notApplied(item, gate.ErrStale)
	}
	c := &card{style: style{a.colour}, now: a.now(), full: a.full}
	c.item(item)
	if a.corrected != nil {
		c.input("Arguments that are to run instead", a.corrected)
	}
	if a.scope.value == string(gate.ScopeAlways) {
		request, err := a.alwaysRequest(item, a.verdict(item))
		if err != nil {
			return err
		}
		if err := c.always(ctx, request); err != nil {
			return notApplied(item, err)
		}
	}
	out := a.stdout
	if a.format.value == "json" {
		_, _ = a.terminal.file.WriteString(c.String()) // the output is for a program
	} else {
		_, _ = out.WriteString(c.String() + "\n") // it keeps its error
	}
	if err := out.Flush(); err != nil {
		return failed("cannot write the output: %v", err)
	}
	if a.yes {
		return nil
	}
	answer, err := a.terminal.ask(ctx, question(a.decision, gate.Scope(a.scope.value), c.left))
	if word := strings.ToLower(answer); err == nil && (word == "y" || word == "yes") {
		return nil
	}
	return &exitError{code: codeFindings, message: item.ID + ": not answered; it waits on"}
}

// question asks for one word.
func question(decision plangate.Action, scope gate.Scope, left int) string {
	verb := "Allow"
	if decision == plangate.Deny {
		verb = "Deny"
	}
	what := map[gate.Scope]string{
		gate.ScopeOnce:    "this call once",
		gate.ScopeSession: "this call, and those like it in this session",
		gate.ScopeAlways:  "this call, and those like it always, by policy",
	}[scope]
	unseen := ""
	if left > 0 {
		unseen = fmt.Sprintf(" (%s not shown)", plural(left, "byte"))
	}
	return fmt.Sprintf("%s %s?%s [y/N] ", verb, what, unseen)
}

// accountName is the account that this process runs in, for records.
func accountName() string {
	name := "unknown"
	if account, err := user.Current(); err == nil {
		name = account.Username
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return name
}

// answered is what `--format json` prints of an answer.
type answered struct {
	ID       string     `json:"id"`
	Applied  bool       `json:"applied"`
	Repeated bool       `json:"repeated"`
	Code     string     `json:"code"`    // of why it was not applied
	Message  string     `json:"message"` // for people
	Item     *gate.Item `json:"item,omitempty"`
}

// told tells that an answer was applied.
func (a *approvalsAnswer) told(resolved *gate.Resolved) error {
	item := &resolved.Item
	text := appliedText(resolved)
	if a.format.value == "json" {
		return writeVisibleJSON(a.world, answered{ID: item.ID, Applied: true, Repeated: resolved.Repeated, Message: text, Item: item}, "")
	}
	_, err := a.stdout.WriteString(escape(text) + "\n")
	return written(err)
}

// tell tells that one was not.
func (a *approvalsAnswer) tell(id string, err error, why *exitError) {
	if a.format.value == "json" {
		code := "not_answered"
		if coded, ok := errors.AsType[gate.Coder](err); ok {
			code = coded.Code()
		}
		_ = writeVisibleJSON(a.world, answered{ID: id, Code: code, Message: why.message}, "")
		return
	}
	fmt.Fprintf(a.stderr, "policyctl: %s\n", why.shown())
}

// appliedText says what an answer did.
func appliedText(resolved *gate.Resolved) string {
	item, answer := &resolved.Item, resolved.Item.Answer
	if resolved.Repeated {
		return fmt.Sprintf("%s: just this was answered before, by %s at %s; nothing changed",
			item.ID, answer.Actor, instant(answer.At))
	}
	text := fmt.Sprintf("%s: %s %s (%s)", item.ID, pastOf(answer.Decision), scopeWords(answer.Scope), itemOperation(item))
	if answer.Written != "" {
		text += "; written to " + answer.Written
	}
	return text
}
