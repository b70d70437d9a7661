package compile_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
)

// layered compiles a user's file and a project's.
func layered(t *testing.T, user, project string, projectTrusted bool) *eval.Table {
	t.Helper()
	var in compile.Input
	for i, text := range []string{user, project} {
		file, findings := dsl.Parse([]string{"user.hcl", "agent.hcl"}[i], []byte(text))
		in.Findings = append(in.Findings, findings...)
		in.Layers = append(in.Layers, compile.LayerFile{
			Layer: []plangate.Layer{plangate.LayerUser, plangate.LayerProject}[i], File: file, Trusted: i == 0 || projectTrusted,
		})
	}
	table, findings := compile.Compile(in)
	if findings.HasErrors() {
		t.Fatal(findings)
	}
	return table
}

func TestSettings(t *testing.T) {
	const user = `
decision_hook {
  command = ["ask-me", "-v"]
  timeout = "3s"
  on_error = "ask"
}
approvals {
  expires_in = "2h"
  hold = "batch"
  session_scope = "operation"
  audit = "best_effort"
}
`
	const project = `
approvals {
  on_expire = "cancel_turn"
}
circuit_breaker {
  consecutive = 5
  window = 0
}
decision_hook {
  url = "https://example.com/ask"
}
`
	own := eval.Approvals{
		ExpiresIn: 2 * time.Hour, OnExpire: eval.ExpireDeny, Hold: eval.HoldBatch,
		SessionScope: eval.ScopeOperation, Audit: eval.AuditBestEffort,
	}
	nearer := eval.Approvals{
		ExpiresIn: time.Hour, OnExpire: eval.ExpireCancelTurn, Hold: eval.HoldItem,
		SessionScope: eval.ScopeCommand, Audit: eval.AuditRequired,
	}
	command := &eval.HookSettings{
		Command: []string{"ask-me", "-v"}, Timeout: 3 * time.Second, OnError: plangate.Ask, File: "user.hcl", Line: 2,
	}
	url := &eval.HookSettings{URL: "https://example.com/ask", Timeout: 10 * time.Second, File: "agent.hcl", Line: 9}
	tests := []struct {
		name          string
		user, project string
		trusted       bool
		want          eval.Settings
	}{
		{"LNG-34 defaults", "", "", true, eval.DefaultSettings()},
		{"LNG-34 all values", user, "", true,
			eval.Settings{Approvals: own, Breaker: eval.DefaultSettings().Breaker, Hook: command}},
		{"LNG-34 the innermost block as a whole", user, project, true,
			eval.Settings{Approvals: nearer, Breaker: eval.BreakerSettings{Consecutive: 5, Denials: 8}, Hook: url}},
		{"LNG-34 an untrusted file says nothing", user, project, false,
			eval.Settings{Approvals: own, Breaker: eval.DefaultSettings().Breaker, Hook: command}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table := layered(t, tt.user, tt.project, tt.trusted)
			if diff := cmp.Diff(tt.want, table.Settings()); diff != "" {
				t.Error(diff)
			}
			again, err := eval.Load(table.Encode(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, again.Settings()); diff != "" {
				t.Error("after encoding:", diff)
			}
		})
	}
}
