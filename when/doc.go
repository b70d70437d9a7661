// Package when judges the expressions of the condition `when`. The rules are in
// spec/when.md.
//
//	expr, diags := when.Parse(`startswith(input.path, "src/") && input.n < 5`, "agent.hcl", start)
//	diags = append(diags, expr.Check(operation.InputSchema)...)
//	truth := expr.Test(when.NewVars(call))
//
// # Certainty
//
// [Expr.Test] answers yes or no only if what the call says settles it. An
// argument that is left out, null where a value is wanted, a value of another
// type, an index out of range and a division by zero are unknown, and so is
// whatever depends on them: there are no errors at run time and no conversions
// between types. A false side still settles `&&` and a true side `||`.
// Comparing with the literal null and coalesce are the two ways to ask whether
// something is there.
//
// # Syntax
//
// HCL reads the text; nothing of it is evaluated by HCL. What an expression
// may refer to and call is closed: input, session, caller, call, and the
// functions of spec/when.md. Matching on the JSON text of the input is not
// offered: there is no way to make text of a number, a list or an object.
//
// # Text
//
// Strings are compared byte for byte. Text that Unicode composition (NFC)
// would change may show the same as text that it is not equal to, so it is
// never compared: in an expression it is an error, in a call it is unknown.
//
// # Limits
//
// The size of an expression is bounded by [MaxBytes], [MaxDepth] and
// [MaxNodes], and loops do not nest. The input is bounded by
// [plangate.CheckJSON]. The work of one Test is bounded by a count of steps
// and bytes that depends on nothing but expression and call; beyond it the
// answer is unknown. No input makes the package panic.
//
// A regular expression is searched for anywhere in the text: ^ and $ are up to
// the author.
//
// The package reads no clock, no environment and no file, and the same call
// always gets the same answer. An [Expr] may be used by any number of
// goroutines, a [Vars] by one at a time.
package when
