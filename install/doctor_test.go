//go:build unix

package install

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plangate/plangate/harness"
)

// testMachine is a machine with a home, a project in a repository, and a PATH of its own
// with the programs that the scripts are.
func testMachine(t *testing.T, programs map[string]string) Machine {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"home", "bin", "project/.git", "project/sub"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, script := range programs {
		put0(t, filepath.Join(dir, "bin", name), "#!/bin/sh\n"+script+"\n", 0o700)
	}
	return Machine{
		Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "project", "sub"),
		Runner: Runner{Environ: []string{"PATH=" + filepath.Join(dir, "bin") + ":/usr/bin:/bin", "HOME=" + filepath.Join(dir, "home")}},
	}
}

// installed installs the hook of a CLI with a program that is a script.
func (m Machine) installed(t *testing.T, name, script string) Hook {
	t.Helper()
	h, err := NewHook(name, stub(t, script), filepath.Join(m.Home, WrapperName))
	if err != nil {
		t.Fatal(err)
	}
	if err := PutProgram(h.wrapper, h.WrapperText()); err != nil {
		t.Fatal(err)
	}
	m.edit(t, h, harness.ScopeUser)
	return h
}

func (m Machine) edit(t *testing.T, h Hook, scope harness.Scope) string {
	t.Helper()
	f, err := h.File(scope)
	if err != nil {
		t.Fatal(err)
	}
	path, err := m.Path(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Edit(targetAt(path), planOf(h)); err != nil {
		t.Fatal(err)
	}
	return path
}

func states(r Report, name string) []State {
	var all []State
	for _, c := range r.Checks {
		if c.Name == name {
			all = append(all, c.State)
		}
	}
	return all
}

func wantStates(t *testing.T, r Report, name string, want ...State) {
	t.Helper()
	if got := states(r, name); !slices.Equal(got, want) {
		t.Errorf("%s is %v, want %v: %+v", name, got, want, r.Checks)
	}
}

func TestExamineClaude(t *testing.T) {
	m := testMachine(t, map[string]string{"claude": "echo 2.1.999 '(Claude Code)'"})
	h := m.installed(t, "claude", denying)
	r := m.Examine(t.Context(), h)
	if r.State != StateNote || r.Version != "2.1.999" {
		t.Errorf("%s, version %s", r.State, r.Version)
	}
	wantStates(t, r, "installed", StateOK)
	wantStates(t, r, "canary", StateOK)
	wantStates(t, r, "fail_closed", StateOK)
	wantStates(t, r, "switched_off", StateOK)
	wantStates(t, r, "driven", StateNote)
	if len(r.Unseen) == 0 || len(r.Hardening) == 0 {
		t.Error("the report does not say what is not seen")
	}

	// A repository switches the hook off, from its root.
	off := filepath.Join(m.Root(), ".claude", "settings.local.json")
	if err := os.MkdirAll(filepath.Dir(off), 0o700); err != nil {
		t.Fatal(err)
	}
	put0(t, off, `{"disableAllHooks": true}`, 0o600)
	r = m.Examine(t.Context(), h)
	wantStates(t, r, "switched_off", StateOff)
	if r.State != StateOff {
		t.Errorf("the state is %s", r.State)
	}
	put0(t, off, `{"disableAllHooks"`, 0o600)
	if r = m.Examine(t.Context(), h); r.State != StateUnreadable {
		t.Errorf("with a half written file: %s", r.State)
	}
}

func TestExamineFindsWhatIsOff(t *testing.T) {
	for _, c := range []struct {
		title, script, old, replaced string
		check                        string
		want                         State
	}{
		{"hook-02 crash", "kill -9 $$", "", "", "canary", StateOff},
		{"lets it run", "cat >/dev/null; echo '{}'", "", "", "canary", StateOff},
		{"no switch", denying, `"onFailure": "block"`, `"x": 1`, "fail_closed", StateOff},
		{"hook-01 another limit", denying, `"timeout": 10`, `"timeout": 900`, "installed", StateOff},
		{"some tools only", denying, `"hooks": [`, `"matcher": "Edit", "hooks": [`, "installed", StateOff},
		{"no entry", denying, `"hooks": {`, `"other": {`, "installed", StateOff},
		{"broken file", denying, "}", "", "installed", StateUnreadable},
	} {
		m := testMachine(t, nil)
		h := m.installed(t, "claude", c.script)
		path := m.edit(t, h, harness.ScopeUser)
		put0(t, path, strings.Replace(content(t, path), c.old, c.replaced, 1), 0o600)
		r := m.Examine(t.Context(), h)
		if !slices.Contains(states(r, c.check), c.want) || r.State != c.want {
			t.Errorf("%s: %s, %+v", c.title, r.State, r.Checks)
		}
	}
}

// TestExamineRunsNothingOfARepository proves that a program which a repository names is
// not started.
func TestExamineRunsNothingOfARepository(t *testing.T) {
	m := testMachine(t, nil)
	trap := filepath.Join(m.Home, "trap")
	evil, err := NewHook("claude", stub(t, "touch "+trap), "")
	if err != nil {
		t.Fatal(err)
	}
	m.edit(t, evil, harness.ScopeProject)
	r := m.Examine(t.Context(), testHook(t, "claude"))
	wantStates(t, r, "canary", StateOff)
	if _, err := os.Stat(trap); err == nil {
		t.Error("it was started")
	}
}

// fakeCodex speaks as codex app-server does, and trusts what config.toml trusts.
const fakeCodex = `case "$*" in *--version*) echo codex-cli 0.171.0; exit;; esac
read -r a; read -r b; read -r c
trust=untrusted; grep -q 'sha256:good' "$HOME/.codex/config.toml" 2>/dev/null && trust=trusted
echo '{"id":0,"result":{}}'
f="$HOME/.codex/hooks.json"
l=$(sed -n 's/.*"command": \("[^"]*"\).*/\1/p' "$f" | head -1)
printf '{"id":1,"result":{"data":[{"hooks":[{"key":"%s:a:0:0","currentHash":"sha256:good","trustStatus":"%s","enabled":true,"command":%s,"sourcePath":"%s"},' "$f" $trust "$l" "$f"
printf '{"key":"%s:b:0:0","currentHash":"sha256:good","trustStatus":"%s","enabled":true,"command":%s,"sourcePath":"%s"},{"key":"evil","currentHash":"sha256:evil","trustStatus":"untrusted","enabled":true,"command":"evil","sourcePath":"%s"}]}]}}\n' "$f" $trust "$l" "$f" "$f"
cat >/dev/null`

func TestCodexTrust(t *testing.T) {
	m := testMachine(t, map[string]string{"codex": fakeCodex})
	h := m.installed(t, "codex", denying)
	r := m.Examine(t.Context(), h)
	wantStates(t, r, "trust", StateOff)
	config, err := m.CodexConfig(h)
	if err != nil {
		t.Fatal(err)
	}
	path := m.edit(t, h, harness.ScopeUser)
	if _, err := m.Trust(t.Context(), h, path, targetAt(config)); err != nil {
		t.Fatal(err)
	}
	if text := content(t, config); strings.Count(text, "sha256:good") != 2 || strings.Contains(text, "evil") {
		t.Errorf("config.toml is\n%s", text)
	}
	r = m.Examine(t.Context(), h)
	wantStates(t, r, "trust", StateOK)
	wantStates(t, r, "canary", StateOK)
	wantStates(t, r, "version", StateOK)
	if result, err := m.Trust(t.Context(), h, path, targetAt(config)); err != nil || result.Changed() {
		t.Errorf("a second time: %+v, %v", result, err)
	}
}

func TestExamineAmp(t *testing.T) {
	const deny = `cat >/dev/null; sed -n 's/^  reason = "\(.*\)"$/\1/p' agent.hcl >&2; exit 2`
	m := testMachine(t, map[string]string{"amp": `case "$1" in --version) echo 0.0.1790142911-gabc;; *)
e=$(echo '{}' | $(sed -n 's/.*"to": "\(.*\)".*/\1/p' $HOME/.config/amp/settings.json) 2>&1) && exit 3
printf '{"action":"reject","error":"%s"}' "$e"; exit 2;; esac`})
	h := m.installed(t, "amp", deny)
	r := m.Examine(t.Context(), h)
	wantStates(t, r, "canary", StateOK)
	wantStates(t, r, "driven", StateOK)
	if r.State == StateOff {
		t.Errorf("%+v", r)
	}
}

// TestDoubled proves that what runs the hook twice, or may get before it, is told.
func TestDoubled(t *testing.T) {
	m := testMachine(t, nil)
	for name, text := range map[string]string{
		"home/.codex/config.toml":    "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ncommand = '/x/policyctl hook codex'\n",
		"project/.amp/settings.json": `{"amp.permissions": [{"tool": "Bash", "action": "allow"}]}`,
	} {
		path := filepath.Join(filepath.Dir(m.Home), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		put0(t, path, text, 0o600)
	}
	for _, name := range harness.Names() {
		want := 0
		if name == "codex" || name == "amp" {
			want = 1
		}
		if got := m.Doubled(testHook(t, name)); len(got) != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := testMachine(t, nil).Doubled(testHook(t, "amp")); len(got) != 0 {
		t.Errorf("nothing there: %q", got)
	}
}

func TestExamineOpencode(t *testing.T) {
	m := testMachine(t, nil)
	h := m.installed(t, "opencode", `cat >/dev/null; printf '{"decision":"deny","reason":"plangate_canary"}'`)
	r := m.Examine(t.Context(), h)
	wantStates(t, r, "canary", StateOK)
	wantStates(t, r, "installed", StateOK)
	other, err := NewHook("opencode", "/usr/bin/policyctl", "")
	if err != nil {
		t.Fatal(err)
	}
	wantStates(t, m.Examine(t.Context(), other), "installed", StateOK)
}

func TestNothingInstalled(t *testing.T) {
	m := testMachine(t, nil)
	for _, name := range harness.Names() {
		h := testHook(t, name)
		if r := m.Examine(t.Context(), h); r.State != StateOff {
			t.Errorf("%s is %s: %+v", name, r.State, r.Checks)
		}
		if m.Found(h) {
			t.Errorf("%s is found", name)
		}
	}
}

func TestOlder(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"2.1.197", "2.1.332", true}, {"2.1.332", "2.1.332", false}, {"2.1.1000", "2.1.332", false}, {"3.0", "2.1.332", false},
		{"2.1.332-beta", "2.1.332", false}, {"2", "2.0.1", true}, {"", "1", true},
	} {
		if got := Older(c.a, c.b); got != c.want {
			t.Errorf("%s before %s: %t", c.a, c.b, got)
		}
	}
}

// TestExamineOldVersion proves that a switch which the version may not know is told.
func TestExamineOldVersion(t *testing.T) {
	m := testMachine(t, map[string]string{"claude": "echo 2.1.197"})
	wantStates(t, m.Examine(t.Context(), m.installed(t, "claude", denying)), "fail_closed", StateNote)
}

// TestExamineUserSwitch proves that the user's own file is looked at as well.
func TestExamineUserSwitch(t *testing.T) {
	m := testMachine(t, nil)
	h := m.installed(t, "gemini", `cat >/dev/null; printf '{"decision":"deny","reason":"plangate_canary"}'`)
	r := m.Examine(t.Context(), h)
	wantStates(t, r, "canary", StateOK)
	wantStates(t, r, "switched_off", StateOK)
	path := m.edit(t, h, harness.ScopeUser)
	put0(t, path, strings.Replace(content(t, path), "{", `{"hooksConfig": {"disabled": ["plangate"]},`, 1), 0o600)
	wantStates(t, m.Examine(t.Context(), h), "switched_off", StateOff)
}

func TestPaths(t *testing.T) {
	home := t.TempDir()
	m := Machine{Home: home, Dir: "/p", Runner: Runner{Environ: []string{"CODEX_HOME=/c", "XDG_CONFIG_HOME=/x", "CLAUDE_CONFIG_DIR=relative"}}}
	for _, c := range []struct {
		cli   string
		scope harness.Scope
		want  string
	}{
		{"codex", harness.ScopeUser, "/c/hooks.json"},
		{"claude", harness.ScopeUser, home + "/.claude/settings.json"},
		{"claude", harness.ScopeLocal, "/p/.claude/settings.local.json"},
		{"opencode", harness.ScopeUser, "/x/opencode/plugin/plangate.js"},
		{"copilot", harness.ScopeUser, home + "/.copilot/hooks/plangate.json"},
		{"cursor", harness.ScopeProject, "/p/.cursor/hooks.json"},
		{"gemini", harness.ScopeManaged, "/etc/gemini-cli/settings.json"},
	} {
		f, err := testHook(t, c.cli).File(c.scope)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.Path(f); err != nil || got != c.want {
			t.Errorf("%s %s: %s, %v", c.cli, c.scope, got, err)
		}
	}
	for cli, scope := range map[string]harness.Scope{"codex": harness.ScopeManaged, "opencode": harness.ScopeManaged, "amp": harness.ScopeLocal} {
		if f, err := testHook(t, cli).File(scope); err == nil {
			t.Errorf("%s %s: %+v", cli, scope, f)
		}
	}
	for _, none := range []string{"", ".", home + "/none"} {
		if _, err := (Machine{Home: none, Dir: "/p"}).Path(harness.ConfigFile{Scope: harness.ScopeUser, Path: "~/.x/y"}); !errors.Is(err, ErrNoHome) {
			t.Errorf("with the home %q: %v", none, err)
		}
	}
}

// TestExamineLimits (HRN-9): a hook that may take longer than its CLI waits is reported, as off
// where the call then runs.
func TestExamineLimits(t *testing.T) {
	for _, c := range []struct {
		cli, old, replaced string
		want               []State
	}{
		{"claude", "", "", nil},
		{"claude", `"timeout": 70`, `"timeout": 68`, []State{StateNote, StateNote, StateNote}},
		{"claude", `"timeout": 70`, `"timeout": 69`, nil},
		{"claude", `"timeout": 70,`, "", nil}, // it waits ten minutes then
		{"codex", `"timeout": 70`, `"timeout": 10`, []State{StateOff, StateOff}},
		{"gemini", `"timeout": 70000`, `"timeout": 10000`, []State{StateOff}},
		{"gemini", `"timeout": 70000`, `"timeout": 2147483648`, []State{StateOff}},
		{"gemini", `"timeout": 70000`, `"timeout": 1e300`, []State{StateOff}},
		{"gemini", `"timeout": 70000`, `"timeout": -1`, []State{StateOff}}, // its default is a minute
		{"copilot", `"timeoutSec": 70`, `"timeoutSec": 10`, []State{StateOff, StateOff}},
		{"cursor", `"timeout": 70`, `"timeout": 10`, []State{StateNote, StateNote, StateNote}},
	} {
		m := testMachine(t, nil)
		h := with(t, m.installed(t, c.cli, denying), "--wait", "60s")
		path := m.edit(t, h, harness.ScopeUser)
		put0(t, path, strings.ReplaceAll(content(t, path), c.old, c.replaced), 0o600)
		if got := states(m.Examine(t.Context(), h), "timeout"); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %v, want %v", c.cli, c.replaced, got, c.want)
		}
	}
}

