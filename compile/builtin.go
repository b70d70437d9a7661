package compile

import (
	"path/filepath"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

// Protection says what the built-in guards of a table protect beside what they
// always do (spec BLT-1 to BLT-5). Paths are absolute; empty ones are passed
// over.
type Protection struct {
	// On adds the built-in guards. Without it there is none of them.
	On bool
	// Policies are the policy files in force, and those that would be if they
	// existed.
	Policies []string
	// State are files and directories that hold answers, trust, logs and tables.
	State []string
}

// The files that every table with built-in guards protects. Those below a home
// directory are named from anywhere: not every call says where home is. What
// stands in the workspace or in the home directory counts for what is below a
// directory (spec BLT-1). A set around one letter names the directory itself and
// not what is in it.
var (
	policyFiles = []string{"**/agent.hcl", "**/agent.hcl.json", "**/.config/plangate/**", "~/.config/plangate"}

	stateFiles = []string{"**/.local/state/plangate/**", "**/.cache/plangate/**", "~/.local/state/plangate", "~/.cache/plangate"}

	// hookFiles are where the agent programs keep their hooks and permissions.
	hookFiles = []string{
		"**/.claude/settings*.json", "**/.claude/hooks/**", "**/.claude/plugins/**", "**/.claude.json", "**/.mcp.json", "/etc/claude-code/**",
		"**/.cursor/mcp.json", "/etc/cursor/**", "/etc/codex/**", "/etc/gemini-cli/**", "**/.windsurf/hooks.json", "**/.qwen/settings.json", "**/.factory/settings.json",
		"**/.cursor/hooks.json", "**/.cursor/permissions.json",
		"**/.codex/config.toml", "**/.codex/hooks.json", "**/.codex/rules/**",
		"**/.gemini/settings.json", "**/.gemini/.env", "**/.gemini/config/hooks.json", "**/.gemini/policies/**", "**/.agents/hooks.json",
		"**/.github/hooks/**", "**/.github/copilot/**", "**/.copilot/**", "**/opencode.json", "**/opencode.jsonc", "**/.opencode/**", "**/.config/opencode/**",
		"**/.amp/settings.json", "**/.config/amp/settings.json",
		"**/.claud[e]", "**/.curso[r]", "**/.code[x]", "**/.gemin[i]", "**/.agent[s]", "**/.am[p]",
		".claude", ".cursor", ".codex", ".gemini", ".opencode", ".amp", ".github/hooks",
		"~/.claude", "~/.cursor", "~/.codex", "~/.gemini", "~/.copilot", "~/.config/opencode", "~/.config/amp",
	}

	// repositoryFiles make Git run programs or talk to other hosts.
	repositoryFiles = []string{
		"**/.git/**",
		"**/.gitmodules", "**/.husky/**", "**/.githooks/**", "**/.gitconfig", "**/.config/git/**",
		".git", "~/.gitconfig", "~/.config/git",
	}

	// wideningVerbs are the commands of policyctl that let more happen, or through which
	// a program can answer.
	wideningVerbs = policyctlVerbs(
		[]string{"policyctl", "go run *policyctl", "go run *policyctl/", "go run *policyctl@*"},
		[]string{"trust", "approvals allow", "approvals deny", "approvals watch", "approvals token", "always", "undo", "serve"},
	)
)

// policyctlVerbs are command patterns for each way to start the program with each verb.
func policyctlVerbs(programs, verbs []string) (patterns []string) {
	for _, program := range programs {
		for _, verb := range verbs {
			patterns = append(patterns, program+" "+verb)
		}
	}
	return append(patterns, "go run . approvals allow", "go run . approvals deny", "go run . always allow", "go run . always deny")
}

// Rules returns the built-in guards.
func (p Protection) Rules() []eval.Rule {
	if !p.On {
		return nil
	}
	return []eval.Rule{
		builtin("policy_files", plangate.Ask, "This changes what the agent may do.",
			writes(policyFiles, p.Policies)),
		builtin("hook_config", plangate.Ask, "This changes whether the agent is asked about at all.",
			writes(hookFiles, nil)),
		builtin("repository_config", plangate.Ask, "Git runs what stands there, or sends to where it says.",
			writes(repositoryFiles, nil)),
		builtin("gate_state", plangate.Deny, "The state of the gate is not the agent's to write.",
			writes(stateFiles, p.State)),
		builtin("widening", plangate.Deny, "Only a person widens what the agent may do.",
			eval.ConditionSource{Type: "command", Values: wideningVerbs}),
	}
}

func builtin(name string, action plangate.Action, reason string, condition eval.ConditionSource) eval.Rule {
	return eval.Rule{
		Rule:       plangate.Rule{Type: plangate.RuleBuiltin, Name: name},
		Action:     action,
		Match:      eval.Match{Kinds: []plangate.Kind{plangate.Resource}},
		Conditions: []eval.ConditionSource{condition},
		Reason:     reason,
	}
}

// writes joins patterns and files.
func writes(patterns, files []string) eval.ConditionSource {
	values := append([]string(nil), patterns...)
	for _, file := range files {
		if filepath.IsAbs(file) {
			values = append(values, literalPattern(filepath.ToSlash(file)))
		}
	}
	return eval.ConditionSource{Type: "writes", Values: values}
}

// literalPattern escapes what means something in a path pattern.
func literalPattern(path string) string {
	var out strings.Builder
	for _, r := range path {
		if strings.ContainsRune(`*?[]{}\,`, r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}
