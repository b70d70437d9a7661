package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
)

// realistic writes n policies as an operator would.
func realistic(n int) []byte {
	var b strings.Builder
	actions := []string{"allow", "ask", "deny"}
	for i := range n {
		fmt.Fprintf(&b, `# Ticket %d
policy "policy_%d" {
  match  = { operation = "operation_%d", provider = "provider_%d", kind = "resource" }
  action = "%s"
  reason = "Because of ticket %d."
}

`, i, i, i, i%100, actions[i%3], i)
	}
	return []byte(b.String())
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{1000, 5000, 100000} {
		text := realistic(n)
		b.Run(fmt.Sprintf("hcl/%d", n), func(b *testing.B) {
			for b.Loop() {
				hclsyntax.ParseConfig(text, "agent.hcl", hcl.InitialPos)
			}
		})
		b.Run(fmt.Sprintf("dsl/%d", n), func(b *testing.B) {
			for b.Loop() {
				dsl.Parse("agent.hcl", text)
			}
		})
		b.Run(fmt.Sprintf("check/%d", n), func(b *testing.B) {
			for b.Loop() {
				file, diags := dsl.Parse("agent.hcl", text)
				Compile(Input{Layers: []LayerFile{{plangate.LayerProject, file, true}}, Findings: diags})
			}
		})
	}
}
