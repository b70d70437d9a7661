// Package mcpserve offers the policy gate to an agent CLI as an MCP server: the tool that
// Claude Code asks for permission (--permission-prompt-tool), and two tools to read with.
//
//	server := mcpserve.New(mcpserve.Options{Version: version, Judge: judge, Explain: explain, Pending: pending})
//	err := server.Run(ctx, stdin, stdout)
//
// The tools are permission_prompt, explain and pending (spec MCS). What they stand for is
// handed in as functions, so this package knows neither files nor stores.
//
// # Promises
//
//   - permission_prompt answers allow or deny, in the one shape that the CLI takes, for every
//     input: what cannot be read, a defect and a judge that takes too long deny. Only a
//     message whose id cannot be found has no answer.
//   - An allow carries the arguments that were judged, and no others.
//   - explain and pending change nothing. Their failures are results that say so.
//   - A message that cannot be read ends nothing: the next one is served.
//   - At the end of the input and of the context nothing waits for a human any more; what is
//     decided without one is still answered.
//
// # What it never does
//
// No tool answers an approval: whoever can call tools here is the agent. It writes nothing
// but the protocol to its output, and opens no file, socket or process.
//
// # Concurrency and limits
//
// Calls are served side by side: at most [MaxCalls] prompts are decided, [MaxReads] calls
// read and [MaxWaiting] prompts wait for a human at once. More prompts wait for their turn,
// which counts for [Options.Limit]; a prompt that would be one more to wait for a human is
// told so by [Question.Idle]. A message has at most [MaxLine] bytes. [New] returns a server
// for one [Server.Run].
package mcpserve
