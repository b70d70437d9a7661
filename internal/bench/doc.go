// Package bench holds the benchmarks that compare Plangate with something
// plain in the same run: a Go map probe, a linear scan over rules, the bare HCL
// parser, a program that only says hello.
//
//	go test -run '^$' -bench . ./internal/bench
//
// A figure means something on a quiet machine only; compare ratios within one
// run, not figures of two runs.
package bench
