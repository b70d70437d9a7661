//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate/audit"
)

// built is the directory with both programs.
var built string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "policyctl-hook")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	built = dir
	build := exec.Command("go", "build", "-o", dir+"/", "../policyctl", ".")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %s", err, out)
		return 1
	}
	return m.Run()
}

// place is a home with a policy, and programs that read it.
type place struct {
	t    testing.TB
	bin  string
	home string
	work string
	env  []string
}

// newPlace copies nothing: the programs are links, unless own is called.
func newPlace(t testing.TB, policy string) *place {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, bin: built, home: home, work: filepath.Join(home, "work")}
	p.env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "AGENT=amp", "AGENT_TOOL_NAME=Bash", "AMP_THREAD_ID=T-1"}
	for _, dir := range []string{"work", ".config/plangate"} {
		p.check(os.MkdirAll(filepath.Join(home, dir), 0o700))
	}
	p.check(os.WriteFile(filepath.Join(home, ".config/plangate/agent.hcl"), []byte(policy), 0o600))
	return p
}

func (p *place) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// own gives the place programs of its own, which a test may break.
func (p *place) own() {
	p.t.Helper()
	p.bin = filepath.Join(p.home, "bin")
	p.check(os.Mkdir(p.bin, 0o700))
	for _, name := range []string{"policyctl", "policyctl-hook"} {
		text, err := os.ReadFile(filepath.Join(built, name))
		p.check(err)
		p.check(os.WriteFile(filepath.Join(p.bin, name), text, 0o700))
	}
}

// answer is what a program said.
type answer struct {
	Stdout, Stderr string
	Code           int
}

