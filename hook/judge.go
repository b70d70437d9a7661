package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/internal/errtext"
	"github.com/plangate/plangate/layers"
)

// Question is a request that policy wants a human or the decision hook to answer.
type Question struct {
	Request  *harness.Request
	CLI      *harness.Info
	Session  string // of the gate
	Policy   layers.Options
	State    layers.State
	Settings eval.Settings
	Wait     time.Duration
}

// judgement is a request with the policy that decides it.
type judgement struct {
	*run
	req       *harness.Request
	opts      layers.Options
	policy    Policy
	decisions []plangate.Decision // one for each call
	verdict   harness.Answer
}

// judge decides a request and records the answer. An error means that it could not.
func (r *run) judge(ctx context.Context, req *harness.Request) (harness.Answer, error) {
	j := &judgement{run: r, req: req}
	broken, err := j.load()
	if err != nil {
		return harness.Answer{}, err
	}
	if broken && r.Fail == FailOpen {
		return harness.Answer{Verdict: harness.NoOpinion}, nil
	}
	for _, call := range req.Calls {
		j.decisions = append(j.decisions, j.policy.Decide(call))
	}
	by := j.choose()
	if j.wantsHuman(j.decisions[by]) {
		if j.verdict, err = j.Ask(ctx, j.question()); err != nil {
			return harness.Answer{}, err
		}
	}
	if j.verdict.Verdict == harness.NoOpinion {
		return j.verdict, nil // nothing was decided, so nothing is recorded
	}
	if err := j.record(ctx, by); err != nil {
		if j.policy.Settings().Approvals.Audit == eval.AuditRequired {
			return harness.Answer{}, fmt.Errorf("it cannot be recorded, which the policy requires: %s", errtext.Plain(err))
		}
		r.Warn("warning: the answer is not recorded: " + errtext.Plain(err))
	}
	return j.verdict, nil
}

func (j *judgement) question() Question {
	return Question{
		Request: j.req, CLI: j.harness.Info(), Session: j.sessionID(),
		Policy: j.opts, State: j.State, Settings: j.policy.Settings(), Wait: j.Wait,
	}
}

// load finds the policy and completes the calls. It reports whether the policy is broken,
// in which case it denies everything.
func (j *judgement) load() (broken bool, err error) {
	places := layers.DefaultPlaces(j.Getenv)
	j.opts = layers.Options{
		Files: j.Policies, Layers: j.Layers, Dir: layers.WorkingDir(), Catalogs: j.Catalogs,
		Builtin: []string{j.harness.Info().Name}, Places: places, Now: j.Now(), Version: j.Version,
	}
	j.opts.State = j.Files
	if state, err := j.State.Resolve(places); err == nil { // where there is none nothing is recorded
		j.opts.State = slices.Concat(j.Files, ownFiles(state, places))
	}
	loaded, err := j.Load(j.opts, j.req.Calls)
	if err != nil {
		return false, err
	}
	j.policy = loaded.Policy
	if !loaded.Broken {
		if err := checkProfile(j.Profile, loaded.Policy.Profiles()); err != nil {
			return false, err
		}
	}
	around := layers.LookAround(loaded.Layers, j.Getenv)
	session, caller := j.surroundings()
	for i := range j.req.Calls {
		call := &j.req.Calls[i]
		around.FillIn(call)
		call.Profile, call.Session, call.Caller = j.Profile, session, caller
		if len(j.Catalogs) > 0 && j.req.MCP { // a catalog knows better than nobody
			call.Kind, call.Risk = plangate.KindUnspecified, plangate.RiskUnspecified
		}
	}
	return loaded.Broken, nil
}

// checkProfile refuses a profile that the policy does not know: under a misspelt name its
// lists would not apply.
func checkProfile(profile string, known []string) error {
	switch {
	case profile == "" || slices.Contains(known, profile):
		return nil
	case len(known) == 0:
		return fmt.Errorf("unknown profile %q; the policy declares none", profile)
	default:
		return fmt.Errorf("unknown profile %q; the policy has %s", profile, strings.Join(known, ", "))
	}
}

