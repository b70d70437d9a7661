package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/internal/errtext"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/local"
	"github.com/plangate/plangate/persist/writeback"
)

// notApplied is the error for an answer that the gate did not take: what is the case,
// and what to do.
func notApplied(item *gate.Item, err error) error {
	code := gate.Code(err)
	status := codeFindings
	switch {
	case errors.Is(err, gate.ErrNotFound), errors.Is(err, gate.ErrVerdict), errors.Is(err, gate.ErrStoreUnavailable):
		status = codeUsage
	case code == "internal":
		status = codeInternal
	}
	text := fmt.Sprintf("%s: [%s] %s", item.ID, code, errtext.Plain(err))
	if advice := adviceFor(code); advice != "" {
		text += ". " + advice
	}
	return uncounted{&exitError{code: status, message: text}, code}
}

// adviceFor says what to do after an answer that did not count.
func adviceFor(code string) string {
	switch code {
	case "already_answered":
		return "Your answer changed nothing."
	case "superseded":
		return "There is nothing left to answer."
	case "expired":
		return "If it is still wanted, tell the agent: the call gets another id."
	case "stale":
		return "Nothing was answered. Look again: policyctl approvals show."
	case "invalid_correction":
		return "It waits on, with its own arguments."
	case "would_loosen":
		return "It waits on. Answer it with --scope once."
	case "policy_denies":
		return "The call was denied."
	case "no_policy_store", "too_broad", "outranked", "read_only", "policy_changed", "policy_invalid":
		return "It waits on. Answer it with another scope, or change the policy yourself."
	default:
		return ""
	}
}

// uncounted is the error of an answer that did not count, with its code.
type uncounted struct {
	*exitError
	code string
}

// Code implements [gate.Coder].
func (u uncounted) Code() string { return u.code }

// Unwrap lets the end of a command find its exit code.
func (u uncounted) Unwrap() error { return u.exitError }

// mayAllow refuses to allow under a policy that does not load: it would deny the call
// for good, which nobody wants.
func (a *approvals) mayAllow(opened *local.Local) error {
	for _, diag := range opened.Policy.Policy().Diagnostics {
		if diag.Severity == plangate.SeverityError {
			return failed("the policy does not load, so nothing can be allowed; it waits on. See policyctl check: %s [%s]", diag.Detail, diag.Code)
		}
	}
	return nil
}

// alwaysRequest is what the gate would ask write-back for.
func (a *approvals) alwaysRequest(item *gate.Item, verdict gate.Verdict) (writeback.Request, error) {
	opts, err := a.options()
	if err != nil {
		return writeback.Request{}, err
	}
	opts.Load.Dir = cmp.Or(a.policyDir(item), opts.Load.Dir)
	call := item.Call
	call.Kind, call.Risk = item.Kind, item.Risk
	if verdict.CorrectedInput != nil {
		call.Input = verdict.CorrectedInput
	}
	return writeback.Request{
		Target: writeback.Target{Options: opts.Load, State: layers.StateDir(opts.Load.Places)},
		Call:   call, Action: verdict.Decision, Actor: verdict.Actor, Approval: item.ID, Time: a.now(),
	}, nil
}

// always shows what a verdict for always would write. The error is why it cannot.
func (c *card) always(ctx context.Context, request writeback.Request) error {
	change, err := writeback.Preview(ctx, request)
	if err != nil {
		return err
	}
	if change.AlreadyThere {
		c.title("Policy")
		c.row("", fmt.Sprintf("%s:%d says so already; nothing is written", escape(change.File), change.Line))
		return nil
	}
	c.title("Policy that is to be written")
	c.words("File", change.File)
	c.passage(cmp.Or(change.Block, change.Diff))
	return nil
}
