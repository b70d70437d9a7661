// Package bind gives the conditions of a table their meaning.
//
//	table, err := eval.New(source, bind.Binder{When: when.Language{}})
//	table, err := eval.Load(bytes, bind.Binder{}) // no HCL parser; every `when` is unknown
//
// A [Binder] turns the plain form of a condition into one that can be judged,
// and reads calls for it: package facts says what a call would do, packages
// command and facts match its commands, paths and hosts, package when its
// expressions.
//
// # The certainty rule
//
// Every condition has one of three answers, and the action of its rule says
// which readings count (spec CND-1). A permissive rule gets yes only if every
// reading of every part matches and nothing is unknown; a restrictive rule gets
// yes if one reading of one part matches, and no only if none can. There is no
// common normal form that both sides compare.
//
// # Promises
//
// Binding is pure. Reading a call may look at the file system, as package facts
// describes, and at nothing else. A condition that cannot be compiled counts as
// unknown; package compile reports it before that. All values are safe for
// concurrent use.
package bind
