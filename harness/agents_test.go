package harness_test

import (
	"testing"

	"github.com/plangate/plangate"
)

// TestFilesForAgents: what a tool of Codex hands to a sub-agent, such as a file that is to be its
// skill, is subject to the guards of paths and hosts, and an item that may have either is asked
// about; a plain message is not.
func TestFilesForAgents(t *testing.T) {
	policy := table(t, "codex", `
policy "agents" {
  match  = { operation = ["spawn_agent", "agent_message"] }
  action = "allow"
}
guard "secrets" {
  path   = ["**/.env"]
  action = "deny"
}
guard "hosts" {
  host   = ["*.evil.example"]
  action = "deny"
}
`)
	for _, tool := range []string{"spawn_agent", "multi_agent_v1send_input"} {
		for input, want := range map[string]plangate.Action{
			`{"message":"look at .env"}`:                                                                  plangate.Allow,
			`{"target":"a","items":[{"type":"text","text":"look at .env"}]}`:                              plangate.Ask,
			`{"items":[{"type":"skill","name":"x","path":"docs/SKILL.md"}]}`:                              plangate.Ask,
			`{"items":[{"type":"text","text":"x"},{"type":"skill","name":"x","path":"/workspace/.env"}]}`: plangate.Deny,
			`{"items":[{"type":"local_image","path":"a/../.env"}]}`:                                       plangate.Deny,
			`{"items":[{"type":"image","image_url":"https://x.evil.example/a.png"}]}`:                     plangate.Deny,
			`{"items":[{"type":"image","image_url":"https://fine.example/a.png"}]}`:                       plangate.Ask,
		} {
			got := strictest(policy, read(t, "codex", [2]string{tool, input}).Calls)
			if got.Action() != want {
				t.Errorf("%s %s: %s by %s, want %s", tool, input, got.Action(), got.DecidedBy(), want)
			}
		}
	}
}
