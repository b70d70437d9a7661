// Package gate is the plan/apply gate: it stands between the calls a model asks
// for and their execution, and it is what remembers a human's answer.
//
//	session, err := g.Open(ctx, "session-1", gate.SessionOptions{})
//	plan, err := session.Plan(ctx, "turn-1", calls)     // one decision per call
//	run, err := session.Claim(ctx, item.ID)             // exactly one claim wins
//	err = session.Complete(ctx, item.ID, result)
//	item, err := g.Resolve(ctx, item.ID, verdict)       // by anyone, anywhere, once
//
// # Life of an item
//
//	Plan ──> ready ──────> running ──> done
//	   ├───> waiting ─┬──>    └──────> interrupted   (the kernel died while it ran)
//	   └───> denied <─┘
//
// A call that policy allows is ready at once. One that it asks about waits, as a
// row in the store and nothing else: no goroutine, no connection, no memory. A
// verdict, the end of its time or a newer user message moves it on. Every move is
// one transaction that reads the row, checks its state and writes it together
// with its audit records, so of any number of answers, claims or clocks exactly
// one wins, in all processes that share the store.
//
// # Promises
//
//   - Nothing runs without a claim, and a claim is won once. What was running when
//     its kernel died is reported as interrupted and never run again by itself.
//   - A verdict names the item by its random id and carries the digest of what was
//     shown. An answer to anything else is refused.
//   - Policy is asked again when an item is answered and when it is claimed; a deny
//     there wins over every answer, session verdict and hook.
//   - Every item ends in an outcome. A denial is a text for the model that names
//     the call and the block that decided; nothing vanishes.
//   - If the gate cannot decide or cannot record, it returns an error and nothing
//     runs.
//
// # What it does not do
//
// It runs no tool, talks to no model and no terminal, opens no file and no
// database itself (Store does), and does not act on a tripped breaker: it says so,
// and the kernel decides how to end the turn.
//
// # Concurrency and limits
//
// A Gate and a Session may be used by any number of goroutines. One session has one
// kernel at a time: opening it again takes it over, and the earlier kernel can claim
// nothing any more. A plan has at most MaxCalls calls; texts and results are bounded
// by the constants below. Time comes from Config.Clock.
//
// # Errors
//
// All errors that a caller may want to tell apart have a type or variable here, are
// found by errors.Is and errors.As, and have a stable Code for the wire. Errors of
// the store, of policy write-back and of contexts are passed on wrapped.
package gate
