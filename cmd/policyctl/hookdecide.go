package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/load"
	"github.com/plangate/plangate/local"
)

// judgement is a request with the policy that decides it.
type judgement struct {
	*hookRun
	req       *harness.Request
	opts      local.Options
	table     *eval.Table
	decisions []plangate.Decision // one for each call
	verdict   harness.Answer
}

// judge decides a request and records the answer. An error means that it could not.
func (h *hookRun) judge(ctx context.Context, req *harness.Request) (harness.Answer, error) {
	j := &judgement{hookRun: h, req: req}
	broken, err := j.load()
	if err != nil {
		return harness.Answer{}, err
	}
	if broken && h.fail.value == "open" {
		return harness.Answer{Verdict: harness.NoOpinion}, nil
	}
	for _, call := range req.Calls {
		j.decisions = append(j.decisions, j.table.Decide(call))
	}
	by := j.choose()
	decided := j.decisions[by]
	if j.wantsHuman(decided) {
		if j.verdict, err = j.ask(ctx); err != nil {
			return harness.Answer{}, err
		}
	}
	if j.verdict.Verdict == harness.NoOpinion {
		return j.verdict, nil // nothing was decided, so nothing is recorded
	}
	if err := j.record(ctx, by); err != nil {
		if j.table.Settings().Approvals.Audit == eval.AuditRequired {
			return harness.Answer{}, fmt.Errorf("it cannot be recorded, which the policy requires: %w", err)
		}
		fmt.Fprintf(h.stderr, "policyctl: warning: the answer is not recorded: %s\n", escape(reasonOf(err)))
	}
	return j.verdict, nil
}

// load finds the policy and completes the calls. It reports whether the policy is broken,
// in which case the table denies everything.
func (j *judgement) load() (broken bool, err error) {
	opts, err := j.policy.options(j.world)
	if err != nil {
		return false, err
	}
	j.opts = local.Options{
		Load: opts, Clock: j.now,
		Store: cmp.Or(j.store, j.getenv("PLANGATE_STORE")), Log: cmp.Or(j.log, j.getenv("PLANGATE_LOG")),
	}
	explicit := len(opts.Catalogs) > 0
	if file := builtinCatalog(opts.Places.Cache, j.harness.Info().Name); file != "" {
		j.opts.Load.Catalogs = append(j.opts.Load.Catalogs, file)
	} else {
		j.addOwnNames()
	}
	table, diags, layers := load.Table(j.opts.Load)
	j.table = table
	if j.profile != "" && !diags.HasErrors() {
		if err := checkProfile(j.profile, table.Profiles()); err != nil {
			return false, err
		}
	}
	around := j.callPlaces(layers)
	session, caller := j.surroundings()
	for i := range j.req.Calls {
		call := &j.req.Calls[i]
		around.fillIn(call)
		call.Profile, call.Session, call.Caller = j.profile, session, caller
		if explicit && j.req.MCP { // a catalog knows better than nobody
			call.Kind, call.Risk = plangate.KindUnspecified, plangate.RiskUnspecified
		}
	}
	return diags.HasErrors(), nil
}

// addOwnNames judges the call under the CLI's name of the tool too: without the catalog
// a rule under that name would be missed.
func (j *judgement) addOwnNames() {
	first := j.req.Calls[0]
	if j.req.MCP || first.Operation == j.req.Tool {
		return
	}
	first.Operation = j.req.Tool
	j.req.Calls = append(j.req.Calls, first)
}

// surroundings are what conditions may know of the session and of who calls.
func (j *judgement) surroundings() (session, caller json.RawMessage) {
	facts := map[string]string{"id": j.req.Session}
	if branch := gitBranch(cmp.Or(j.req.Cwd, here())); branch != "" {
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
	if j.unmatched.value == "defer" && !isMatched(j.decisions[best]) {
		if matched < 0 || j.decisions[matched].Action() == plangate.Allow {
			j.verdict.Verdict = harness.NoOpinion
			return best
		}
		best = matched
	}
	decision := j.decisions[best]
	j.verdict = harness.Answer{Verdict: harnessVerdict(decision.Action()), Reason: j.reason(best)}
	return best
}

// isMatched reports whether more than a default decided.
func isMatched(decision plangate.Decision) bool { return decision.Rule().Type != plangate.RuleDefault }

func harnessVerdict(action plangate.Action) harness.Verdict {
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
	return hooked || j.verdict.Verdict == harness.Ask && (!j.req.Asks || j.wait > 0)
}

// record appends the answer to the audit log.
func (j *judgement) record(ctx context.Context, by int) error {
	_, path, err := j.opts.Paths()
	if err != nil {
		return err
	}
	if path == "" {
		return nil
	}
	log, err := audit.Open(path, audit.Options{Now: j.now})
	if err != nil {
		return err
	}
	entry := audit.Decided(j.req.Calls[by], j.decisions[by])
	entry.Session, entry.Turn = j.sessionID(), j.req.Calls[0].ID
	entry.Policy = j.table.Fingerprint()
	entry.Harness, entry.CLITool = j.harness.Info().Name, j.req.Tool
	if answer := j.verdict.Verdict; answer != harnessVerdict(j.decisions[by].Action()) {
		entry.Message, entry.State = j.verdict.Reason, answer.String()
	}
	_, err = log.Append(ctx, entry)
	return err
}

// sessionID is the name of the CLI's session in the gate.
func (j *judgement) sessionID() string {
	return "harness:" + j.harness.Info().Name + ":" + cmp.Or(j.req.Session, "unknown")
}
