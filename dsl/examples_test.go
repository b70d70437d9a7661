package dsl

import (
	"strings"
	"testing"
)

// TestExamples parses the examples of the design and of the specification.
func TestExamples(t *testing.T) {
	tests := []struct{ name, marked string }{
		{"design", `policy "auto_approve_reads" {
  match  = { kind = "data_source" }
  action = "allow"
}

policy "gate_filesystem_writes" {
  match  = { provider = "filesystem", kind = "resource" }
  action = "ask"
}

policy "read_only_git" {
  match   = { operation = "bash" }
  command = ["git status", "git diff", "git log"]
  action  = "allow"
}

guard "secrets" {
  path   = ["**/.env", "**/*.pem", "~/.ssh/**"]
  action = "deny"
  reason = "Secrets stay out of the model's context."
}

defaults {
  resource    = "ask"     # these three are the built-in values
  data_source = "allow"
  interactive = "allow"
}
`},
		{"headless guard on one line", `guard "headless" { match = { kind = "interactive" } «single_line_block|action» = "deny" }` + "\n"},
		{"headless guard", "guard \"headless\" {\n  match  = { kind = \"interactive\" }\n  action = \"deny\"\n}\n"},
		{"other blocks", `decision_hook {
  url        = "https://policy.example.com/decide"
  timeout    = "10s"
  on_error   = "deny"
  on_timeout = "deny"
}

approvals {
  expires_in = "1h"
  on_expire  = "cancel_turn"
}

circuit_breaker {
  consecutive = 3
  window      = 20
  denials     = 8
}

agent_profile "worker" {
  headless      = true
  allowed_tools = ["Read", "Edit"]
  deny_tools    = ["WebFetch"]
  grants        = ["git-commit"]
}
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkMarked(t, "agent.hcl", tt.marked) })
	}
}

// TestHostile: package hclsource refuses what would hurt, before HCL sees it;
// here the whole way is walked, in the places where values stand.
func TestHostile(t *testing.T) {
	const n = 100_000
	times := strings.Repeat
	values := map[string]string{
		"parentheses": times("(", n), "brackets": times("[", n), "objects": times("{ a = ", n),
		"bangs": times("!", n) + "x", "minus": times("-", n) + "1", "templates": times(`"${`, n),
		"conditionals": times("a ? b : ", n) + "c", "splats": "x" + times("[*]", n), "sums": "1" + times("+ 1", n),
		"long string": `"` + times("x", n) + `"`, "long list": "[" + times(`"x",`, n/10) + "]",
		"signs": `"` + times("$", n) + `"`, "escapes": `"` + times(`\u0041`, n/10) + `"`,
		"here-document": "<<E\n" + times("x\n", n) + "E", "unclosed": `"` + times("x", n),
	}
	for name, value := range values {
		t.Run(name, func(t *testing.T) {
			for _, attribute := range []string{"match", "action", "command", "when", "reason"} {
				src := []byte(inPolicy(attribute + " = " + value))
				Parse("agent.hcl", src)
				if out, diags := Format("agent.hcl", src); diags != nil && string(out) != string(src) {
					t.Error("refused, but changed")
				}
			}
		})
	}
	for name, src := range map[string]string{
		"blocks": times("policy \"a\" {\n", n), "closing": times("}", n), "labels": "policy " + times(`"a" `, n) + "{\n}\n",
		"JSON objects": times(`{"policy":`, n), "JSON arrays": `{"policy":` + times("[", n),
		"JSON when": `{"policy":{"a":{"when":"${` + times("!", n) + `x}"}}}`, "JSON labels": `{"policy":{` + times(`"a":{},`, n) + `"b":{}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			Parse("agent.hcl", []byte(src))
			Parse("agent.hcl.json", []byte(src))
		})
	}
}
