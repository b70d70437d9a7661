package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// CanaryName is the name of the guard that must deny the canary call. A reason that has
// it shows that the hook read the policy and decided.
const CanaryName = "plangate_canary"

// canaryFile is what the canary call would make.
const canaryFile = "plangate-canary-side-effect"

// canaryPolicy is a project's policy file that denies every call of the CLI's own tools. An
// untrusted one can tighten, which is all it has to do. It is a guard, because a policy
// would lose against one of the user that is more specific.
func (h Hook) canaryPolicy() string {
	return fmt.Sprintf(`guard %q {
  match  = { provider = %q }
  action = "deny"
  reason = "%s: this call is the self-test of policyctl and must be denied."
}
`, CanaryName, h.info.Name, CanaryName)
}

// canaryCommand is the shell command of the canary call.
func canaryCommand(dir string) string { return "touch " + quoteWord(filepath.Join(dir, canaryFile)) }

// canaryPayload is what the CLI gives its hook for the canary call, in a directory, and what
// it adds to the environment.
func (h Hook) canaryPayload(dir string) (payload []byte, env []string) {
	command := canaryCommand(dir)
	shell := members{{"command", command}}
	common := members{{"session_id", "plangate-canary"}, {"transcript_path", nil}, {"cwd", dir}, {"hook_event_name", h.info.Events[0].Name}}
	claudeLike := slices.Concat(common, members{{"tool_name", "Bash"}, {"tool_input", shell}})
	switch h.info.Name {
	case "codex":
		return compact(append(claudeLike, member{"turn_id", "1"}, member{"model", "none"}, member{"permission_mode", "default"},
			member{"tool_use_id", "plangate-canary"})), nil
	case "gemini":
		return compact(append(common, member{"timestamp", "1970-01-01T00:00:00.000Z"}, member{"tool_name", "run_shell_command"},
			member{"tool_input", shell})), []string{"GEMINI_PROJECT_DIR=" + dir, "GEMINI_CWD=" + dir}
	case "copilot":
		return compact(members{{"sessionId", "plangate-canary"}, {"timestamp", 0}, {"cwd", dir}, {"toolName", "bash"}, {"toolArgs", shell}}),
			[]string{"COPILOT_PROJECT_DIR=" + dir, "COPILOT_CLI=1"}
	case "cursor":
		return compact(members{{"conversation_id", "plangate-canary"}, {"hook_event_name", h.info.Events[0].Name}, {"workspace_roots", []string{dir}},
			{"tool_name", "Shell"}, {"tool_input", shell}, {"tool_use_id", "plangate-canary"}, {"cwd", dir}}), []string{"CURSOR_PROJECT_DIR=" + dir}
	case "amp":
		return compact(members{{"cmd", command}}), []string{"AGENT=amp", "AGENT_TOOL_NAME=Bash"}
	case "opencode":
		return compact(members{{"version", 1}, {"hook_event_name", h.info.Events[0].Name}, {"tool_name", "bash"},
			{"input", members{{"tool", "bash"}, {"sessionID", "plangate-canary"}, {"callID", "plangate-canary"}}},
			{"tool_input", shell}, {"directory", dir}, {"worktree", dir}, {"mcp_servers", []string{}}}), nil
	default:
		return compact(append(claudeLike, member{"permission_mode", "default"}, member{"tool_use_id", "plangate-canary"})),
			[]string{"CLAUDE_PROJECT_DIR=" + dir, "CLAUDECODE=1"}
	}
}

// Proof is what the reason of a denied canary call shows.
type Proof uint8

// The proofs, from none to full.
const (
	ProofBroken Proof = iota // the gate could not decide and denies everything
	ProofOther               // it decided, but a rule of an outer layer came first
	ProofCanary              // it read the policy and decided by the canary's
)

// ProofOf reads the reason of a denial.
func ProofOf(reason string) Proof {
	switch {
	case strings.Contains(reason, CanaryName):
		return ProofCanary
	case strings.Contains(reason, "[builtin:"), strings.TrimSpace(reason) == "":
		return ProofBroken
	default:
		return ProofOther
	}
}

// ErrNotDenied means that a hook did not deny the canary call in a form that the CLI obeys.
var ErrNotDenied = errors.New("the canary call was not denied")

// Denies examines what a hook process wrote, and how it ended, as the CLI does. The reason
// is what the model would read. On error, which is [ErrNotDenied], there is no deny that
// the CLI obeys, whatever the hook meant.
func (h Hook) Denies(stdout, stderr []byte, code int) (reason string, err error) {
	no := func(why string) (string, error) { return "", fmt.Errorf("%w: %s", ErrNotDenied, why) }
	text := strings.TrimSpace(string(stderr))
	object, jsonErr := oneObject(stdout)
	switch {
	case h.info.Name == "amp" && code == 2:
		return text, nil
	case h.info.Name == "amp":
		return no(fmt.Sprintf("the hook ended with exit code %d, 2 denies", code))
	case code != 0: // it may block, but `policyctl hook` does not answer so
		return no(fmt.Sprintf("the hook failed with exit code %d: %.300s", code, text))
	case jsonErr != nil:
		return no(fmt.Sprintf("the answer is not one JSON object: %.300q", stdout))
	}
	var decision string
	switch h.info.Name {
	case "claude", "codex":
		object, _ = object["hookSpecificOutput"].(map[string]any)
		if object["hookEventName"] != h.info.Events[0].Name {
			return no(fmt.Sprintf("the answer does not name the event: %.300q", stdout))
		}
		decision, _ = object["permissionDecision"].(string)
		reason, _ = object["permissionDecisionReason"].(string)
	case "copilot":
		decision, _ = object["permissionDecision"].(string)
		reason, _ = object["permissionDecisionReason"].(string)
	case "cursor":
		decision, _ = object["permission"].(string)
		reason, _ = object["agent_message"].(string)
	default:
		decision, _ = object["decision"].(string)
		reason, _ = object["reason"].(string)
	}
	if decision != "deny" || strings.TrimSpace(reason) == "" {
		return no(fmt.Sprintf("the answer is %.300q", stdout))
	}
	return reason, nil
}

// oneObject decodes a text that is one JSON object and nothing else.
func oneObject(text []byte) (map[string]any, error) {
	var object map[string]any
	err := json.Unmarshal(text, &object)
	if err == nil && object == nil {
		err = errors.New("null")
	}
	return object, err
}
