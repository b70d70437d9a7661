//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// prompting is Claude Code without a hook, whose permission prompts `policyctl mcp` answers.
type prompting struct{ claude }

func (p prompting) Configure(w *world) {
	command := w.mcpCommand()
	w.putJSON(w.dir+"/mcp.json", map[string]any{"mcpServers": map[string]any{
		mcpServer:  map[string]any{"command": command[0], "args": command[1:]},
		"plangate": map[string]any{"command": w.program, "args": []string{"mcp", "--home", w.home}},
	}})
}

func (p prompting) Command(w *world, prompt string) (args, env []string) {
	_, env = p.claude.Command(w, prompt)
	return []string{
		"claude", "-p", prompt, "--mcp-config", w.dir + "/mcp.json", "--strict-mcp-config",
		"--permission-mode", "default", "--permission-prompt-tool", "mcp__plangate__permission_prompt",
	}, env
}

// promptPolicy adds to policyText what the tests of prompts need.
const promptPolicy = policyText + `
policy "own tools" {
  match  = { provider = "plangate" }
  action = "allow"
}

guard "vault" {
  path   = ["vault/**"]
  action = "deny"
  reason = "e2e-vault"
}
`

// noPlace is in the answer where only the directory of the shell is missing.
const noPlace = "in which directory"

func promptChecks(w *world) []check {
	cli := claude{}
	in := func(command string) toolCall { return cli.Shell("(cd " + w.workspace + " && " + command + ")") }
	gate := func(tool string, args map[string]any) toolCall {
		return toolCall{Name: "mcp__plangate__" + tool, Args: args}
	}
	return []check{
		{name: "shell denied", call: cli.Shell("mkdir denied-prompt"), reason: "e2e-no-directories", left: "denied-prompt"},
		{name: "shell allowed", call: in("touch allowed-prompt"), left: "allowed-prompt"},
		{name: "absolute path allowed", call: cli.Shell("touch " + w.in("absolute-prompt")), left: "absolute-prompt"},
		{name: "compound denied", call: cli.Shell("touch first-prompt && mkdir denied-prompt"), reason: "e2e-no-directories", left: "first-prompt"},
		{name: "asked", call: in("ln -s a link-prompt"), reason: "Pending approval", left: "link-prompt"},
		{name: "write allowed", call: cli.Write(w.in("prompt.txt"), "x\n"), left: "prompt.txt"},
		{name: "write denied", call: cli.Write(w.in("locked-prompt.txt"), "x\n"), reason: "e2e-locked-file", left: "locked-prompt.txt"},
		{name: "mcp denied", call: cli.MCP("wipe"), reason: "e2e-no-wipe", left: "mcp-wipe"},
		{name: "mcp allowed", call: cli.MCP("put"), left: "mcp-put"},
		// The shell stays where a cd took it, and no prompt says so.
		{name: "guarded directory", call: cli.Shell("touch vault/key"), reason: "e2e-vault", left: "vault/key"},
		{name: "into it", call: cli.Shell("cd vault")},
		{name: "relative from there", call: cli.Shell("touch key"), reason: noPlace, left: "vault/key"},
		{name: "out of it", call: cli.Shell("cd ..")},
		// The server lives on after a message that is nested too deeply to be read.
		{name: "unreadable", call: toolCall{Name: "mcp__" + mcpServer + "__wipe", Args: map[string]any{"what": "it", "more": json.RawMessage(
			strings.Repeat("[", 2000) + strings.Repeat("]", 2000))}}, reason: "could not read this call", left: "mcp-wipe"},
		{name: "after it", call: cli.Shell("touch " + w.in("after-prompt")), left: "after-prompt"},
		{name: "explain", call: gate("explain", map[string]any{"operation": "Bash", "input": map[string]any{"command": "mkdir x"}}), shown: "deny: claude.bash"},
		{name: "pending", call: gate("pending", map[string]any{}), shown: "ln -s a link-prompt"},
		{name: "the model has no prompt tool", call: gate("permission_prompt", map[string]any{
			"tool_name": "Bash", "input": map[string]any{"command": "true"}, "tool_use_id": "t",
		}), reason: "No such tool"},
	}
}

// promptPair is the calls that are asked about side by side.
func promptPair(w *world) []check {
	return []check{
		{name: "parallel allowed", call: claude{}.Shell("touch " + w.in("allowed-pair")), left: "allowed-pair"},
		{name: "parallel denied", call: claude{}.Shell("mkdir " + w.in("denied-pair")), reason: "e2e-no-directories", left: "denied-pair"},
	}
}

// TestClaudePrompt (MCS-2): what Claude Code would ask a human, the policy decides. What it
// does not ask about, such as reading, never gets there.
func TestClaudePrompt(t *testing.T) {
	needCLIs(t)
	if _, err := reach(t, claude{}, describe(t, "claude")); err != nil {
		t.Skip(err)
	}
	cli := prompting{}
	w := newWorld(t, cli, func(w *world) script {
		var turns []turn
		for _, c := range promptChecks(w) {
			turns = append(turns, turn{Calls: []toolCall{c.call}})
		}
		var both turn
		for _, c := range promptPair(w) {
			both.Calls = append(both.Calls, c.call)
		}
		return script{mainMarker: append(turns, both)}
	})
	w.put(w.inHome(policyPath), promptPolicy)
	w.mkdir(w.in("vault"))
	cli.Configure(w)
	w.run()
	all := promptChecks(w)
	for i, c := range all {
		t.Run(c.name, func(t *testing.T) { w.verify(t, c, place{marker: mainMarker, turn: i}) })
	}
	for i, c := range promptPair(w) {
		t.Run(c.name, func(t *testing.T) { w.verify(t, c, place{mainMarker, len(all), i}) })
	}
}

// TestClaudePromptEnvironment (MCS-6): variables that a repository sets for Claude Code reach its
// MCP servers, and do not move the policy of one that is started with --home.
func TestClaudePromptEnvironment(t *testing.T) {
	needCLIs(t)
	if _, err := reach(t, claude{}, describe(t, "claude")); err != nil {
		t.Skip(err)
	}
	cli := prompting{}
	w := newWorld(t, cli, func(w *world) script {
		return script{mainMarker: {{Calls: []toolCall{cli.Shell("mkdir " + w.in("denied-environment"))}}}}
	})
	cli.Configure(w)
	w.put(w.in("evil/plangate/agent.hcl"), "defaults {\n  resource = \"allow\"\n}\n")
	w.putJSON(w.in(".claude/settings.json"), map[string]any{"env": map[string]any{
		"XDG_CONFIG_HOME": w.in("evil"), "XDG_STATE_HOME": w.in("evil"), "PLANGATE_PROFILE": "none", "PLANGATE_LOG": "none",
		"PATH": w.in("evil") + ":/usr/bin:/bin",
	}})
	w.run()
	w.verify(t, check{reason: "e2e-no-directories", left: "denied-environment"}, place{marker: mainMarker})
	if text, err := os.ReadFile(w.inHome(".local/state/plangate/audit.jsonl")); err != nil || !strings.Contains(string(text), "denied-environment") {
		t.Errorf("the answer is not recorded: %v", err)
	}
}
