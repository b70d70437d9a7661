//go:build unix

package e2e

import (
	"testing"

	"github.com/plangate/plangate/harness"
)

func TestClaude(t *testing.T) {
	drive(t, claude{})
	t.Run("slash command denied", slashCommand)
}

// slashCommand proves that the event PreSkillShellCommand sees the shell lines of a
// repository's slash command, which PreToolUse does not.
func slashCommand(t *testing.T) {
	for _, c := range []struct {
		command string
		left    string
		want    bool
	}{
		{"mkdir denied-slash", "denied-slash", false},
		{"touch allowed-slash", "allowed-slash", true},
	} {
		w := newWorld(t, claude{}, func(*world) script { return script{mainMarker: {{Text: "done"}}} })
		w.put(w.in(".claude/commands/probe.md"), mainMarker+" !`"+c.command+"`\n")
		claude{}.Configure(w)
		w.install()
		w.say("/probe")
		if w.exists(c.left) != c.want {
			t.Errorf("%s exists: %t, want %t", c.left, !c.want, c.want)
		}
	}
}

// claude is Claude Code, over the Messages API.
type claude struct{}

func (claude) Name() string    { return "claude" }
func (claude) Package() string { return "@anthropic-ai/claude-code" }

func (claude) Configure(w *world) {
	command := w.mcpCommand()
	w.putJSON(w.dir+"/mcp.json", map[string]any{"mcpServers": map[string]any{
		mcpServer: map[string]any{"command": command[0], "args": command[1:]},
	}})
}

// Managed puts the hook into the managed settings.
func (claude) Managed(w *world) map[string]string {
	return map[string]string{"claude-code/managed-settings.json": w.fresh("claude")}
}

func (claude) Holds(harness.RepoSwitch) bool { return true }

func (claude) Command(w *world, prompt string) (args, env []string) {
	return []string{
			"claude", "-p", prompt, "--mcp-config", w.dir + "/mcp.json", "--strict-mcp-config",
			"--permission-mode", "bypassPermissions",
		}, []string{
			"ANTHROPIC_BASE_URL=" + w.model.URL, "ANTHROPIC_API_KEY=test-key", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			"DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1",
		}
}

func (claude) Shell(command string) toolCall {
	return toolCall{Name: "Bash", Args: map[string]any{"command": command, "description": "a step"}}
}

func (claude) Write(path, text string) toolCall {
	return toolCall{Name: "Write", Args: map[string]any{"file_path": path, "content": text}}
}

func (claude) Edit(path, old, replacement string) toolCall {
	return toolCall{Name: "Edit", Args: map[string]any{"file_path": path, "old_string": old, "new_string": replacement}}
}

func (claude) Read(path string) toolCall {
	return toolCall{Name: "Read", Args: map[string]any{"file_path": path}}
}

func (claude) MCP(tool string) toolCall {
	return toolCall{Name: "mcp__" + mcpServer + "__" + tool, Args: map[string]any{"what": "it"}}
}

func (claude) Agent(prompt string) []turn {
	return []turn{{Calls: []toolCall{{Name: "Agent", Args: map[string]any{
		"description": "sub", "prompt": prompt, "subagent_type": "general-purpose",
	}}}}}
}

func (claude) AgentEnd() turn { return turn{Text: "done"} }

// Installed is what onFailure = "block" makes of a failure. What does not begin like an
// object it takes for plain text, which is no failure.
func (claude) Installed(failure harness.Failure) (harness.Effect, bool) {
	switch failure {
	case harness.FailMissing, harness.FailCrash, harness.FailExit1, harness.FailTimeout, harness.FailBadWord:
		return harness.Blocks, true
	default:
		return "", false
	}
}
