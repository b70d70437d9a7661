package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2/hclparse"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
)

// policyText returns a file of n policies as an operator writes them: most name
// an operation of a provider, some are broad, some have a reason.
func policyText(n int) []byte {
	var text strings.Builder
	for i := range n {
		match := fmt.Sprintf("operation = \"operation_%d\", provider = \"provider_%d\"", i, i/20)
		switch i % 10 {
		case 0:
			match = fmt.Sprintf("provider = \"provider_%d\", kind = \"resource\", risk = \"moderate\"", i)
		case 1:
			match += ", risk = [\"high\", \"critical\"]"
		}
		fmt.Fprintf(&text, "# Ticket %d\npolicy \"policy_%d\" {\n  match  = { %s }\n  action = \"%s\"\n", i, i, match,
			[]string{"ask", "deny"}[i%2])
		if i%5 == 0 {
			fmt.Fprintf(&text, "  reason = \"Agreed with the owners of provider_%d.\"\n", i/20)
		}
		text.WriteString("}\n\n")
	}
	return []byte(text.String())
}

// BenchmarkCheck compares reading and compiling a file with parsing it with
// the bare HCL parser.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{1_000, 5_000, 100_000} {
		src := policyText(n)
		for _, form := range []struct {
			name string
			run  func(*testing.B, []byte)
		}{{"hclparse", parseOnly}, {"dsl", parse}, {"dsl+compile", parseAndCompile}} {
			b.Run(fmt.Sprintf("policies=%d/%s", n, form.name), func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				b.ReportAllocs()
				for b.Loop() {
					form.run(b, src)
				}
			})
		}
	}
}

func parseOnly(b *testing.B, src []byte) {
	if _, diags := hclparse.NewParser().ParseHCL(src, "agent.hcl"); diags.HasErrors() {
		b.Fatal(diags)
	}
}

func parse(b *testing.B, src []byte) {
	if _, diags := dsl.Parse("agent.hcl", src); diags.HasErrors() {
		b.Fatal(diags)
	}
}

func parseAndCompile(b *testing.B, src []byte) {
	if _, diags := compileText(src); diags.HasErrors() {
		b.Fatal(diags)
	}
}

func compileText(src []byte) (*eval.Table, plangate.Diagnostics) {
	file, diags := dsl.Parse("agent.hcl", src)
	return compile.Compile(compile.Input{
		Layers:   []compile.LayerFile{{Layer: plangate.LayerProject, File: file, Trusted: true}},
		Now:      time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
		Findings: diags,
	})
}
