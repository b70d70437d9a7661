//go:build unix

package e2e

import "testing"

// prompting is Claude Code without a hook, whose permission prompts `policyctl mcp` answers.
type prompting struct{ claude }

func (p prompting) Configure(w *world) {
	command := w.mcpCommand()
	w.putJSON(w.dir+"/mcp.json", map[string]any{"mcpServers": map[string]any{
		mcpServer:  map[string]any{"command": command[0], "args": command[1:]},
		"plangate": map[string]any{"command": w.program, "args": []string{"mcp"}},
	}})
}

func (p prompting) Command(w *world, prompt string) (args, env []string) {
	_, env = p.claude.Command(w, prompt)
	return []string{
		"claude", "-p", prompt, "--mcp-config", w.dir + "/mcp.json", "--strict-mcp-config",
		"--permission-mode", "default", "--permission-prompt-tool", "mcp__plangate__permission_prompt",
	}, env
}

// TestClaudePrompt (MCS-2): what Claude Code would ask a human, the policy decides. What it
// does not ask about, such as reading, never gets there.
func TestClaudePrompt(t *testing.T) {
	needCLIs(t)
	if _, err := reach(t, claude{}, describe(t, "claude")); err != nil {
		t.Skip(err)
	}
	cli := prompting{}
	checks := func(w *world) []check {
		return []check{
			{name: "shell denied", call: cli.Shell("mkdir denied-prompt"), reason: "e2e-no-directories", left: "denied-prompt"},
			{name: "shell allowed", call: cli.Shell("touch allowed-prompt"), left: "allowed-prompt"},
			{name: "compound denied", call: cli.Shell("touch first-prompt && mkdir denied-prompt"), reason: "e2e-no-directories", left: "first-prompt"},
			{name: "asked", call: cli.Shell("ln -s a link-prompt"), reason: "Pending approval", left: "link-prompt"},
			{name: "write allowed", call: cli.Write(w.in("prompt.txt"), "x\n"), left: "prompt.txt"},
			{name: "write denied", call: cli.Write(w.in("locked-prompt.txt"), "x\n"), reason: "e2e-locked-file", left: "locked-prompt.txt"},
			{name: "mcp denied", call: cli.MCP("wipe"), reason: "e2e-no-wipe", left: "mcp-wipe"},
			{name: "mcp allowed", call: cli.MCP("put"), left: "mcp-put"},
		}
	}
	var turns []turn
	w := newWorld(t, cli, func(w *world) script {
		for _, c := range checks(w) {
			turns = append(turns, turn{Calls: []toolCall{c.call}})
		}
		return script{mainMarker: turns}
	})
	cli.Configure(w)
	w.run()
	for i, c := range checks(w) {
		t.Run(c.name, func(t *testing.T) { w.verify(t, c, place{marker: mainMarker, turn: i}) })
	}
}
