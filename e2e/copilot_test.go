//go:build unix

package e2e

import (
	"testing"

	"github.com/plangate/plangate/harness"
)

func TestCopilot(t *testing.T) { drive(t, copilot{}) }

// copilot is the GitHub Copilot CLI, over Chat Completions, as it documents for those
// who bring their own provider.
type copilot struct{}

func (copilot) Name() string    { return "copilot" }
func (copilot) Package() string { return "@github/copilot" }

func (copilot) Configure(w *world) {
	command := w.mcpCommand()
	w.putJSON(w.inHome(".copilot/mcp-config.json"), map[string]any{"mcpServers": map[string]any{
		mcpServer: map[string]any{"type": "local", "command": command[0], "args": command[1:], "tools": []string{"*"}},
	}})
}

// Managed is a policy hook of the machine.
func (copilot) Managed(w *world) map[string]string {
	return map[string]string{"github-copilot/policy.d/plangate.json": w.fresh("copilot")}
}

func (copilot) Holds(harness.RepoSwitch) bool { return true }

func (copilot) Command(w *world, prompt string) (args, env []string) {
	return []string{"copilot", "-p", prompt, "--no-auto-update", "--allow-all-tools", "--trust-folder"}, []string{
		"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + w.model.URL + "/v1", "COPILOT_PROVIDER_API_KEY=test-key",
		"COPILOT_MODEL=" + modelName,
	}
}

func (copilot) Shell(command string) toolCall {
	return toolCall{Name: "bash", Args: map[string]any{"command": command, "description": "a step"}}
}

func (copilot) Write(path, text string) toolCall {
	return toolCall{Name: "create", Args: map[string]any{"path": path, "file_text": text}}
}

func (copilot) Edit(path, old, replacement string) toolCall {
	return toolCall{Name: "edit", Args: map[string]any{"path": path, "old_str": old, "new_str": replacement}}
}

func (copilot) Read(path string) toolCall {
	return toolCall{Name: "view", Args: map[string]any{"path": path}}
}

func (copilot) MCP(tool string) toolCall {
	return toolCall{Name: mcpServer + "-" + tool, Args: map[string]any{"what": "it"}}
}

func (copilot) Agent(prompt string) []turn {
	return []turn{{Calls: []toolCall{{Name: "task", Args: map[string]any{
		"name": "sub", "description": "sub", "prompt": prompt, "agent_type": "general-purpose", "mode": "sync",
	}}}}}
}

func (copilot) AgentEnd() turn { return turn{Text: "done"} }

// Installed is what the second event, permissionRequest, adds: it takes what it cannot
// read for a deny. Tools that only look have no such event.
func (copilot) Installed(failure harness.Failure) (harness.Effect, bool) {
	switch failure {
	case harness.FailBadJSON, harness.FailTwoTexts:
		return harness.Blocks, true
	default:
		return "", false
	}
}