// ownFiles are the files of the state that are not in the state directory, which is
// guarded as a whole.
func ownFiles(state layers.State, places layers.Places) []string {
	dir := layers.StateDir(places)
	return slices.DeleteFunc(state.Files(), func(file string) bool {
		return dir != "" && strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/")
	})
}

// surroundings are what conditions may know of the session and of who calls.
func (j *judgement) surroundings() (session, caller json.RawMessage) {
	facts := map[string]string{"id": j.req.Session}
	if branch := gitBranch(cmp.Or(j.req.Cwd, layers.WorkingDir())); branch != "" {
		facts["branch"] = branch
	}
	session, _ = json.Marshal(facts) // cannot fail: strings
	caller, _ = json.Marshal(map[string]string{
		"harness": j.harness.Info().Name, "tool": j.req.Tool, "agent": j.req.Agent, "mode": j.req.Mode,
	})
	return session, caller
}

// choose makes the verdict of all decisions, and returns the index of the one that counts.
func (j *judgement) choose() int {
	best, matched := 0, -1
	for i, decision := range j.decisions {
		if decision.StricterThan(j.decisions[best]) {
			best = i
		}
		if isMatched(decision) && (matched < 0 || decision.StricterThan(j.decisions[matched])) {
			matched = i
		}
	}
	if j.Unmatched == UnmatchedDefer && !isMatched(j.decisions[best]) {
		if matched < 0 || j.decisions[matched].Action() == plangate.Allow {
			j.verdict.Verdict = harness.NoOpinion
			return best
		}
		best = matched
	}
	decision := j.decisions[best]
	j.verdict = harness.Answer{Verdict: verdictOf(decision.Action()), Reason: j.reason(best)}
	return best
}

// isMatched reports whether more than a default decided.
func isMatched(decision plangate.Decision) bool { return decision.Rule().Type != plangate.RuleDefault }

func verdictOf(action plangate.Action) harness.Verdict {
	switch action {
	case plangate.Allow:
		return harness.Allow
	case plangate.Ask:
		return harness.Ask
	default:
		return harness.Deny
	}
}

// reason names the block, and the operation if the call is several.
func (j *judgement) reason(i int) string {
	decision, text := j.decisions[i], j.decisions[i].Reason()
	if len(j.decisions) > 1 {
		text = fmt.Sprintf("%s (as %s)", text, j.req.Calls[i].Operation)
	}
	if by := decision.DecidedBy(); !strings.Contains(text, by) {
		text += " [" + by + "]"
	}
	return text
}

// wantsHuman reports whether an approval or the decision hook has to answer.
func (j *judgement) wantsHuman(decision plangate.Decision) bool {
	if j.verdict.Verdict == harness.NoOpinion {
		return false
	}
	hooked := decision.MatchedAction() == plangate.Hook
	return hooked || j.verdict.Verdict == harness.Ask && (!j.req.Asks || j.Wait > 0)
}

// record appends the answer to the audit log.
func (j *judgement) record(ctx context.Context, by int) error {
	state, err := j.State.Resolve(j.opts.Places)
	if err != nil || state.Log == "" {
		return err
	}
	log, err := audit.Open(state.Log, audit.Options{Now: j.Now})
	if err != nil {
		return err
	}
	entry := audit.Decided(j.req.Calls[by], j.decisions[by])
	entry.Session, entry.Turn = j.sessionID(), j.req.Calls[0].ID
	entry.Policy, entry.Grant = j.policy.Fingerprint(), j.policy.HeldGrant(j.req.Calls[by])
	entry.Harness, entry.CLITool = j.harness.Info().Name, j.req.Tool
	if answer := j.verdict.Verdict; answer != verdictOf(j.decisions[by].Action()) {
		entry.Message, entry.State = j.verdict.Reason, answer.String()
	}
	_, err = log.Append(ctx, entry)
	return err
}

// sessionID is the name of the CLI's session in the gate.
func (j *judgement) sessionID() string {
	return "harness:" + j.harness.Info().Name + ":" + cmp.Or(j.req.Session, "unknown")
}
