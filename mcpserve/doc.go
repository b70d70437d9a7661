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
//     input: what cannot be read, a defect and a judge that takes too long deny.
//   - An allow carries the arguments that were judged, and no others.
//   - explain and pending change nothing. Their failures are results that say so.
//
// # What it never does
//
// No tool answers an approval: whoever can call tools here is the agent. It writes nothing
// but the protocol to its output, and opens no file, socket or process.
//
// # Concurrency and limits
//
// Calls are served side by side, at most [MaxCalls] at once; more wait. A message has at most
// [MaxLine] bytes; a longer one ends the connection, and the CLI then denies.
package mcpserve
