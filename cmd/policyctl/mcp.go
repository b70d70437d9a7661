package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
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
Exit codes: 0 at the end of the input, 2 wrong usage or a stream that breaks.`,
		Example: `  policyctl mcp --wait 5m
  claude --mcp-config mcp.json --permission-prompt-tool mcp__plangate__permission_prompt`,
		Args: noArgs("requests are read from standard input: policyctl mcp < %s"),
		RunE: func(cmd *cobra.Command, _ []string) error { return m.run(cmd.Context()) },
	}
	m.approvals.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&m.opts.Profile, "profile", "", "`NAME` of the profile (default $PLANGATE_PROFILE)")
	flags.DurationVar(&m.opts.Wait, "wait", 0, "wait so long for a human, by an approval")
	flags.DurationVar(&m.opts.Deadline, "deadline", hook.DefaultDeadline, "deny after this long, not counting --wait")
	notEmpty(cmd, "profile")
	return cmd
}

func (m *mcpRun) run(ctx context.Context) error {
	m.opts.Unmatched, m.opts.Fail = hook.UnmatchedDecide, hook.FailClosed
	policy, state := &m.approvals.policy, layers.State{Store: m.approvals.store, Log: m.approvals.log}
	m.opts.Policies, m.opts.Catalogs, m.opts.Layers, m.opts.State = policy.files, policy.catalogs, policy.layers, state
	if err := m.opts.Check(); err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := mcpserve.New(mcpserve.Options{
		Version: readVersion().Version, Judge: m.judge, Explain: m.explain, Pending: m.pending,
	})
	if err := server.Run(ctx, m.stdin, flushed{m.stdout}); err != nil {
		return failed("%v", err)
	}
	return nil
}

// judge answers one permission prompt as a hook of Claude Code would. The server's working
// directory is where the CLI was started, and it stays: prompts are judged side by side.
func (m *mcpRun) judge(cli harness.Harness, payload []byte) harness.Output {
	program := m.hookProgram()
	program.Stdin = bytes.NewReader(payload)
	output, err := program.Run(cli, m.opts)
	if err != nil {
		return cli.Refuse("", "The policy gate could not decide this call.")
	}
	return output
}

// explain tells what `policyctl explain --cli claude` prints.
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
	around := layers.LookAround(policy.Layers, m.getenv)
	around.FillIn(&call)
	if call.Profile != "" {
		if err := checkProfile(call.Profile, policy.Table.Profiles()); err != nil {
			return "", errors.New(errtext.Plain(err))
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
	return out.String(), nil
}

// pendingItem is what an agent may know of a call that waits.
type pendingItem struct {
	ID        string `json:"id"`
	Session   string `json:"session"`
	Provider  string `json:"provider,omitempty"`
	Operation string `json:"operation"`
	Input     any    `json:"input,omitempty"` // without secrets
	Asked     string `json:"asked"`
	Expires   string `json:"expires,omitempty"`
}

func (m *mcpRun) pending(ctx context.Context, limit int) (any, error) {
	a := m.approvals // a copy, so that calls side by side open stores of their own
	found, err := a.exists()
	if err != nil {
		return nil, errors.New(errtext.Plain(err))
	}
	list := plangate.List[pendingItem]{}
	if !found {
		return list, nil
	}
	defer a.close()
	opened, err := a.open(ctx, "")
	if err != nil {
		return nil, errors.New(errtext.Plain(err))
	}
	items, err := opened.Gate.Pending(ctx, gate.PendingQuery{Limit: limit})
	if err != nil {
		return nil, errors.New(errtext.Plain(err))
	}
	for i := range items {
		item := a.masked(&items[i])
		one := pendingItem{
			ID: item.ID, Session: item.Session, Provider: item.Call.Provider, Operation: item.Call.Operation,
			Input: item.Call.Input, Asked: item.Created.UTC().Format("2006-01-02T15:04:05Z"),
		}
		if !item.Expires.IsZero() {
			one.Expires = item.Expires.UTC().Format("2006-01-02T15:04:05Z")
		}
		list = append(list, one)
	}
	return list, nil
}
