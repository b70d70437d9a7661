package bench

import (
	"fmt"
	"testing"

	"github.com/plangate/plangate/eval"
)

// BenchmarkLoad reads a table from its encoding, as a program does that finds
// it in the cache or ships it, beside making it from text.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{20, 1_000, 10_000} {
		src := policyText(n)
		table, diags := compileText(src)
		if diags.HasErrors() {
			b.Fatal(diags)
		}
		encoded := table.Encode()
		b.Run(fmt.Sprintf("policies=%d/encoding", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(encoded)))
			for b.Loop() {
				if _, err := eval.Load(encoded, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("policies=%d/text", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				parseAndCompile(b, src)
			}
		})
	}
}
