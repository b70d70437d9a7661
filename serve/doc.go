// Package serve lets a kernel in any language use the gate: JSON Lines over a reader
// and a writer, usually standard input and output of `policyctl serve --stdio`. The
// protocol is in spec/serve.md.
//
//	err := serve.Serve(ctx, os.Stdin, os.Stdout, serve.Options{Gate: l.Gate})
//
// # Promises
//
//   - Every line in gets exactly one line out: a result, or an error with a code. A
//     line is written with one call and never mixed with another.
//   - A line that is not a request changes nothing and ends nothing, whatever is in it.
//   - A result is written after the step it tells of is durable. Whoever dies before
//     reading it finds the step in the store.
//   - At the end of the input all requests that are not waiting are finished and
//     answered.
//   - A defect of this program costs the request that met it, not the others.
//
// # What it does not do
//
// It decides nothing, opens no file, no database and no socket, and authenticates
// nobody: whoever can write to the reader is the kernel, and the actor of a verdict is
// whom the kernel says. Never hand the two ends to a tool or to an agent. With
// Options.RefuseVerdicts not even the kernel can answer a question here.
//
// # Concurrency and limits
//
// Requests run side by side and are answered in the order in which they end. The
// constants below bound lines, requests, waits and sessions; beyond MaxRequests and
// MaxBytes nothing is read until something ends, so a client must read answers while it
// writes. A line out has no limit of its own: it is as long as what was stored.
//
// # Errors
//
// Serve returns an error only if it cannot read or write. Errors of the gate go to the
// client with their code (spec GAT-40); the codes of the protocol itself are below.
package serve
