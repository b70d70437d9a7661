package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/ancestry"
	"github.com/plangate/plangate/internal/errtext"
	"github.com/plangate/plangate/local"
	"github.com/plangate/plangate/serve"
)

// serveRun is one run of the serve command.
type serveRun struct {
	*world
	policy    policyFlags
	stdio     bool
	store     string
	log       string
	token     string
	noResolve bool
	human     human
	testClock string
}

func newServe(w *world) *cobra.Command {
	s := &serveRun{world: w, human: personAt(w)}
	cmd := &cobra.Command{
		Use:   "serve --stdio",
		Short: "Offer the gate to a program as JSON Lines",
		Long: `Lets a kernel in any language plan, wait, claim, complete and resume: one request
a line as JSON on standard input, one answer a line on standard output, described
in spec/serve.md. Policy is followed as its files change. At the end of the input
everything at work is finished. Messages for people go to standard error.

Whoever can write to the standard input is believed to be the kernel and to pass
on what a human answered. Keep it from tools and agents. No answers are taken with
--no-resolve, nor below a program that is known as an agent, unless --token-file
has a token of "policyctl approvals token".
Exit codes: 0 fine, 2 wrong usage, or a store, log or stream that cannot be used,
3 internal error.`,
		Example: `  policyctl serve --stdio --no-resolve
  echo '{"id":1,"method":"hello"}' | policyctl serve --stdio`,
		Args: noArgs("requests are read from standard input: policyctl serve --stdio < %s"),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	s.policy.register(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&s.stdio, "stdio", false, "read requests from standard input and answer on standard output")
	flags.StringVar(&s.store, "store", "", "file `PATH` or postgres:// URL (default $PLANGATE_STORE)")
	flags.StringVar(&s.log, "log", "", "audit log `FILE`, or none (default $PLANGATE_LOG)")
	flags.StringVar(&s.token, "token-file", "", "take answers by the token in this `FILE`")
	flags.BoolVar(&s.noResolve, "no-resolve", false, "take no verdicts here; they are given elsewhere")
	flags.StringVar(&s.testClock, "test-clock", "", "stop the clock at this `TIME` and let the method test_clock move it")
	if err := flags.MarkHidden("test-clock"); err != nil {
		panic(err) // the flag is registered one line above
	}
	notEmpty(cmd, "store")
	notEmpty(cmd, "log")
	notEmpty(cmd, "token-file")
	exclusive(cmd, "no-resolve", "token-file")
	return cmd
}

func (s *serveRun) run(ctx context.Context) error {
	if !s.stdio {
		return errors.New("say where to serve; --stdio is what there is")
	}
	load, err := s.policy.options(s.world)
	if err != nil {
		return err
	}
	opts := serve.Options{Version: readVersion().Version, Report: s.report()}
	if opts.RefuseVerdicts, err = s.refusesVerdicts(); err != nil {
		return refused(err)
	}
	clock := s.now
	if s.testClock != "" {
		stopped, err := stopClock(s.testClock)
		if err != nil {
			return failed("--test-clock: %v", err)
		}
		clock, opts.Advance = stopped.now, stopped.advance
	}
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends a program whose answers nobody reads
	l, err := local.Open(ctx, local.Options{
		Load: load, Clock: clock, Report: opts.Report,
		Store: cmp.Or(s.store, s.getenv("PLANGATE_STORE")), Log: cmp.Or(s.log, s.getenv("PLANGATE_LOG")),
	})
	if err != nil {
		return failed("%s", errtext.Plain(err))
	}
	defer l.Close()
	s.greet(l)
	opts.Gate = l.Gate
	if err := serve.Serve(ctx, s.stdin, flushed{s.stdout}, opts); err != nil {
		return failed("%v", err)
	}
	return nil
}

// refusesVerdicts reports whether no answers are taken here. An agent that may run
// commands could start this one and answer itself; what it is known by in the process
// tree gives it away. A kernel that is named like an agent has a token.
func (s *serveRun) refusesVerdicts() (bool, error) {
	if s.noResolve {
		return true, nil
	}
	if s.token != "" {
		return false, checkToken(s.world, s.token)
	}
	sign, err := s.human.look()
	switch {
	case err != nil:
		fmt.Fprintf(s.stderr, "policyctl: warning: no answers are taken: the processes above this one cannot be looked at: %s\n", escape(errtext.Plain(err)))
	case sign.Kind == ancestry.Agent, sign.Kind == ancestry.Variable, sign.Kind == ancestry.Hook:
		fmt.Fprintf(s.stderr, "policyctl: warning: no answers are taken without --token-file: %s\n", escape(sign.String()))
	default: // the other signs are about terminals, and a kernel needs none
		return false, nil
	}
	return true, nil
}

// greet tells people what they should know before the first request.
func (s *serveRun) greet(l *local.Local) {
	policy := l.Policy.Policy()
	if policy.Diagnostics.HasErrors() {
		p := &printer{out: s.stderr, sources: policy.Sources}
		p.printAll(policy.Diagnostics)
		fmt.Fprintln(s.stderr, "policyctl: the policy does not load; every call is denied until it does")
	}
	if damage := l.Store.Damage(); damage != nil {
		fmt.Fprintf(s.stderr, "policyctl: warning: %s\n", escape(fmt.Sprint(*damage)))
	}
	if s.typed {
		fmt.Fprintln(s.stderr, "policyctl: reading requests from standard input, one JSON object a line; end with Ctrl-D")
	}
}

// report returns a function that tells people of a failure, a line each.
func (s *serveRun) report() func(error) {
	var mu sync.Mutex
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(s.stderr, "policyctl: %s\n", escape(err.Error()))
	}
}

// stoppedClock moves only when it is told to.
type stoppedClock struct {
	mu   sync.Mutex
	time time.Time
}

// stopClock returns a clock that stands still at a time.
func stopClock(text string) (*stoppedClock, error) {
	at, err := plangate.ParseTime(text)
	return &stoppedClock{time: at}, err
}

func (c *stoppedClock) now() time.Time { return c.advance(0) }

// advance moves the clock, or does not for 0, and returns its time.
func (c *stoppedClock) advance(step time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.time = c.time.Add(step)
	return c.time
}
