// Package plangate holds the nouns of a policy gate for tool calls: [Action],
// [Kind], [Risk], [Call], [Decision], [Diagnostic] and what they are made of.
//
// The other packages are its verbs, in one direction:
//
//	dsl      reads agent.hcl into a syntax tree, and formats it
//	catalog  knows operations: kind, risk, schema, roles of their arguments
//	compile  turns syntax trees and a catalog into an eval.Table
//	eval     decides a call against a table, and explains the decision
//	command  takes shell text apart into simple commands, with certainty
//	facts    reads what a call would touch: paths, hosts
//	load     finds the layers on disk, asks for trust, keeps the table cache
//
// A newcomer needs two calls:
//
//	table, diags := compile.File("agent.hcl")
//	decision := table.Decide(call)
//
// # Promises
//
// Everything here is a plain value: no method blocks, reads a clock, a file or
// the environment, or keeps a reference to its argument. The package imports
// the standard library only. Values may be copied and shared freely between
// goroutines as long as nobody writes to them.
//
// The zero [Action] is [Deny], so a forgotten field never allows. Unknown text
// in JSON is an error and never a silent value (spec FMT-3).
package plangate
