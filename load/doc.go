// Package load brings policy from disk to a table: it parses and compiles what
// package layers finds, and keeps the result in the cache.
//
// [Open] reads everything and returns the table with all diagnostics and the
// texts they point into; it is what check and explain use. [Table] returns the
// table only, from the cache if it can; it is what decide and hook use. Both
// answer the same for the same files, and a file that does not load gives a
// table that denies every call (spec LAY-3). Tables with a diagnostic of severity
// error are never cached.
//
// All functions are safe for concurrent use, also by several processes.
package load
