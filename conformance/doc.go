// Package conformance holds the test vectors of the specification and runs them
// against any implementation.
//
// A vector is a folder with policy files and a case.json (README.md describes
// both). [Vectors] returns those that are built into the program, [Load] reads
// others. [Run] puts them to an [Implementation]: [Library] is this module,
// [Process] is any program that speaks the protocol of [Serve], one JSON object
// a line.
//
//	vectors, err := conformance.Vectors()
//	report, err := conformance.Run(ctx, conformance.Library{}, vectors)
//
// Vectors name codes, ranges and values, never prose, so an implementation may
// word its messages as it likes.
//
// The package keeps no state. A [Process] must not be used by two goroutines at
// once; everything else may be.
package conformance
