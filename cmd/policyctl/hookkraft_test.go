package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plangate/plangate/audit"
)

// The rows of facts 3.10 that are not in testdata/script/hook.txtar, through the hook.

// kraft is a home with a policy of the user, in a checkout of the branch item/7.
type kraft struct {
	*testing.T
	home   string
	getenv func(string) string
}

func newKraft(t *testing.T, policy string) *kraft {
	t.Helper()
	home, getenv := hookHome(t)
	for name, text := range map[string]string{
		".config/plangate/agent.hcl": policy, "work/.git/HEAD": "ref: refs/heads/item/7\n",
	} {
		name = filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(home, "work"))
	return &kraft{t, home, getenv}
}

// permission is what the hook says of a call of Claude Code.
func (k *kraft) permission(tool, input string, args ...string) string {
	k.Helper()
	payload := fmt.Sprintf(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":%q,"tool_input":%s,"tool_use_id":"t"}`, tool, input)
	out := runHook(k.T, k.getenv, strings.NewReader(payload), append([]string{"claude"}, args...)...)
	var answer struct {
		Specific struct {
			Decision string `json:"permissionDecision"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		k.Fatalf("%s: %v", out, err)
	}
	return answer.Specific.Decision
}

func (k *kraft) shell(command string, args ...string) string {
	k.Helper()
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		k.Fatal(err)
	}
	return k.permission("Bash", string(input), args...)
}

func (k *kraft) lastRecord() audit.Record {
	k.Helper()
	text, err := os.ReadFile(filepath.Join(k.home, ".local", "state", "plangate", "audit.jsonl"))
	if err != nil {
		k.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	record, err := audit.ParseLine(lines[len(lines)-1])
	if err != nil {
		k.Fatal(err)
	}
	return record
}

// TestKraftGrantOnDeny (k1, k5): deny beats a grant, and a grant beats an allowlist; the record
// has the grant that the call is an instance of in both cases.
func TestKraftGrantOnDeny(t *testing.T) {
	k := newKraft(t, `
agent_profile "denied" {
  deny_tools = ["Bash"]
  grants     = ["git-push"]
}
agent_profile "listed" {
  allowed_tools = ["Read"]
  grants        = ["git-push"]
}
`)
	push := "git push origin item/7"
	for profile, want := range map[string]string{"denied": "deny", "listed": "allow"} {
		if got := k.shell(push, "--profile", profile); got != want {
			t.Errorf("%s: %s, want %s", profile, got, want)
		}
		if record := k.lastRecord(); record.Grant != "git-push" || record.Decision.String() != want {
			t.Errorf("%s: grant %q, decision %s", profile, record.Grant, record.Decision)
		}
		if got := k.shell("git status", "--profile", profile); got != "deny" {
			t.Errorf("%s: another command: %s", profile, got)
		}
		if record := k.lastRecord(); record.Grant != "" {
			t.Errorf("%s: another command has the grant %q", profile, record.Grant)
		}
	}
}

// TestKraftRefusals (k11): every family of commands that no grant covers (facts 1.3) falls
// through to the rest of the policy, here an allowlist without the shell.
func TestKraftRefusals(t *testing.T) {
	k := newKraft(t, `
agent_profile "worker" {
  allowed_tools = ["Read"]
  grants        = ["git-commit", "git-rebase", "git-push"]
}
`)
	for _, command := range []string{
		"git commit -m x", `git commit -am "more words # 7"`, "git --no-pager commit -m x", "git -P -c user.name=a -c USER.EMAIL=b commit -m x",
		"git rebase main", "git rebase -X ours main", "git rebase --no-exec main",
		"git push origin item/7", "git push origin HEAD:item/7", "git push -u origin refs/heads/item/7", "git push --force-with-lease origin item/7",
		"git push origin -- item/7",
	} {
		if got := k.shell(command, "--profile", "worker"); got != "allow" {
			t.Errorf("%s: %s", command, got)
		}
	}
	families := map[string][]string{
		"1 characters": {
			"git commit -m x; id", "git commit -m x & id", "git commit -m x | id", "git commit -m '<'", "git commit -m '>'", "git commit -m '`id`'",
			"git commit -m '$HOME'", `git commit -m 'a\b'`, "git commit -m '('", "git commit -m '{'", "git commit -m '*'", "git commit -m '?'",
			"git commit -m '['", "git commit -m 'no!'",
		},
		"2 unprintable":    {"git commit -m x\nid", "git\tpush origin item/7", "git commit -m x\r"},
		"3 quotes, empty":  {"git commit -m 'x", "", "   "},
		"4 the first word": {"X=1 git commit -m x", "env git commit -m x", "sudo git commit -m x", "/usr/bin/git commit -m x", "./git commit -m x", "sh -c 'git commit'"},
		"5 options of git": {
			"git -C /x commit -m x", "git --git-dir=/x commit -m x", "git --exec-path=/x commit", "git -c core.editor=id commit", "git -cuser.name=x commit",
			"git --config-env=a=b commit", "git -c",
		},
		"6 the subcommand":   {"git", "git --no-pager", "git pus origin item/7", "git status", `git "push;" origin item/7`},
		"7 runs a command":   {"git push --receive-pack=id origin item/7", "git push --rec=id origin item/7", "git push --exec=id origin item/7", "git rebase -x id main", "git rebase -ix id", "git rebase --exec id main", "git rebase --strat=x main", "git rebase -s x main", "git rebase -- -x true"},
		"push: what":         {"git push --delete origin item/7", "git push --mirror origin item/7", "git push --all origin", "git push --tags origin item/7", "git push --follow-tags origin item/7", "git push -d origin item/7", "git push -o x origin item/7", "git push --recurse-submodules=on-demand origin item/7"},
		"push: where to":     {"git push https://x.example/r item/7", "git push host:r item/7", "git push ../r item/7", "git push ext::id item/7"},
		"push: which branch": {"git push", "git push origin", "git push origin HEAD", "git push origin main", "git push origin item/77", "git push origin item/7:main", "git push origin :item/7", "git push origin item/7 main"},
		"push: by force":     {"git push --force origin item/7", "git push --forc origin item/7", "git push -f origin item/7", "git push -uf origin item/7", "git push origin +item/7"},
	}
	for family, commands := range families {
		for _, command := range commands {
			if got := k.shell(command, "--profile", "worker"); got != "deny" {
				t.Errorf("%s: %q: %s", family, command, got)
			}
		}
	}
	// No command is no shell call, and another tool holds no grant.
	for input, tool := range map[string]string{`{"command":["git","commit"]}`: "Bash", `{}`: "Bash", `{"command":"git commit -m x"}`: "Shell"} {
		if got := k.permission(tool, input, "--profile", "worker"); got != "deny" {
			t.Errorf("%s %s: %s", tool, input, got)
		}
	}
}

// TestKraftUnenforceable (k15): where a policy cannot be enforced, that is an error and not
// a success: an export of what a CLI's rules cannot say, a doctor without a hook.
func TestKraftUnenforceable(t *testing.T) {
	k := newKraft(t, "policy \"p\" {\n  match  = { operation = \"bash\" }\n  when   = input.x == 1\n  action = \"deny\"\n}\n")
	for name, args := range map[string][]string{
		"export": {"export", "gemini", "--strict"}, "doctor": {"doctor", "gemini"},
	} {
		w := newTestWorld("")
		w.getenv = k.getenv
		t.Setenv("HOME", k.home)
		if code := realMain(args, &w.world); code != codeFindings {
			t.Errorf("%s: exit code %d\n%s%s", name, code, w.out.String(), w.errs.String())
		}
	}
}

// TestKraftNames (k17): three kinds of entries in a list are no names, each with a reason of
// its own, and an unknown grant lists the known ones.
func TestKraftNames(t *testing.T) {
	k := newKraft(t, "")
	for list, want := range map[string]string{
		`deny_tools = ["Bash(git *)"]`:     "is a permission rule, not a tool name. List the bare tool",
		`allowed_tools = ["mcp__github*"]`: "exact MCP tool name",
		`allowed_tools = ["read file"]`:    "is not a tool name",
		`grants = ["git-pull"]`:            "git-commit",
	} {
		file := filepath.Join(t.TempDir(), "agent.hcl")
		if err := os.WriteFile(file, []byte("agent_profile \"p\" {\n  "+list+"\n}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		w := newTestWorld("")
		w.getenv = k.getenv
		code := realMain([]string{"check", file}, &w.world)
		if said := strings.Join(strings.Fields(w.out.String()+w.errs.String()), " "); code != codeFindings || !strings.Contains(said, want) {
			t.Errorf("%s: exit code %d, want %q in\n%s", list, code, want, said)
		}
	}
}

// TestKraftMeet (k18, k2): the lists of a profile in two layers meet: what either denies is
// denied, and only what both allow is allowed.
func TestKraftMeet(t *testing.T) {
	k := newKraft(t, `
agent_profile "worker" {
  allowed_tools = ["Read", "Glob", "Grep"]
  deny_tools    = ["Grep"]
}
`)
	project := filepath.Join(k.home, "work", "agent.hcl")
	if err := os.WriteFile(project, []byte("agent_profile \"worker\" {\n  allowed_tools = [\"Glob\", \"Read\"]\n  deny_tools    = [\"Glob\"]\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]string{"Read": "allow", "Glob": "deny", "Grep": "deny", "Write": "deny", "WebFetch": "deny"} {
		input := map[string]string{"Read": `{"file_path":"x"}`, "Write": `{"file_path":"x","content":""}`}[tool]
		if input == "" {
			input = `{"pattern":"x","url":"https://x.example"}`
		}
		if got := k.permission(tool, input, "--profile", "worker"); got != want {
			t.Errorf("%s: %s, want %s", tool, got, want)
		}
	}
}

// TestKraftOrders (k14): OpenCode takes the last rule that matches and Amp the first, so what is
// exported to one stands in the opposite order of what is exported to the other, and rules in one
// order are read to mean different things.
func TestKraftOrders(t *testing.T) {
	k := newKraft(t, "policy \"web\" {\n  match  = { operation = \"web_search\" }\n  action = \"allow\"\n}\n"+
		"guard \"push\" {\n  match   = { operation = \"bash\" }\n  command = \"git push\"\n  action  = \"deny\"\n}\n")
	say := func(args ...string) string {
		w := newTestWorld("")
		w.getenv = k.getenv
		if code := realMain(args, &w.world); code != codeFine {
			t.Fatalf("%q: exit code %d: %s", args, code, w.errs.String())
		}
		return w.out.String()
	}
	opencode, amp := say("export", "opencode"), say("export", "amp")
	_, shell, _ := strings.Cut(opencode, `"bash"`)
	for _, order := range []struct{ text, first, then string }{
		{opencode, `"*": "ask"`, `"websearch": "allow"`}, {shell, `"*": "ask"`, `"git push *": "deny"`},
		{amp, `"web_search"`, `"*"`}, {amp, `"git push *"`, `"tool": "*"`},
	} {
		first, then := strings.Index(order.text, order.first), strings.Index(order.text, order.then)
		if first < 0 || then < first {
			t.Errorf("%s at %d, %s at %d in\n%s", order.first, first, order.then, then, order.text)
		}
	}
	for cli, text := range map[string]string{
		"opencode": `{"permission": {"bash": {"git *": "deny", "*": "allow"}}}`,
		"amp": `{"amp.permissions": [{"tool": "Bash", "matches": {"cmd": "git *"}, "action": "reject"},
			{"tool": "Bash", "action": "allow"}]}`,
	} {
		rules := filepath.Join(t.TempDir(), "rules.json")
		policy := filepath.Join(k.home, ".config", "plangate", "agent.hcl")
		if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(policy, []byte(say("import", cli, rules)), 0o600); err != nil {
			t.Fatal(err)
		}
		k.getenv = func(name string) string { return map[string]string{"HOME": k.home, "AGENT_TOOL_NAME": "Bash"}[name] }
		for command, want := range map[string]bool{"git status": cli == "opencode", "make": true} {
			if got := k.runs(cli, command); got != want {
				t.Errorf("%s runs %q: %t", cli, command, got)
			}
		}
	}
}

// runs reports whether the hook of OpenCode or Amp lets a command run.
func (k *kraft) runs(cli, command string) bool {
	k.Helper()
	payload := fmt.Sprintf(`{"tool_name":"bash","tool_input":{"command":%q},"input":{"tool":"bash","sessionID":"s","callID":"t"}}`, command)
	if cli == "amp" {
		payload = fmt.Sprintf(`{"cmd":%q}`, command)
	}
	w := newTestWorld(payload)
	w.getenv = k.getenv
	code := realMain([]string{"hook", cli}, &w.world)
	return code == codeFine && (cli == "amp" || strings.Contains(w.out.String(), `"decision":"allow"`))
}
