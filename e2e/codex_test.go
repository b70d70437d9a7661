//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plangate/plangate/harness"
)

func TestCodex(t *testing.T) { drive(t, codex{}) }

// codex is the OpenAI Codex CLI, over the Responses API. It has no tool to read a file;
// its models use cat.
type codex struct{}

func (codex) Name() string    { return "codex" }
func (codex) Package() string { return "@openai/codex" }

func (codex) Configure(w *world) {
	command := w.mcpCommand()
	w.put(w.inHome(".codex/config.toml"), fmt.Sprintf(`
model = "gpt-5.5"
model_provider = "fake"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "%s/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[features]
enable_request_compression = false
plugins = false
apps = false

[mcp_servers.%s]
command = %q
args = [%q, %q]

[projects.%q]
trust_level = "trusted"
`, w.model.URL, mcpServer, command[0], command[1], command[2], w.workspace))
}

// Managed pins the feature.
func (codex) Managed(*world) map[string]string {
	return map[string]string{"codex/requirements.toml": "[features]\nhooks = true\n"}
}

func (codex) Holds(harness.RepoSwitch) bool { return true }

func (codex) Command(_ *world, prompt string) (args, env []string) {
	return []string{"codex", "exec", "-s", "danger-full-access", prompt}, []string{"FAKE_KEY=test-key"}
}

func (codex) Shell(command string) toolCall {
	return toolCall{Name: "exec_command", Args: map[string]any{"cmd": command}}
}

func (codex) patch(body string) toolCall {
	return toolCall{Name: "apply_patch", Args: "*** Begin Patch\n" + body + "\n*** End Patch\n"}
}

func (c codex) Write(path, text string) toolCall {
	return c.patch("*** Add File: " + relative(path) + "\n+" + strings.TrimSuffix(text, "\n"))
}

func (c codex) Edit(path, old, replacement string) toolCall {
	return c.patch("*** Update File: " + relative(path) + "\n@@\n-" + old + "\n+" + replacement)
}

func (c codex) Read(path string) toolCall { return c.Shell("cat " + path) }

func (codex) MCP(tool string) toolCall {
	return toolCall{Name: tool, Namespace: "mcp__" + mcpServer, Args: map[string]any{"what": "it"}}
}

// agentSpace is the namespace of the tools for sub-agents.
const agentSpace = "multi_agent_v1"

func (codex) Agent(prompt string) []turn {
	return []turn{
		{Calls: []toolCall{{Name: "spawn_agent", Namespace: agentSpace, Args: map[string]any{"message": prompt}}}},
		{Calls: []toolCall{{Name: "wait_agent", Namespace: agentSpace, Args: map[string]any{
			"targets": []any{fromResult{agentID}}, "timeout_ms": 20000,
		}}}},
	}
}

func (codex) AgentEnd() turn { return turn{Text: "done"} }
