package compile

import (
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
)

// lowerSettings takes each block from the innermost trusted file that has it. A
// file that is not trusted could only loosen here: a decision hook is a program to
// run, and every number of the other blocks can be made harmless.
func (c *compiler) lowerSettings() eval.Settings {
	settings := eval.DefaultSettings()
	for _, l := range c.Layers {
		if !l.Trusted {
			continue
		}
		if a := l.File.Approval; a != nil {
			settings.Approvals = lowerApprovals(a)
		}
		if b := l.File.Breaker; b != nil {
			settings.Breaker = eval.BreakerSettings{
				Consecutive: b.Consecutive.Value, Window: b.Window.Value, Denials: b.Denials.Value,
			}
		}
		if h := l.File.Hook; h != nil {
			settings.Hook = lowerHook(h)
		}
	}
	return settings
}

func lowerApprovals(a *dsl.Approvals) eval.Approvals {
	return eval.Approvals{
		ExpiresIn: a.ExpiresIn.Value, OnExpire: eval.OnExpire(a.OnExpire.Value), Hold: eval.Hold(a.Hold.Value),
		SessionScope: eval.SessionScope(a.SessionScope.Value), Audit: eval.AuditMode(a.Audit.Value),
	}
}

func lowerHook(h *dsl.DecisionHook) *eval.HookSettings {
	out := &eval.HookSettings{
		Timeout: h.Timeout.Value, OnError: h.OnError.Value, OnTimeout: h.OnTimeout.Value,
		File: h.Range.File, Line: h.Range.Start.Line,
	}
	if h.URL != nil {
		out.URL = h.URL.Value
	}
	if h.Command != nil {
		for _, word := range h.Command.Value {
			out.Command = append(out.Command, word.Value)
		}
	}
	return out
}
