// Package hclsource stands between hostile bytes and the HCL parsers, and
// translates what HCL says into our diagnostics.
//
// The parsers of HCL are recursive, and a Go program that overflows its stack
// dies: nothing can recover it. Some of their loops are quadratic. [Check]
// therefore walks the bytes first, in one pass without recursion, and refuses
// what would hurt: files that are not text, nesting, chains of operators that
// make the parser recurse without brackets, strings of too many pieces.
//
// The walk reads strings, here-documents, templates and comments exactly as
// the lexers of HCL do, because a difference would be a hole. Fuzz tests
// compare the two.
//
// Nothing here keeps state. All functions may be called concurrently.
package hclsource
