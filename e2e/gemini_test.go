//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/plangate/plangate/harness"
)

func TestGemini(t *testing.T) { drive(t, gemini{}) }

// gemini is the Gemini CLI, over generateContent.
type gemini struct{}

func (gemini) Name() string    { return "gemini" }
func (gemini) Package() string { return "@google/gemini-cli" }

func (gemini) settings(w *world) map[string]any {
	command := w.mcpCommand()
	return map[string]any{
		"security": map[string]any{
			"auth": map[string]any{"selectedType": "gemini-api-key"}, "folderTrust": map[string]any{"enabled": false},
		},
		"general":    map[string]any{"enableAutoUpdate": false},
		"telemetry":  map[string]any{"enabled": false},
		"privacy":    map[string]any{"usageStatisticsEnabled": false},
		"mcpServers": map[string]any{mcpServer: map[string]any{"command": command[0], "args": command[1:]}},
	}
}

func (g gemini) Configure(w *world) { w.putJSON(w.inHome(".gemini/settings.json"), g.settings(w)) }

// Managed switches hooks on for good, which does not keep a single one on.
func (gemini) Managed(*world) map[string]string {
	return map[string]string{"gemini-cli/settings.json": `{"hooksConfig": {"enabled": true}}`}
}

func (gemini) Holds(s harness.RepoSwitch) bool { return strings.Contains(s.Setting, "enabled") }

func (gemini) Command(w *world, prompt string) (args, env []string) {
	return []string{"gemini", "-p", prompt, "-m", "gemini-2.5-pro", "--approval-mode", "yolo"},
		[]string{"GEMINI_API_KEY=test-key", "GOOGLE_GEMINI_BASE_URL=" + w.model.URL, "SHLVL=1"} // as from a shell
}

func (gemini) Shell(command string) toolCall {
	return toolCall{Name: "run_shell_command", Args: map[string]any{"command": command, "description": "a step"}}
}

func (gemini) Write(path, text string) toolCall {
	return toolCall{Name: "write_file", Args: map[string]any{"file_path": path, "content": text}}
}

func (gemini) Edit(path, old, replacement string) toolCall {
	return toolCall{Name: "replace", Args: map[string]any{
		"file_path": path, "old_string": old, "new_string": replacement, "instruction": "replace it",
	}}
}

func (gemini) Read(path string) toolCall {
	return toolCall{Name: "read_file", Args: map[string]any{"file_path": path}}
}

func (gemini) MCP(tool string) toolCall {
	return toolCall{Name: "mcp_" + mcpServer + "_" + tool, Args: map[string]any{"what": "it"}}
}

func (gemini) Agent(prompt string) []turn {
	return []turn{{Calls: []toolCall{{Name: "invoke_agent", Args: map[string]any{"agent_name": "generalist", "prompt": prompt}}}}}
}

func (gemini) AgentEnd() turn {
	return turn{Calls: []toolCall{{Name: "complete_task", Args: map[string]any{"response": "done", "result": "done"}}}}
}

// TestGeminiUntrusted: with folder trust switched on by the administrator, a repository that
// nobody trusts cannot choose the variables of the hook, because nothing is started in it.
func TestGeminiUntrusted(t *testing.T) {
	cli := gemini{}
	if _, err := reach(t, cli, describe(t, cli.Name())); err != nil {
		t.Skip(err)
	}
	w := newWorld(t, cli, func(*world) script {
		return script{mainMarker: {{Calls: []toolCall{cli.Shell("touch side-effect")}}}}
	})
	cli.Configure(w)
	w.install()
	w.administer(t, map[string]string{"gemini-cli/settings.json": `{"security": {"folderTrust": {"enabled": true}}}`})
	end := w.run()
	if _, answered := w.model.result(place{marker: mainMarker}); answered || w.exists("side-effect") || end.err == nil {
		t.Errorf("it runs: %v: %s", end.err, tail(end.output))
	}
}
