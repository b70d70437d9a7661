// Package dsl reads agent.hcl and agent.hcl.json into a syntax tree in which
// every name and value knows its place, and formats the native form.
//
// [Parse] takes bytes, never a path: the caller owns reading. It returns a
// [File] and diagnostics. The File is as complete as the text allows; it may be
// looked at but must not be enforced while the diagnostics have errors.
//
// # Promises
//
//   - The schema is closed. An unknown block, attribute or match key is an
//     error with a suggestion, because a lost field would widen a rule. Blocks
//     owned by a kernel are recorded in [File.Foreign] and left alone.
//   - No input makes it panic, overflow the stack or run for long: size and
//     nesting are checked on the bytes before HCL sees them.
//   - Expressions see no variables and no functions, so a policy cannot read
//     the environment or the disk. The one exception is `when`, which is kept
//     unevaluated for package compile.
//   - [Format] changes white space only, and proves it before it answers.
//
// Findings about one file belong here; findings that need another file, a
// catalog or the meaning of two blocks together belong to package compile.
//
// Nothing here keeps state. All functions may be called concurrently; a File is
// not written to after Parse returns.
package dsl