// run runs a program with a payload. Its last argument may name the directory of the call.
func (p *place) run(name, payload string, args ...string) answer {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(p.bin, name), args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.work, p.env, strings.NewReader(payload), &stdout, &stderr
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		p.t.Fatal(err)
	}
	return answer{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func claudeCall(tool, input string) string {
	return fmt.Sprintf(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":%q,"tool_input":%s,"tool_use_id":"t"}`, tool, input)
}

const policies = `
policy "git" {
  match   = { operation = "bash" }
  command = ["git status", "ls **"]
  action  = "allow"
}

policy "read" {
  match  = { operation = "read_file" }
  action = "allow"
}

guard "rm" {
  match   = { operation = "bash" }
  command = ["rm **"]
  action  = "deny"
  reason  = "Nothing is removed."
}

policy "wiped" {
  match  = { provider = "rig", operation = "wipe" }
  when   = input.target == "all"
  action = "deny"
  reason = "Not all of it."
}

policy "network" {
  match  = { operation = "edit_file" }
  action = "ask"
}

agent_profile "ci" {
  headless   = true
  deny_tools = ["Write"]
}
`

// TestSameAsPolicyctl: whatever a CLI says, both programs answer alike, before and after
// there is a cached table.
func TestSameAsPolicyctl(t *testing.T) {
	files, err := filepath.Glob("../../harness/testdata/*/*.json")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d captures, %v", len(files), err)
	}
	p := newPlace(t, policies)
	for _, file := range files {
		payload, err := os.ReadFile(file)
		p.check(err)
		cli := filepath.Base(filepath.Dir(file))
		// The state is apart, so that an approval of the one does not answer the other.
		fast := p.run("policyctl-hook", string(payload), cli, "--store", filepath.Join(t.TempDir(), "a.db"))
		want := p.run("policyctl", string(payload), "hook", cli, "--store", filepath.Join(t.TempDir(), "a.db"))
		if diff := cmp.Diff(withoutIDs(want), withoutIDs(fast)); diff != "" {
			t.Errorf("%s (-policyctl +policyctl-hook):\n%s", file, diff)
		}
	}
}

// approvalIDs are the names of approvals, which are random.
var approvalIDs = regexp.MustCompile(`\b[0-9a-zA-Z_-]{16,}\b`)

func withoutIDs(a answer) answer {
	a.Stdout, a.Stderr = approvalIDs.ReplaceAllString(a.Stdout, "ID"), approvalIDs.ReplaceAllString(a.Stderr, "ID")
	return a
}

// TestOptions: what the small program cannot know it leaves to policyctl, and the answer
// is the same.
func TestOptions(t *testing.T) {
	p := newPlace(t, policies)
	rm, status, write := claudeCall("Bash", `{"command":"rm x"}`), claudeCall("Bash", `{"command":"git status"}`),
		claudeCall("Write", `{"file_path":"x","content":"y"}`)
	for name, test := range map[string]struct {
		payload string
		args    []string
		want    string
	}{
		"allow":           {status, []string{"claude"}, `"permissionDecision":"allow"`},
		"guard":           {rm, []string{"claude"}, `Nothing is removed. [guard:rm]`},
		"ask":             {claudeCall("Edit", `{"file_path":"x","old_string":"a","new_string":"b"}`), []string{"claude"}, `"permissionDecision":"ask"`},
		"profile":         {write, []string{"claude", "--profile", "ci"}, `"permissionDecision":"deny"`},
		"unknown profile": {status, []string{"claude", "--profile", "c1"}, `unknown profile`},
		"defer":           {write, []string{"claude", "--unmatched", "defer"}, `{}`},
		"when":            {claudeCall("mcp__rig__wipe", `{"target":"all"}`), []string{"claude"}, `Not all of it.`},
		"no json":         {`{"a":`, []string{"claude"}, `could not read`},
		"fail open":       {`{"a":`, []string{"claude", "--fail", "open"}, `{}`},
		"event":           {`{"a":`, []string{"claude", "--event", "PermissionRequest"}, `"behavior":"deny"`},
	} {
		for range 2 { // without a cached table and with one
			got := p.run("policyctl-hook", test.payload, test.args...)
			if !strings.Contains(got.Stdout, test.want) || got.Code != 0 || strings.Count(got.Stdout, "hookSpecificOutput") > 1 {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
	for name, args := range map[string][]string{
		"no CLI": nil, "unknown CLI": {"vim"}, "unknown flag": {"claude", "--x"}, "empty": {"claude", "--profile", ""},
		"both": {"claude", "--policy", "a", "--layers", "user"}, "more": {"claude", "codex"},
	} {
		got, want := p.run("policyctl-hook", status, args...), p.run("policyctl", status, append([]string{"hook"}, args...)...)
		if got != want || got.Code != codeUsage {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// TestAlone: a cached table is enough for a decision; policyctl is not started.
func TestAlone(t *testing.T) {
	p := newPlace(t, policies)
	p.own()
	status := claudeCall("Bash", `{"command":"git status"}`)
	p.run("policyctl-hook", status, "claude")
	p.check(os.Chmod(filepath.Join(p.bin, "policyctl"), 0))
	if got := p.run("policyctl-hook", status, "claude"); !strings.Contains(got.Stdout, `"permissionDecision":"allow"`) {
		t.Errorf("%+v", got)
	}
	// An approval needs it, and the policy may have changed.
	p.check(os.WriteFile(filepath.Join(p.home, ".config/plangate/agent.hcl"), nil, 0o600))
	if got := p.run("policyctl-hook", status, "claude"); !strings.Contains(got.Stdout, `"permissionDecision":"deny"`) || got.Code != 0 {
		t.Errorf("another policy: %+v", got)
	}
}

// TestFailures: where policyctl is missing or fails, the answer is a deny in the form of
// the CLI and its event.
func TestFailures(t *testing.T) {
	for name, script := range map[string]string{
		"missing": "", "killed": "kill -9 $$", "internal error": "exit 3", "odd code": "echo '{}'; exit 1", "hangs": "exec sleep 60",
		"half an answer, then killed": `printf '{"hookSpecificOutput":'; kill -9 $$`, "child holds the pipe": "sleep 60 & kill -9 $$",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, policies)
			p.own()
			whole := filepath.Join(p.bin, "policyctl")
			p.check(os.Remove(whole))
			if script != "" {
				p.check(os.WriteFile(whole, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
			}
			for event, want := range map[string]string{
				"PreToolUse": `"permissionDecision":"deny"`, "PermissionRequest": `"decision":{"behavior":"deny"`,
			} {
				payload := strings.Replace(claudeCall("Bash", `{"command":"git status"}`), "PreToolUse", event, 1)
				got := p.run("policyctl-hook", payload, "claude", "--deadline", "500ms")
				if !strings.HasPrefix(got.Stdout, `{"hookSpecificOutput":{"hookEventName":"`+event+`",`+want) || got.Code != 0 || got.Stderr == "" {
					t.Errorf("%s: %+v", event, got)
				}
			}
			if got := p.run("policyctl-hook", `{"cmd":"ls"}`, "amp", "--deadline", "500ms"); got.Code == 0 {
				t.Errorf("amp: %+v", got)
			}
		})
	}
}

// TestEndless: a payload that never ends is denied at the deadline.
func TestEndless(t *testing.T) {
	p := newPlace(t, policies)
	reader, writer, err := os.Pipe()
	p.check(err)
	defer writer.Close()
	cmd := exec.Command(filepath.Join(p.bin, "policyctl-hook"), "claude", "--deadline", "100ms")
	cmd.Dir, cmd.Env, cmd.Stdin = p.work, p.env, reader
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), `"permissionDecision":"deny"`) {
		t.Errorf("%s, %v", out, err)
	}
}

// TestParallel (hook-18): twenty hooks at once, of which most need an approval and so the
// whole program and the store, all answer, and none because its time is over.
func TestParallel(t *testing.T) {
	p := newPlace(t, manyPolicies())
	p.run("policyctl-hook", claudeCall("Bash", `{"command":"git status"}`), "codex") // caches the table
	work := []string{"git status", "rm x", "touch a", "touch b", "touch c"}
	for round := range 3 {
		var all sync.WaitGroup
		answers := make([]answer, 20)
		for i := range answers {
			all.Go(func() {
				payload := fmt.Sprintf(`{"session_id":"s%d","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":%q},"tool_use_id":"t%d-%d"}`,
					i%4, work[i%len(work)], round, i)
				answers[i] = p.run("policyctl-hook", payload, "codex")
			})
		}
		all.Wait()
		for i, got := range answers {
			want := []string{"{}", "Nothing is removed", "Pending approval", "Pending approval", "Pending approval"}[i%len(work)]
			if !strings.Contains(got.Stdout, want) || got.Code != 0 || strings.Contains(got.Stdout, "took longer") {
				t.Errorf("round %d, hook %d: %+v", round, i, got)
			}
		}
	}
	log, err := os.Open(filepath.Join(p.home, ".local/state/plangate/audit.jsonl"))
	p.check(err)
	defer log.Close()
	if report, err := audit.Verify(log); err != nil || !report.Whole() || report.Records < 60 {
		t.Errorf("log: %+v, %v", report, err)
	}
}

// manyPolicies is a policy of a thousand blocks, the last of which are the usual ones.
func manyPolicies() string {
	var text strings.Builder
	for i := range 998 {
		fmt.Fprintf(&text, "policy \"p%d\" {\n  match  = { operation = \"op_%d\" }\n  action = %q\n}\n", i, i, []string{"allow", "ask", "deny"}[i%3])
	}
	usual, _, _ := strings.Cut(policies, "policy \"wiped\"")
	return text.String() + usual
}

// TestOwnFiles (BLT-2): under a policy that allows everything, the programs of the gate are
// not the agent's to replace, nor is the log that was named.
func TestOwnFiles(t *testing.T) {
	p := newPlace(t, "policy \"all\" {\n  match  = { kind = \"resource\" }\n  action = \"allow\"\n}\n")
	p.own()
	log := filepath.Join(p.work, "elsewhere.jsonl")
	for name, payload := range map[string]string{
		"write": claudeCall("Write", fmt.Sprintf(`{"file_path":%q,"content":"#!/bin/sh"}`, filepath.Join(p.bin, "policyctl-hook"))),
		"copy":  claudeCall("Bash", fmt.Sprintf(`{"command":"cp evil %s"}`, filepath.Join(p.bin, "policyctl"))),
		"chmod": claudeCall("Bash", `{"command":"cd ../bin && chmod -x policyctl-hook"}`),
		"log":   claudeCall("Bash", `{"command":"rm elsewhere.jsonl"}`),
	} {
		for range 2 {
			if got := p.run("policyctl-hook", payload, "claude", "--log", log); strings.Contains(got.Stdout, `"permissionDecision":"allow"`) || got.Stdout == "" {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
	other := claudeCall("Bash", `{"command":"touch ../bin/other"}`)
	if got := p.run("policyctl-hook", other, "claude", "--log", log); !strings.Contains(got.Stdout, `"permissionDecision":"allow"`) {
		t.Errorf("another file: %+v", got)
	}
}

// TestRelativeOptions: what is relative on the command line means the same to both programs,
// also where the CLI names a project elsewhere.
func TestRelativeOptions(t *testing.T) {
	p := newPlace(t, policies)
	project := filepath.Join(p.home, "project")
	p.check(os.MkdirAll(project, 0o700))
	p.env = append(p.env, "CLAUDE_PROJECT_DIR="+project)
	status := claudeCall("Bash", `{"command":"git status"}`)
	for range 2 {
		fast := p.run("policyctl-hook", status, "claude", "--log", "relative.jsonl")
		if !strings.Contains(fast.Stdout, `"permissionDecision":"allow"`) {
			t.Errorf("%+v", fast)
		}
	}
	text, err := os.ReadFile(filepath.Join(project, "relative.jsonl"))
	p.check(err)
	if n := bytes.Count(text, []byte("\n")); n != 2 {
		t.Errorf("%d records in the project's file", n)
	}
}

// TestEnvironment: with --home no variable that a repository may set decides where policy and
// records are, under which profile, or what code runs.
func TestEnvironment(t *testing.T) {
	p := newPlace(t, policies)
	evil := filepath.Join(p.work, "evil")
	p.check(os.MkdirAll(filepath.Join(evil, "plangate"), 0o700))
	p.check(os.WriteFile(filepath.Join(evil, "plangate/agent.hcl"), []byte("defaults {\n  resource = \"allow\"\n}\n"), 0o600))
	p.env = append(p.env, "XDG_CONFIG_HOME="+evil, "XDG_STATE_HOME="+evil, "XDG_CACHE_HOME="+evil, "PLANGATE_LOG=none",
		"PLANGATE_PROFILE=none", "PLANGATE_STORE="+evil+"/x.db", "LD_PRELOAD="+evil+"/evil.so", "GODEBUG=inittrace=1")
	rm, touch := claudeCall("Bash", `{"command":"rm x"}`), claudeCall("Bash", `{"command":"touch x"}`)
	for _, program := range [][]string{{"policyctl-hook", "claude"}, {"policyctl", "hook", "claude"}} {
		run := func(payload string) answer {
			return p.run(program[0], payload, append(program[1:], "--home", p.home)...)
		}
		for range 2 {
			if got := run(rm); !strings.Contains(got.Stdout, "Nothing is removed") {
				t.Errorf("%s: %+v", program[0], got)
			}
			if got := run(touch); !strings.Contains(got.Stdout, `"permissionDecision":"ask"`) {
				t.Errorf("%s: %+v", program[0], got)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(p.home, ".local/state/plangate/audit.jsonl")); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{{"--home", "relative"}, {"--state-home", "/x"}, {"--home", ""}} {
		if got := p.run("policyctl-hook", rm, append([]string{"claude"}, args...)...); got.Code != codeUsage {
			t.Errorf("%q: %+v", args, got)
		}
	}
}
