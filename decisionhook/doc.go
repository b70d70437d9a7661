// Package decisionhook asks somebody's code what to do with a call: the decision hook
// of agent.hcl, as a Go function, a command, or an HTTP endpoint.
//
//	asker, err := decisionhook.Command([]string{"approve-returns"}, decisionhook.CommandOptions{})
//	hook := decisionhook.Hook{Name: "returns", Asker: decisionhook.NewMemo(asker), Timeout: 10 * time.Second}
//	result := hook.Decide(ctx, question)
//
// An [Asker] puts one [Question] and returns an [Answer] or an error. A [Hook] makes a
// decision of whatever happens: it never fails, never panics and never takes longer
// than its timeout. What could not be asked, what crashed, what answered nonsense and
// what was late are denied, unless on_error or on_timeout says ask. Nothing but an
// answer can allow.
//
// # Question and answer
//
// A question is one JSON object (all keys are always there):
//
//	{"version": 1, "call_id": "toolu_1", "session": "s1", "turn": "t1", "item": "i1",
//	 "call": {"id": "toolu_1", "provider": "shop", "operation": "create_return", "input": {…}},
//	 "decision": {"action": "ask", "decided_by": "policy:returns", "matched_action": "hook", …},
//	 "deadline_at": "2026-01-31T09:00:10Z"}
//
// The decision is what holds until the hook answers. An answer is exactly one JSON
// object, with white space around it or not:
//
//	{"decision": "allow"}
//	{"decision": "deny", "message": "Offer to open a ticket."}
//	{"decision": "ask", "ask": {"prompt": "Approve a $82.40 return?", "channel": "slack:#approvals"}}
//
// The key decision must be there and be one of these words; message is optional; ask
// and its members are optional and only allowed beside "ask". Unknown or doubled keys,
// null, further text, more than [MaxAnswerBytes] and text that is not UTF-8 are errors.
//
// A Go function that returns a nil answer allows. A program or a server that says nothing,
// null or {} does not: one that crashed says nothing too. That is an error.
//
// # Once per call
//
// Whoever asks may ask twice: after a lost connection, or when a turn is resumed. So a
// hook must be idempotent on the call, and gets [Question.Key] to be so: the
// Idempotency-Key of HTTP, PLANGATE_KEY of a command. [Memo] spares it the second
// question within one process.
//
// # Processes and goroutines
//
// A command is killed with its process group, at the deadline or when it ends, so that
// nothing which it started in that group outlives it; what moves to another group on
// purpose does. A Go function that ignores its context is abandoned at the deadline: its
// goroutine stays until it returns, and its answer is dropped. Nothing else is left behind.
//
// All types are safe for concurrent use. Errors may carry text of the hook (its standard
// error); escape them before a terminal sees them, and keep them from the model.
// The clock is read for deadlines only.
package decisionhook
