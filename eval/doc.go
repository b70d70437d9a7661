// Package eval decides a call against a compiled policy and explains how.
//
//	table, err := eval.New(source, nil)  // or eval.Load(bytes, nil)
//	decision := table.Decide(call)
//	trace := table.Explain(call)         // trace.Decision == decision
//
// # Promises
//
//   - Pure: Decide and Explain are functions of the table and the call. They
//     read no clock (time comes with the call), no file, no environment, and
//     write no log.
//   - Total: every table and every call have a decision. There is no error
//     path, because an error path is where a gate forgets to deny.
//   - Immutable: a [Table] is safe for any number of goroutines.
//   - Cheap: a decision without conditions is at most three map probes and no
//     allocation, whatever the number of rules.
//   - Traceable: every decision names the block that made it, because the table
//     carries the finished decision.
//
// # The pipeline
//
// A [Source] is the rules of all layers in plain form. [New] sorts them by
// precedence and merges them into rows: one per named (provider, operation)
// pair, one per named operation, one per named provider, one for operation
// globs, one base row. A row has a cell per kind and risk, with one more risk
// column for "unspecified". A cell is either a finished decision or a chain of
// candidates that ends in one.
//
// # Certainty
//
// A condition answers yes, no or unknown ([Truth]). A permissive rule needs
// yes. A restrictive rule that is unknown does not win, it puts a ceiling of
// ask on whatever is decided below it (spec CER-2). The same mechanism carries
// rules of untrusted layers, whose ceiling is their own action (spec LAY-4).
//
// Conditions come from outside: package eval knows only [Condition], which a
// [Binder] makes from its source text. Without a binder every condition is
// unknown, which is safe.
//
// The package imports the standard library and package plangate only.
package eval