// TestExamineBashrc: bash reads ~/.bashrc before Gemini's hook where no shell has started the CLI,
// and what it does there may take the answer away.
func TestExamineBashrc(t *testing.T) {
	probe := testMachine(t, nil)
	put0(t, filepath.Join(probe.Home, ".bashrc"), "echo read\n", 0o600)
	out, err := probe.Runner.withoutShell().run(t.Context(), process{words: []string{"bash", "-c", "true"}, dir: probe.Home, socket: true})
	if err != nil || len(out.stdout) == 0 {
		t.Skipf("the bash of this machine does not do that: %v", err)
	}
	for text, want := range map[string][]State{
		"": {StateOK}, "alias ll='ls -l'": {StateOK}, "echo hello": {StateOK, StateNote}, "exit 0": {StateOK, StateNote},
		"[ -z \"$PS1\" ] && return\necho hello": {StateOK},
	} {
		m := testMachine(t, nil)
		m.Runner.Environ = append(m.Runner.Environ, "SHLVL=1")
		h := m.installed(t, "gemini", strings.ReplaceAll(denying, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"%s"}}`,
			`{"decision":"deny","reason":"%s"}`))
		put0(t, filepath.Join(m.Home, ".bashrc"), text+"\n", 0o600)
		wantStates(t, m.Examine(t.Context(), h), "canary", want...)
		if m.Runner = m.Runner.withoutShell(); len(want) > 1 {
			wantStates(t, m.Examine(t.Context(), h), "canary", StateOff)
		}
	}
}
