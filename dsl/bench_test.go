package dsl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclparse"
)

// realistic writes n policies as an operator would, one in ten with a condition.
func realistic(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "# Tool %d of the build server.\npolicy \"tool_%d\" {\n", i, i)
		fmt.Fprintf(&b, "  match  = { operation = \"tool_%d\", provider = \"server_%d\", kind = \"resource\" }\n  action = \"ask\"\n", i, i%50)
		if i%10 == 0 {
			b.WriteString("  path   = [\"src/**\", \"docs/**\"]\n  reason = \"Writes outside of the sources need a look.\"\n")
		}
		b.WriteString("}\n\n")
	}
	return []byte(b.String())
}

// BenchmarkParse stands beside the parser of HCL alone. Package compile and
// policyctl check have to stay within 1.3 times of the latter together.
func BenchmarkParse(b *testing.B) {
	for _, n := range []int{50, 5_000, 50_000} {
		src := realistic(n)
		b.Run(fmt.Sprintf("%d/dsl", n), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, diags := Parse("agent.hcl", src); diags != nil {
					b.Fatal(diags)
				}
			}
		})
		b.Run(fmt.Sprintf("%d/hclparse", n), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, diags := hclparse.NewParser().ParseHCL(src, "agent.hcl"); diags != nil {
					b.Fatal(diags)
				}
			}
		})
	}
}
