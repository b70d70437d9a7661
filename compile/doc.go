// Package compile turns policy files and a catalog into a decision table, and
// finds what is wrong with them together.
//
//	table, diags := compile.File("agent.hcl")
//
// [Compile] takes parsed layers; [File] reads one trusted file for newcomers.
// Both return a table and diagnostics. If there are errors the table denies
// every call and says why (spec LAY-3), so forgetting to look at the
// diagnostics is safe.
//
// Findings here are those that need more than one block: conflicts (errors),
// and warnings for an empty match, a policy that never wins, a deny or ask
// that a more specific allow overrides, a policy that a guard always
// overrules, an expired policy, a name that the catalog does not know. They are
// computed exactly on the sets of calls that blocks match, with a witness call
// where one exists, in time linear in the number of exact values.
//
// [Remedies] answers "what would change this?" with a policy block that was
// tried before it is shown.
//
// Compile is a pure function and safe for concurrent use. Only [File] reads the
// disk. HCL appears here only for the expressions of `when`.
package compile
