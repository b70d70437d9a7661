package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/hook"
	"github.com/plangate/plangate/internal/errtext"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/load"
	"github.com/plangate/plangate/mcpserve"
)

// mcpRun is one run of the mcp command.
type mcpRun struct {
	*world
	approvals approvals // as its list command reads them
	opts      hook.Options
}

func newMCP(w *world) *cobra.Command {
	m := &mcpRun{world: w, approvals: approvals{world: w}}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Offer the policy to an agent CLI as an MCP server",
		Long: `Serves MCP on standard input and output, with three tools: permission_prompt, for the
option --permission-prompt-tool of Claude Code, decides what would be asked there;
explain tells how a call would be decided, and pending lists the calls that wait for
a human. No tool answers an approval.

A call that policy asks about waits for "policyctl approvals" as long as --wait says,
and is denied then. Every answer is written to the audit log.

A repository can set environment variables for the servers of Claude Code. With --home
none of them decides where policy, trust, store and log are.
Exit codes: 0 at the end of the input, 2 wrong usage or a stream that breaks.`,
		Example: `  policyctl mcp --home /home/me --wait 5m
  claude --mcp-config mcp.json --permission-prompt-tool mcp__plangate__permission_prompt`,
		Args: noArgs("requests are read from standard input: policyctl mcp < %s"),
		RunE: func(cmd *cobra.Command, _ []string) error { return m.run(cmd.Context()) },
	}
	m.approvals.register(cmd)
	of := flag.NewFlagSet("hook", flag.ContinueOnError)
	m.opts.Register(of)
	for _, name := range []string{"profile", "wait", "deadline", "home", "config-home", "state-home", "cache-home"} {
		cmd.Flags().AddGoFlag(of.Lookup(name))
	}
	return cmd
}

func (m *mcpRun) run(ctx context.Context) error {
	m.opts.Unmatched, m.opts.Fail = hook.UnmatchedDecide, hook.FailClosed
	policy, state := &m.approvals.policy, layers.State{Store: m.approvals.store, Log: m.approvals.log}
	m.opts.Policies, m.opts.Catalogs, m.opts.Layers, m.opts.State = policy.files, policy.catalogs, policy.layers, state
	if err := m.opts.Check(); err != nil {
		return err
	}
	own := *m.world
	own.getenv = placed(&m.opts, own.getenv)
	m.world, m.approvals.world = &own, &own
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := mcpserve.New(mcpserve.Options{
		Version: readVersion().Version, Judge: m.judge, Explain: m.explain, Pending: m.pending, Limit: m.opts.Limit(),
	})
	if err := server.Run(ctx, m.stdin, flushed{m.stdout}); err != nil {
		return failed("%v", err)
	}
	return nil
}

// placed is the environment with the places of --home, as hooks see it (spec HRN-18).
func placed(opts *hook.Options, getenv func(string) string) func(string) string {
	if opts.Home == "" {
		return getenv
	}
	places := map[string]string{
		"HOME": opts.Home, "XDG_CONFIG_HOME": opts.ConfigHome, "XDG_STATE_HOME": opts.StateHome, "XDG_CACHE_HOME": opts.CacheHome,
	}
	return func(name string) string {
		if dir, ok := places[name]; ok {
			return dir
		}
		if strings.HasPrefix(name, "PLANGATE_") {
			return ""
		}
		return getenv(name)
	}
}

// judge answers one permission prompt as a hook of Claude Code would. The server's working
// directory is where the CLI was started, and it stays: prompts are judged side by side.
func (m *mcpRun) judge(ctx context.Context, question *mcpserve.Question) harness.Output {
	p := &mcpPrompt{mcpRun: m, Question: question, ctx: ctx}
	program := m.hookProgram()
	program.Stdin, program.Load, program.Ask = bytes.NewReader(question.Payload), p.load, p.ask
	output, err := program.Run(question.CLI, m.opts)
	if err != nil {
		return question.CLI.Refuse("", "The policy gate could not decide this call.")
	}
	return output
}

// mcpPrompt is one permission prompt.
type mcpPrompt struct {
	*mcpRun
	*mcpserve.Question
	ctx    context.Context //nolint:containedctx // a value of one prompt; the program makes its own
	policy hook.Policy
}

func (p *mcpPrompt) load(opts layers.Options, calls []plangate.Call) (hook.Loaded, error) {
	loaded, err := loadForHook(opts, calls)
	p.policy = loaded.Policy
	loaded.Policy = anywhere{loaded.Policy}
	return loaded, err
}

// anywhere is a policy for calls of which nobody says in which directory they run: the
// shell of the CLI stays where a cd took it, and a prompt does not tell.
type anywhere struct{ hook.Policy }

// Decide implements [hook.Policy]: the stricter of what holds where the CLI was started and
// what holds anywhere.
func (a anywhere) Decide(call plangate.Call) plangate.Decision {
	here := a.Policy.Decide(call)
	call.Cwd = ""
	if anywhere := a.Policy.Decide(call); anywhere.StricterThan(here) {
		return anywhere
	}
	return here
}

// whereText is for the model, which can do something about it. Claude Code itself takes a cd
// to where the shell is already away, but not out of a subshell.
const whereText = "Nobody says in which directory this call would run, and it matters. Make it again with absolute paths, " +
	"or as `(cd /the/directory && ...)`."

