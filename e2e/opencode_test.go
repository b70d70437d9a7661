//go:build unix

package e2e

import "testing"

func TestOpencode(t *testing.T) { drive(t, opencode{}) }

// opencode is OpenCode, over Chat Completions.
type opencode struct{}

func (opencode) Name() string    { return "opencode" }
func (opencode) Package() string { return "opencode-ai" }

func (opencode) Configure(w *world) {
	w.putJSON(w.in("opencode.json"), map[string]any{
		"model": "fake/" + modelName, "small_model": "fake/" + modelName, "autoupdate": false, "share": "disabled",
		"provider": map[string]any{"fake": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "fake",
			"options": map[string]any{"baseURL": w.model.URL + "/v1", "apiKey": "test-key"},
			"models": map[string]any{modelName: map[string]any{
				"name": "fake", "tool_call": true, "limit": map[string]any{"context": 100000, "output": 4000},
			}},
		}},
		"mcp": map[string]any{mcpServer: map[string]any{"type": "local", "command": w.mcpCommand(), "enabled": true}},
	})
	// At its start it installs a package of its own for plugins. The fake model says at
	// once that it has none, instead of a minute of silence; plugins load all the same.
	for _, path := range []string{
		w.inHome(".npmrc"), w.inHome(".config/opencode/.npmrc"), w.in(".npmrc"), w.in(".opencode/.npmrc"),
	} {
		w.put(path, "registry="+w.model.URL+"/npm/\nfetch-retries=0\n")
	}
}

func (opencode) Command(w *world, prompt string) (args, env []string) {
	return []string{"opencode", "run", prompt}, []string{
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
	}
}

func (opencode) Shell(command string) toolCall {
	return toolCall{Name: "bash", Args: map[string]any{"command": command, "description": "a step"}}
}

func (opencode) Write(path, text string) toolCall {
	return toolCall{Name: "write", Args: map[string]any{"filePath": path, "content": text}}
}

func (opencode) Edit(path, old, replacement string) toolCall {
	return toolCall{Name: "edit", Args: map[string]any{"filePath": path, "oldString": old, "newString": replacement}}
}

func (opencode) Read(path string) toolCall {
	return toolCall{Name: "read", Args: map[string]any{"filePath": path}}
}

func (opencode) MCP(tool string) toolCall {
	return toolCall{Name: mcpServer + "_" + tool, Args: map[string]any{"what": "it"}}
}

func (opencode) Agent(prompt string) []turn {
	return []turn{{Calls: []toolCall{{Name: "task", Args: map[string]any{
		"description": "sub", "prompt": prompt, "subagent_type": "general",
	}}}}}
}

func (opencode) AgentEnd() turn { return turn{Text: "done"} }
