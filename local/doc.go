// Package local puts a gate together for one machine: policy from its layers on disk,
// followed as they change; a store in SQLite or PostgreSQL; an audit log; the decision
// hook that the policy names; write-back for answers that are for always.
//
//	l, err := local.Open(ctx, local.Options{Load: options})
//	defer l.Close()
//	session, err := l.Gate.Open(ctx, "session-1")
//
// It is what policyctl uses, and the short way for a kernel in Go. A kernel that wants
// other parts calls gate.New itself.
//
// Everything lies in one directory of the user unless told otherwise: the store, the
// audit log, the journal of write-back, beside the trust file. The built-in guards of the
// policy keep agents from writing there, and from files named in Options too.
//
// A Local is safe for concurrent use. Errors are those of the packages it joins.
package local
