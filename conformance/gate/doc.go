// Package gate holds the test vectors of the gate (spec/gate.md) and runs them against
// anything that speaks its protocol (spec/serve.md): this module as a library, the
// server in a process, or another implementation.
//
//	vectors, err := gate.Vectors()
//	failures := gate.Run(ctx, world, vectors[0])
//
// A vector is a list of steps, each a request with the part of its answer that is
// pinned. Vectors name codes, states and values, never prose; README.md describes
// their form. A [World] is a store with a policy in which kernels can be started.
//
// The package keeps no state, opens no file and starts no process. Run must not be
// called twice at once on one World.
package gate
