package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/internal/suggest"
)

// hookRun is one run of the hook command: one call of one agent CLI.
type hookRun struct {
	*world
	policy    policyFlags
	profile   string
	unmatched *choice
	fail      *choice
	event     string
	servers   []string
	worktree  string
	attended  bool
	wait      time.Duration
	deadline  time.Duration
	store     string
	log       string

	harness harness.Harness
	// told is the event that the payload names, once it was read: an answer to another
	// event is no answer, and the clock may have to give it.
	told atomic.Pointer[string]
}

func newHook(w *world) *cobra.Command {
	h := &hookRun{world: w, unmatched: newChoice("decide", "defer"), fail: newChoice("closed", "open")}
	cmd := &cobra.Command{
		Use:   "hook CLI",
		Short: "Answer the hook of an agent CLI",
		Long: `Reads what an agent CLI tells its hook about a tool call from standard input, decides
it and answers in that CLI's own form: ` + strings.Join(harness.Names(), ", ") + `.

It always answers, before the CLI stops waiting: what cannot be read or decided, and
every failure of its own, is a deny. Where the CLI cannot ask, a call that policy asks
about becomes an approval, and the answer says how to give it; the agent then repeats
the call. Every answer is written to the audit log.

Formats: those of the CLIs, see spec/harness.md.
Exit codes: 0 answered, 2 wrong usage (which denies too); for amp 0 allow, 1 ask, 2 deny.`,
		Example: `  policyctl hook claude < call.json
  policyctl hook codex --profile ci --wait 60s`,
		Args: oneHarness,
		RunE: func(_ *cobra.Command, args []string) error { return h.run(args[0]) },
	}
	h.register(cmd)
	return cmd
}

func (h *hookRun) register(cmd *cobra.Command) {
	h.policy.register(cmd)
	flags := cmd.Flags()
	flags.Lookup("policy").Usage = "use exactly this `FILE` as policy, and no layers"
	flags.StringVar(&h.profile, "profile", "", "`NAME` of the profile (default $PLANGATE_PROFILE)")
	flags.Var(h.unmatched, "unmatched", "calls that only a default decides")
	flags.Var(h.fail, "fail", "calls that cannot be decided: deny, or no opinion")
	flags.StringVar(&h.event, "event", "", "`NAME` of the event, for CLIs that do not tell it")
	flags.StringArrayVar(&h.servers, "mcp", nil, "`NAME` of an MCP server that is there; may be repeated")
	flags.StringVar(&h.worktree, "worktree", "", "no opinion of calls that are made outside of this `DIR`")
	flags.BoolVar(&h.attended, "attended", false, "a human sits at the CLI and can be asked")
	flags.DurationVar(&h.wait, "wait", 0, "wait so long for a human, by an approval")
	flags.DurationVar(&h.deadline, "deadline", 8*time.Second, "deny after this long, not counting --wait")
	flags.StringVar(&h.store, "store", "", "file `PATH` or postgres:// URL (default $PLANGATE_STORE)")
	flags.StringVar(&h.log, "log", "", "audit log `FILE`, or none (default $PLANGATE_LOG)")
	complete(cmd, "unmatched", h.unmatched.options...)
	complete(cmd, "fail", h.fail.options...)
	for _, name := range []string{"profile", "event", "worktree", "store", "log"} {
		notEmpty(cmd, name)
	}
}

func oneHarness(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("which CLI? Give one of %s", strings.Join(harness.Names(), ", "))
	}
	if _, ok := harness.Find(args[0]); !ok {
		return fmt.Errorf("unknown CLI %.64q; want one of %s.%s", args[0], strings.Join(harness.Names(), ", "),
			suggest.DidYouMean(args[0], harness.Names()))
	}
	return nil
}

// hookMemory is from where on, in bytes, a hook collects garbage after all.
const hookMemory = 256 << 20

