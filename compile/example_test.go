package compile_test

import (
	"fmt"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/compile"
)

func ExampleFile() {
	table, diags := compile.File("../examples/agent.hcl")
	if diags.HasErrors() {
		fmt.Println(diags)
	}
	for _, call := range []plangate.Call{
		{Kind: plangate.DataSource, Provider: "filesystem", Operation: "read_file"},
		{Kind: plangate.Resource, Risk: plangate.Moderate, Provider: "filesystem", Operation: "write_file"},
		{Kind: plangate.Resource, Risk: plangate.Critical, Provider: "agents", Operation: "spawn_subagent"},
	} {
		decision := table.Decide(call)
		fmt.Println(call.Operation, decision.Action(), decision.DecidedBy())
	}
	// Output:
	// read_file allow policy:auto_approve_reads
	// write_file ask policy:gate_filesystem_writes
	// spawn_subagent deny guard:nothing_critical
}