// ask asks a human as the hook does, as long as somebody waits for the answer. No human is
// asked where only the directory is missing.
func (p *mcpPrompt) ask(ctx context.Context, question hook.Question) (harness.Answer, error) {
	if p.onlyPlace(question.Request.Calls) {
		return harness.Answer{Reason: whereText}, nil
	}
	// The human must not be told a directory that may be another.
	for i := range question.Request.Calls {
		call := &question.Request.Calls[i]
		bare := *call
		bare.Cwd = ""
		if !p.policy.Decide(*call).StricterThan(p.policy.Decide(bare)) {
			call.Cwd = ""
		}
	}
	// What is answered if too many wait already.
	answer, err := harness.Answer{Reason: "Too many calls wait for a human already. Make this one again later."}, error(nil)
	p.Idle(func() { answer, err = p.wait(ctx, question) })
	return answer, err
}

// wait asks a human. At the end of the server it asks without waiting.
func (p *mcpPrompt) wait(ctx context.Context, question hook.Question) (harness.Answer, error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(p.ctx, cancel)
	defer stop()
	answer, err := p.askByApproval(waiting, question)
	if err != nil && errors.Is(context.Cause(p.ctx), mcpserve.ErrEnding) {
		question.Wait = 0
		return p.askByApproval(ctx, question)
	}
	return answer, err
}

// onlyPlace reports whether all calls would be allowed in the directory of the server.
func (p *mcpPrompt) onlyPlace(calls []plangate.Call) bool {
	return !slices.ContainsFunc(calls, func(call plangate.Call) bool {
		decision := p.policy.Decide(call)
		return decision.Action() != plangate.Allow || decision.MatchedAction() == plangate.Hook
	})
}

// explain tells what `policyctl explain --cli claude` prints, of a call without a directory
// where a prompt would be judged so. Secrets are masked as in the log.
func (m *mcpRun) explain(_ context.Context, call plangate.Call) (string, error) {
	flags := m.approvals.policy
	if len(flags.clis) == 0 {
		flags.clis = cliList{"claude"}
	}
	opts, err := flags.options(m.world)
	if err != nil {
		return "", err
	}
	tools := flags.clis.tools()
	tools.rename(&call)
	call.Time = m.now()
	policy := load.Open(opts)
	layers.LookAround(policy.Layers, m.getenv).FillIn(&call)
	call.Profile = cmp.Or(call.Profile, m.opts.Profile, m.getenv("PLANGATE_PROFILE"))
	if call.Profile != "" {
		if err := checkProfile(call.Profile, policy.Table.Profiles()); err != nil {
			return "", errors.New(errtext.Plain(err))
		}
	}
	if anywhere := call; !policy.Diagnostics.HasErrors() {
		anywhere.Cwd = ""
		if policy.Table.Decide(anywhere).StricterThan(policy.Table.Decide(call)) {
			call = anywhere
		}
	}
	var out strings.Builder
	printed := bufio.NewWriter(&out)
	s := &story{explanation: explanation{Trace: policy.Table.Explain(call)}, policy: policy, opts: opts, out: printed}
	if !policy.Diagnostics.HasErrors() {
		s.Remedies = compile.Remedies(policy.Input, call)
	}
	s.tell()
	if err := printed.Flush(); err != nil {
		return "", err
	}
	masked, _ := audit.MaskText(out.String())
	return masked, nil
}

// pendingItem is what an agent may know of a call that waits.
type pendingItem struct {
	ID        string `json:"id"`
	Session   string `json:"session"`
	Provider  string `json:"provider,omitempty"`
	Operation string `json:"operation"`
	Input     any    `json:"input,omitempty"`   // without secrets
	Preview   string `json:"preview,omitempty"` // the beginning of an input that is too long, without secrets
	Asked     string `json:"asked"`
	Age       string `json:"age"`
	Expires   string `json:"expires,omitempty"`
}

// maxPendingInput is how many bytes of arguments are listed whole, and maxPendingPreview how
// many of longer ones.
const (
	maxPendingInput   = 4096
	maxPendingPreview = 1024
)

func (m *mcpRun) pending(ctx context.Context, limit int) (any, error) {
	list, err := m.listPending(ctx, limit)
	if err != nil { // which tells where the store is
		fmt.Fprintf(m.stderr, "policyctl: warning: pending: %s\n", escape(errtext.Plain(err)))
		return nil, errors.New("the store of approvals cannot be read; policyctl approvals list tells why")
	}
	return list, nil
}

func (m *mcpRun) listPending(ctx context.Context, limit int) (plangate.List[pendingItem], error) {
	a := m.approvals // a copy, so that calls side by side open stores of their own
	list := plangate.List[pendingItem]{}
	found, err := a.exists()
	if err != nil || !found {
		return list, err
	}
	defer a.close()
	opened, err := a.open(ctx, "")
	if err != nil {
		return nil, err
	}
	items, err := opened.Gate.Pending(ctx, gate.PendingQuery{Limit: limit})
	if err != nil {
		return nil, err
	}
	for i := range items {
		masked := a.masked(&items[i])
		list = append(list, m.pendingOf(&masked.Item))
	}
	return list, nil
}

// pendingOf tells of an item that is masked.
func (m *mcpRun) pendingOf(item *gate.Item) pendingItem {
	one := pendingItem{
		ID: item.ID, Session: item.Session, Provider: item.Call.Provider, Operation: item.Call.Operation,
		Asked: item.Created.UTC().Format(time.RFC3339), Age: ago(m.now().Sub(item.Created)),
	}
	if len(item.Call.Input) <= maxPendingInput {
		one.Input = item.Call.Input
	} else {
		one.Preview = strings.ToValidUTF8(string(item.Call.Input[:maxPendingPreview]), "") + "…"
	}
	if !item.Expires.IsZero() {
		one.Expires = item.Expires.UTC().Format(time.RFC3339)
	}
	return one
}