// run answers once. Whoever is first, the decision or the clock, is the answer.
func (h *hookRun) run(name string) error {
	if h.deadline <= 0 || h.wait < 0 {
		return errors.New("--deadline and --wait want a positive duration")
	}
	h.profile = cmp.Or(h.profile, h.getenv("PLANGATE_PROFILE"))
	h.harness, _ = harness.Find(name) // oneHarness has looked
	// A collection takes longer than all else of a hook, which ends long before it needs one.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(hookMemory))
	limit := h.deadline + h.wait
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	answered := make(chan harness.Output, 1)
	go func() { answered <- h.guarded(ctx) }()
	var output harness.Output
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case output = <-answered:
	case <-late.C:
		output = h.failure(h.eventNow(), "The policy gate took longer than "+limit.String()+" to decide.")
	}
	return h.write(output)
}

func (h *hookRun) write(output harness.Output) error {
	if _, err := h.stderr.Write(output.Stderr); err != nil {
		return exit(codeUsage)
	}
	if _, err := h.stdout.Write(output.Stdout); err != nil {
		return exit(codeUsage)
	}
	if h.stdout.Flush() != nil {
		return exit(codeUsage) // a CLI that cannot read the answer may still see the code
	}
	return exit(output.Code)
}

// guarded turns a defect of this program into a deny. It is the last resort, so it must
// not need what is broken.
func (h *hookRun) guarded(ctx context.Context) (output harness.Output) {
	defer func() {
		if defect := recover(); defect != nil {
			fmt.Fprintf(h.stderr, "policyctl: internal error: %s\n", escape(fmt.Sprint(defect)))
			output = h.failure(h.eventNow(), "The call is denied because of an internal error of policyctl.")
		}
	}()
	return h.answer(ctx)
}

// eventNow is the event as far as it is known.
func (h *hookRun) eventNow() string {
	if told := h.told.Load(); told != nil {
		return *told
	}
	return h.event
}

// failure answers a call that cannot be decided (facts: closed is the default).
func (h *hookRun) failure(event, reason string) harness.Output {
	if h.fail.value == "open" {
		return h.harness.Answer(harness.Request{Event: event}, harness.Answer{Verdict: harness.NoOpinion})
	}
	return h.harness.Refuse(event, reason)
}

// answer reads, decides and records one call.
func (h *hookRun) answer(ctx context.Context) harness.Output {
	payload, err := io.ReadAll(io.LimitReader(h.stdin, plangate.MaxJSONBytes+1))
	if err != nil {
		return h.failure(h.event, "The policy gate could not read this call: "+err.Error())
	}
	req, err := h.harness.Read(harness.Input{
		Payload: payload, Event: h.event, Getenv: h.getenv, Dir: here(), Servers: h.servers, Attended: h.attended, Now: h.now(),
	})
	h.told.Store(&req.Event)
	if err != nil {
		return h.failure(req.Event, "The policy gate denies this call because it "+
			strings.TrimPrefix(err.Error(), "harness: ")+".")
	}
	for _, warning := range req.Warnings {
		fmt.Fprintf(h.stderr, "policyctl: warning: %s: %s\n", h.harness.Info().Name, escape(warning))
	}
	if h.outside(req.Cwd) {
		return h.harness.Answer(req, harness.Answer{Verdict: harness.NoOpinion})
	}
	if req.Project != "" {
		if err := os.Chdir(req.Project); err != nil { // policy is looked for from there
			return h.failure(req.Event, "The policy gate cannot go to the project: "+err.Error())
		}
	}
	judged, err := h.judge(ctx, &req)
	if err != nil {
		return h.failure(req.Event, "The policy gate could not decide this call: "+reasonOf(err))
	}
	return h.harness.Answer(req, judged)
}

// outside reports whether a call is made outside of the worktree that this hook is for.
func (h *hookRun) outside(cwd string) bool {
	if h.worktree == "" || cwd == "" {
		return false
	}
	root, err := absoluteResolved(h.worktree)
	if err != nil {
		return false
	}
	at, err := absoluteResolved(cwd)
	return err == nil && at != root && !strings.HasPrefix(at, strings.TrimSuffix(root, "/")+"/")
}
