// Package reference decides calls the slow and obvious way. It is the
// specification's algorithm (spec/decision.md) written down paragraph by
// paragraph, straight on the syntax trees, so that the compiled table can be
// compared with something that shares none of its ideas.
//
// It is for tests only: it compiles nothing, indexes nothing and looks at every
// block for every call. It imports neither package compile nor package eval.
//
// All functions are pure and may be called concurrently as long as the
// [Judge] may.
package reference
