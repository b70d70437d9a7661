// Package catalog knows operations: what each one's kind and risk are, what its
// input looks like and which of its arguments are commands, paths or URLs. The
// rules are in spec/catalog.md.
//
// A catalog comes from our own form in JSON or HCL ([Parse]) or from the
// result of an MCP tools/list request ([ParseMCP]). What a server says of its
// own tools is a claim, so a tool is a resource of high risk unless the caller
// trusts that server, and the diagnostics say so. [Merge] unites catalogs.
//
// A [Catalog] is immutable and safe for concurrent use. Iteration is in sorted
// order. Bad input of any kind gives diagnostics with a place and loses
// nothing that could be read; a catalog with errors must not be used.
//
// The package reads bytes it is given. It opens no file and contacts no
// server, whatever a schema refers to. No input makes it panic or run for more
// than a few seconds.
package catalog
