// Package harness speaks to agent CLIs: it reads what a CLI tells its hook about
// a tool call, and writes the answer in exactly the form that this CLI obeys.
//
//	h, _ := harness.Find("claude")
//	request, err := h.Read(harness.Input{Payload: stdin})
//	decision := table.Decide(request.Calls[0]) // all of them: the strictest counts
//	output := h.Answer(request, harness.Answer{Verdict: harness.Deny, Reason: decision.Reason()})
//
// [Info] says of each CLI, as plain data, how the hook is installed, how the CLI
// treats a hook that fails, what never reaches it and what a repository can switch
// off. catalog.Builtin has the CLI's own tools with kind, risk and argument roles.
//
// # Promises
//
//   - An answer is one JSON object with exactly the keys that the CLI knows, and no
//     byte more: most CLIs run the call after an answer they cannot read.
//   - A deny has a reason that is not empty, and exits as the CLI wants it.
//   - Where a CLI cannot ask, an ask is never written as an allow.
//   - What cannot be read is an error, and [Harness.Refuse] denies it in the CLI's own
//     words. Unknown fields are kept in [Request.Extra] and change nothing.
//   - A call that is several operations gives several calls: all must be allowed, and
//     any denies.
//
// # What it does not do
//
// It decides nothing, keeps no state, opens no file, starts no process, reads no
// clock and no environment but through [Input]. A CLI's own rules still apply:
// a deny is final everywhere, an allow is only what this policy says (spec HRN-12).
//
// # Concurrency and limits
//
// All values are immutable and safe for concurrent use. A payload is bounded by
// plangate.MaxJSONBytes and plangate.MaxJSONDepth.
package harness
