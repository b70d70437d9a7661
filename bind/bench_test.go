package bind_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/command"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
)

// tenWords is the command of the benchmarks.
const tenWords = "git log --oneline --graph -n 20 main..feature -- src docs README.md"

func bashCall(script string) plangate.Call {
	input, err := json.Marshal(map[string]string{"command": script})
	if err != nil {
		panic(err)
	}
	return plangate.Call{
		Provider: "shell", Operation: "bash", Input: input,
		Cwd: nowhere.workspace, Workspace: nowhere.workspace, Home: nowhere.home,
	}
}

func benchTable(b *testing.B, policy string, protect compile.Protection) *eval.Table {
	b.Helper()
	known, diags := catalog.Parse("catalog.hcl", []byte(operations))
	file, more := dsl.Parse("agent.hcl", []byte(policy))
	table, findings := compile.Compile(compile.Input{
		Layers:  []compile.LayerFile{{Layer: plangate.LayerProject, File: file, Trusted: true}},
		Catalog: known, Protect: protect, Findings: append(diags, more...),
	})
	if err := findings.Err(); err != nil {
		b.Fatal(err)
	}
	return table
}

func decideLoop(b *testing.B, table *eval.Table, call plangate.Call) {
	b.ReportAllocs()
	b.SetBytes(int64(len(call.Input)))
	for b.Loop() {
		table.Decide(call)
	}
}

// BenchmarkDecide decides a call with a command, from its JSON input on. The
// baseline is what other gates do: a prefix of the text.
func BenchmarkDecide(b *testing.B) {
	const policy = `policy "look" {
  match   = { operation = "bash" }
  command = ["git status", "git diff", "git log"]
  action  = "allow"
}
policy "push" {
  match   = { operation = "bash" }
  command = ["git push"]
  action  = "deny"
}
`
	call := bashCall(tenWords)
	b.Run("prefix of the text", func(b *testing.B) {
		prefixes := []string{"git status", "git diff", "git push", "git log"}
		for b.Loop() {
			var input struct{ Command string }
			if json.Unmarshal(call.Input, &input) != nil {
				b.Fatal("no input")
			}
			for _, prefix := range prefixes {
				if strings.HasPrefix(input.Command, prefix) {
					break
				}
			}
		}
	})
	b.Run("parse only", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			command.Parse(tenWords, command.Bash)
		}
	})
	b.Run("commands", func(b *testing.B) { decideLoop(b, benchTable(b, policy, compile.Protection{}), call) })
	b.Run("commands and built-in guards", func(b *testing.B) {
		decideLoop(b, benchTable(b, policy, compile.Protection{On: true}), call)
	})
	b.Run("example policy", func(b *testing.B) {
		text, err := os.ReadFile("../examples/agent.hcl")
		if err != nil {
			b.Fatal(err)
		}
		decideLoop(b, benchTable(b, string(text), compile.Protection{On: true}), call)
	})
}

// BenchmarkInput decides calls that an unconditional policy allows: what it
// costs that built-in guards read the input.
func BenchmarkInput(b *testing.B) {
	const policy = `policy "all" {
  match  = { operation = ["write", "bash"] }
  action = "allow"
}
`
	write := plangate.Call{
		Provider: "filesystem", Operation: "write", Kind: plangate.Resource, Risk: plangate.Moderate,
		Input: json.RawMessage(`{"path":"src/main.go","content":"package main"}`),
		Cwd:   nowhere.workspace, Workspace: nowhere.workspace, Home: nowhere.home,
	}
	bare := write
	bare.Input = nil
	for name, protect := range map[string]compile.Protection{"without guards": {}, "with built-in guards": {On: true}} {
		table := benchTable(b, policy, protect)
		b.Run(name+"/no input", func(b *testing.B) { decideLoop(b, table, bare) })
		b.Run(name+"/write", func(b *testing.B) { decideLoop(b, table, write) })
		b.Run(name+"/bash", func(b *testing.B) { decideLoop(b, table, bashCall(tenWords)) })
	}
}

// BenchmarkAdversarial decides texts that are made to be slow.
func BenchmarkAdversarial(b *testing.B) {
	table := benchTable(b, `guard "rm" {
  command = ["rm -rf"]
  path    = ["**/.env"]
  action  = "deny"
}
policy "all" {
  match  = { operation = "bash" }
  action = "allow"
}
`, compile.Protection{On: true})
	for name, script := range map[string]string{
		"1 MB of words":               "echo " + strings.Repeat("word ", 200_000),
		"64 KB of words":              "echo " + strings.Repeat("word ", 13_000),
		"64 KB of unknown words":      "x " + strings.Repeat("$a ", 21_000),
		"64 KB of paths":              "x " + strings.Repeat("a/b ", 16_000),
		"10,000 nested substitutions": "echo " + strings.Repeat("$(", 10_000) + strings.Repeat(")", 10_000),
		"1,000 commands":              strings.Repeat("rm -r a;", 999),
	} {
		b.Run(name, func(b *testing.B) { decideLoop(b, table, bashCall(script)) })
	}
}
