package compile

import (
	"testing"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
)

// TestBadValues: the layer of checkMarked is not trusted, so this is also the
// test that such layers are checked.
func TestBadValues(t *testing.T) {
	for name, marked := range map[string]string{
		"command": `policy "p" {
  match   = { operation = "bash" }
  command = ["git status", «bad_command_pattern|"ls | wc"», "=make", «bad_command_pattern|"echo $x"», «bad_command_pattern|"="»]
  action  = "allow"
}
`,
		"path": `guard "g" {
  path   = ["**/.env", «bad_path_pattern|"../x"», "~/.ssh/**", «bad_path_pattern|"~root/x"»]
  action = "deny"
}
`,
		"host": `guard "g" {
  host   = ["*.example.com", «bad_host_pattern|"https://example.com"», "10.0.0.0/8", «bad_host_pattern|"a.*.com"»]
  action = "ask"
}
`,
		"one value": `guard "g" {
  command = «bad_command_pattern|"a; b"»
  path    = «bad_path_pattern|"a/../b"»
  host    = «bad_host_pattern|"a b"»
  action  = "ask"
}
`,
		"other conditions": `policy "p" {
  match  = { operation = "bash" }
  grant  = ["git-commit"]
  when   = input.x == "a"
  action = "allow"
}
`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, d := range checkMarked(t, nil, marked, (*compiler).checkConditions) {
				if d.Severity != plangate.SeverityError || d.Context == nil {
					t.Errorf("%+v", d)
				}
			}
		})
	}
}

func TestBadValueDeniesAll(t *testing.T) {
	file, _ := dsl.Parse("agent.hcl", []byte("guard \"g\" {\n  command = \"a; b\"\n  action = \"ask\"\n}\n"))
	table, findings := Compile(Input{Layers: []LayerFile{{Layer: plangate.LayerProject, File: file}}})
	if !findings.HasErrors() {
		t.Fatal("no error")
	}
	if d := table.Decide(plangate.Call{Kind: plangate.DataSource, Operation: "x"}); d.Action() != plangate.Deny {
		t.Errorf("action %s", d.Action())
	}
}
