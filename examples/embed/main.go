// Command embed is the least that an agent harness needs: compile the policy
// once, decide every call before it runs.
package main

import (
	"fmt"
	"log"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/compile"
)

func main() {
	table, diags := compile.File("examples/agent.hcl")
	if diags.HasErrors() {
		log.Print(diags) // table now denies every call
	}
	decision := table.Decide(plangate.Call{
		ID:        "42",
		Kind:      plangate.Resource,
		Risk:      plangate.Moderate,
		Provider:  "filesystem",
		Operation: "write_file",
	})
	switch decision.Action() {
	case plangate.Allow:
		fmt.Println("run it")
	case plangate.Ask:
		fmt.Println("ask a human:", decision.DecidedBy())
	default:
		fmt.Println("tell the model:", decision.Reason())
	}
}
