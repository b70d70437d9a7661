package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/internal/errtext"
	"github.com/plangate/plangate/layers"
)

// ErrWhole means that this program lacks what the call needs, and that another one must
// answer it.
var ErrWhole = errors.New("hook: this call needs the whole program")

// Policy is a table, or as much of it as the calls need.
type Policy interface {
	Decide(call plangate.Call) plangate.Decision
	HeldGrant(call plangate.Call) string
	Fingerprint() string
	Profiles() []string
	Settings() eval.Settings
}

// Loaded is what a [Program] found as policy.
type Loaded struct {
	Policy Policy // never nil; denies everything if Broken
	Layers []eval.Layer
	Broken bool // the policy has errors
}

// Program is what a hook may touch of its surroundings, and what it is made of.
type Program struct {
	Stdin   io.Reader
	Getenv  func(string) string
	Now     func() time.Time
	Version string       // for the cache of tables; see [layers.Options.Version]
	Warn    func(string) // tells the operator; the text is not escaped
	// Files are the program itself, see [ProgramFiles]: the policy in force guards them.
	Files []string

	// Load returns the policy for some calls.
	Load func(layers.Options, []plangate.Call) (Loaded, error)
	// Ask puts a question to a human or to the decision hook.
	Ask func(context.Context, Question) (harness.Answer, error)
}

// ProgramFiles are the programs of the gate in a directory. Both programs of it must name the
// same, or they would not find each other's tables.
func ProgramFiles(dir string) []string {
	return []string{filepath.Join(dir, "policyctl"), filepath.Join(dir, "policyctl-hook")}
}

// run is one run of a program: one call of one CLI.
type run struct {
	*Program
	Options
	harness harness.Harness
	// told is the event that the payload names, once it was read: an answer to another
	// event is no answer, and the clock may have to give it.
	told atomic.Pointer[string]
}

// result is an output, or the reason why there is none.
type result struct {
	output harness.Output
	err    error
}

// Run answers once. Whoever is first, the decision or the clock, is the answer. The only
// error is [ErrWhole]; the output is then what to say if the other program fails.
func (p *Program) Run(cli harness.Harness, opts Options) (harness.Output, error) {
	own := *p
	own.Getenv = opts.environment(p.Getenv)
	r := &run{Program: &own, Options: opts, harness: cli}
	r.Profile = cmp.Or(r.Profile, own.Getenv("PLANGATE_PROFILE"))
	r.State.Store = cmp.Or(r.State.Store, own.Getenv("PLANGATE_STORE"))
	r.State.Log = cmp.Or(r.State.Log, own.Getenv("PLANGATE_LOG"))
	limit := opts.Limit()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	answered := make(chan result, 1)
	go func() { answered <- r.guarded(ctx) }()
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case got := <-answered:
		return got.output, got.err
	case <-late.C:
		return r.failure(r.eventNow(), "The policy gate took longer than "+limit.String()+" to decide."), nil
	}
}

// guarded turns a defect of this program into a deny. It is the last resort, so it must
// not need what is broken.
func (r *run) guarded(ctx context.Context) (got result) {
	defer func() {
		if defect := recover(); defect != nil {
			r.Warn(fmt.Sprint("internal error: ", defect))
			got = result{output: r.failure(r.eventNow(), "The call is denied because of an internal error of policyctl.")}
		}
	}()
	output, err := r.answer(ctx)
	return result{output, err}
}

// eventNow is the event as far as it is known.
func (r *run) eventNow() string {
	if told := r.told.Load(); told != nil {
		return *told
	}
	return r.Event
}

// failure answers a call that cannot be decided (facts: closed is the default).
func (r *run) failure(event, reason string) harness.Output {
	if r.Fail == FailOpen {
		return r.harness.Answer(harness.Request{Event: event}, harness.Answer{Verdict: harness.NoOpinion})
	}
	return r.harness.Refuse(event, reason)
}

// failed is failure as the result of answer: that there is no decision is an answer too.
func (r *run) failed(event, reason string) (harness.Output, error) {
	return r.failure(event, reason), nil
}

// answer reads, decides and records one call.
func (r *run) answer(ctx context.Context) (harness.Output, error) {
	payload, err := io.ReadAll(io.LimitReader(r.Stdin, plangate.MaxJSONBytes+1))
	if err != nil {
		return r.failed(r.Event, "The policy gate could not read this call: "+err.Error())
	}
	req, err := r.harness.Read(harness.Input{
		Payload: payload, Event: r.Event, Getenv: r.Getenv, Dir: layers.WorkingDir(),
		Servers: r.Servers, Attended: r.Attended, Now: r.Now(),
	})
	r.told.Store(&req.Event)
	if err != nil {
		return r.failed(req.Event, "The policy gate denies this call because it "+errtext.Plain(err)+".")
	}
	for _, warning := range req.Warnings {
		r.Warn("warning: " + r.harness.Info().Name + ": " + warning)
	}
	if r.outside(req.Cwd) {
		return r.harness.Answer(req, harness.Answer{Verdict: harness.NoOpinion}), nil
	}
	if req.Project != "" {
		if err := os.Chdir(req.Project); err != nil { // policy is looked for from there
			return r.failed(req.Event, "The policy gate cannot go to the project: "+err.Error())
		}
	}
	judged, err := r.judge(ctx, &req)
	switch {
	case errors.Is(err, ErrWhole):
		return r.failure(req.Event, "The policy gate could not decide this call: policyctl, which has to, failed."), err
	case err != nil:
		return r.failed(req.Event, "The policy gate could not decide this call: "+errtext.Plain(err))
	}
	return r.harness.Answer(req, judged), nil
}

// outside reports whether a call is made outside of the worktree that this hook is for.
func (r *run) outside(cwd string) bool {
	if r.Worktree == "" || cwd == "" {
		return false
	}
	root, err := absoluteResolved(r.Worktree)
	if err != nil {
		return false
	}
	at, err := absoluteResolved(cwd)
	return err == nil && at != root && !strings.HasPrefix(at, strings.TrimSuffix(root, "/")+"/")
}

// absoluteResolved returns a directory without symbolic links.
func absoluteResolved(dir string) (string, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}
