package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
)

// choices are what can be done with a call, by the letter that somebody types.
const choices = "[a]llow once, allow for the [s]ession, al[w]ays, [d]eny, [n]ext, [q]uit"

// ask shows the next call that waits if nothing is being asked.
func (a *approvalsWatch) ask() {
	if a.terminal == nil || a.step != stepNothing && a.step != stepIdle {
		return
	}
	for _, id := range a.queue {
		if a.passed[id] {
			continue
		}
		item := a.known[id]
		a.current, a.step = id, stepChoice
		c := &card{style: style{a.colour}, now: a.now(), full: a.full}
		c.item(&item)
		fmt.Fprintf(a.stdout, "\n%s", c.String())
		a.terminal.forget() // what was typed before it was shown is no answer to it
		a.prompt()
		return
	}
	if a.step == stepNothing {
		a.step = stepIdle
		if len(a.queue) == 0 {
			fmt.Fprint(a.stdout, "\nNothing waits. Calls are shown as they come; [q]uit.\n")
		} else {
			fmt.Fprintf(a.stdout, "\nYou passed over all that waits (%s). Enter shows it again, [q]uit: ", waiting(len(a.queue)))
		}
	}
}

// prompt says what is asked.
func (a *approvalsWatch) prompt() {
	item := a.known[a.current]
	switch a.step {
	case stepChoice:
		fmt.Fprintf(a.stdout, "\n%s%s  %s: ", a.style().paint(bold, shortOf(&item)), a.others(), choices)
	case stepMessage:
		fmt.Fprintf(a.stdout, "\n%s  message for the model (may be empty): ", a.style().paint(bold, shortOf(&item)))
	case stepConfirm:
		fmt.Fprintf(a.stdout, "\n%s  %s", a.style().paint(bold, shortOf(&item)), question(plangate.Allow, gate.ScopeAlways, 0))
	case stepNothing, stepIdle, stepContinue:
	}
}

// others says how many more calls wait.
func (a *approvalsWatch) others() string {
	if len(a.queue) < 2 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", len(a.queue)-1)
}

func (a *approvalsWatch) style() style { return style{a.colour} }

// typed does what somebody typed.
func (a *approvalsWatch) typed(ctx context.Context, line string) error {
	word := strings.ToLower(strings.TrimSpace(line))
	switch a.step {
	case stepMessage:
		a.step = stepNothing
		a.answer(ctx, gate.Verdict{Decision: plangate.Deny, Scope: gate.ScopeOnce, Message: strings.TrimSpace(line)})
		return nil
	case stepChoice:
		return a.chosen(ctx, word)
	case stepConfirm:
		if word != "y" && word != "yes" {
			a.step = stepChoice
			a.prompt()
			return nil
		}
		a.step = stepNothing
		a.answer(ctx, gate.Verdict{Decision: plangate.Allow, Scope: gate.ScopeAlways})
		return nil
	default:
		if word == "q" || word == "quit" {
			return errQuit
		}
		if a.step == stepIdle {
			clear(a.passed)
		}
		a.step = stepNothing
		return nil
	}
}

// chosen does what somebody chose for the current call.
func (a *approvalsWatch) chosen(ctx context.Context, word string) error {
	allow := gate.Verdict{Decision: plangate.Allow}
	switch word {
	case "a", "allow":
		allow.Scope = gate.ScopeOnce
	case "s", "session":
		allow.Scope = gate.ScopeSession
	case "w", "always":
		a.preview(ctx)
		return nil
	case "d", "deny":
		a.step = stepMessage
		a.prompt()
		return nil
	case "n", "next":
		a.passed[a.current] = true
		a.current, a.step = "", stepNothing
		return nil
	case "q", "quit":
		return errQuit
	default:
		fmt.Fprintln(a.stdout, "  Type one of the letters in brackets and Enter.")
		a.prompt()
		return nil
	}
	a.step = stepNothing
	a.answer(ctx, allow)
	return nil
}

// preview shows what an answer for always would write.
func (a *approvalsWatch) preview(ctx context.Context) {
	item := a.known[a.current]
	c := &card{style: a.style(), now: a.now(), full: a.full}
	request, err := a.alwaysRequest(&item, gate.Verdict{Decision: plangate.Allow, Actor: a.actor})
	if err == nil {
		err = c.always(ctx, request)
	}
	if err != nil {
		fmt.Fprintf(a.stdout, "  %s\n", escape(notApplied(&item, err).Error()))
		a.step = stepChoice
	} else {
		fmt.Fprint(a.stdout, c.String())
		a.step = stepConfirm
	}
	a.prompt()
}

// answer gives a verdict on the current call and tells what came of it. A call that
// waits on is asked about again.
func (a *approvalsWatch) answer(ctx context.Context, verdict gate.Verdict) {
	item := a.known[a.current]
	verdict.Digest, verdict.Actor = item.Digest, a.actor
	opened, err := a.openFor(ctx, &item)
	if err == nil && verdict.Decision == plangate.Allow {
		err = a.mayAllow(opened)
	}
	var resolved gate.Resolved
	if err == nil {
		if resolved, err = opened.Gate.Resolve(ctx, item.ID, verdict); err != nil {
			err = notApplied(&item, err)
		}
	}
	if ours, ok := errors.AsType[*exitError](err); ok {
		fmt.Fprintf(a.stdout, "  %s\n", ours.shown())
		if now, err := a.locals[""].Gate.Item(ctx, item.ID); err == nil && now.State == gate.Waiting {
			a.step = stepChoice
			a.prompt()
			return
		}
	} else {
		fmt.Fprintf(a.stdout, "  %s\n", escape(appliedText(&resolved)))
	}
	a.forget(item.ID)
	a.current = ""
}
