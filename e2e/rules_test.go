//go:build unix

package e2e

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/bind"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/rules"
	"github.com/plangate/plangate/when"
)

// A ruled driver is a CLI that obeys nothing but its own rules: without a hook, and where
// nobody answers its questions, so that an ask is a refusal.
type ruled interface {
	driver
	// Rules writes a rule file where the CLI reads it, or remembers it.
	Rules(w *world, text string)
	// Free says that a call which no rule matches runs.
	Free() bool
	// Plain is the CLI without rules, which shows whether it can be driven.
	Plain() driver
}

// A ruledCall is a shell command and the file that there is after it ran.
type ruledCall struct{ command, left string }

// ruledCalls are what every CLI is made to decide by its rules: touch is allowed, so is
// exactly `mkdir exact1`, `touch denied` is denied and nothing is said of the rest.
func ruledCalls() []ruledCall {
	return []ruledCall{
		{"touch a1", "a1"}, {"touch extra a2", "a2"}, {"mkdir exact1", "exact1"}, {"mkdir exact1 m2", "m2"}, {"mkdir m3", "m3"},
		{"touch denied d1", "d1"},
		{"touch c1 && mkdir c1d", "c1d"}, {"touch c2 && touch c2b", "c2b"}, {"touch c3; touch denied c3b", "c3b"}, {"touch c4 | mkdir c4d", "c4d"},
		{"touch c5 & mkdir c5d", "c5d"}, {"touch c6 || mkdir c6d; mkdir c6e", "c6e"}, {"touch n1\nmkdir n1d", "n1d"}, {"touch n2\ntouch n2d", "n2d"},
		{"touch $(mkdir s1d; echo s1)", "s1d"}, {"touch `mkdir b1d; echo b1`", "b1d"}, {"touch <(mkdir p1d)", "p1d"}, {"touch $(touch s2d; echo s2)", "s2d"},
		{"FOO=1 touch e1", "e1"}, {"env touch e2", "e2"}, {"timeout 5 touch t1", "t1"}, {"nohup touch t2", "t2"}, {"echo x1 | xargs touch", "x1"},
		{"/usr/bin/touch w1", "w1"}, {"touch 'q1'", "q1"}, {"'touch' q2", "q2"}, {"\\touch q3", "q3"}, {"touch r1 > r1out", "r1out"},
		{"touch\tk1", "k1"}, {"touch  sp1", "sp1"}, {" touch sp2", "sp2"}, {"(touch g1)", "g1"}, {"{ touch g2; }", "g2"},
		{"if true; then touch g3; fi", "g3"}, {"if true; then mkdir g4; fi", "g4"}, {"f() { mkdir g5; }; f", "g5"},
		{"bash -c 'touch h1'", "h1"}, {"bash -c 'mkdir h2'", "h2"}, {"eval touch h3", "h3"}, {"cd . && touch cd1", "cd1"}, {"touch h4 # mkdir", "h4"},
		{"touch \"denied\" dq1", "dq1"}, {"touch -- denied dd1", "dd1"}, {"touch  denied ds1", "ds1"}, {"FOO=1 touch denied de1", "de1"},
		{"timeout 5 touch denied dt1", "dt1"}, {"/usr/bin/touch denied dw1", "dw1"}, {"bash -c 'touch denied db1'", "db1"},
		{"touch den\"\"ied dx1", "dx1"}, {"(touch denied dg1)", "dg1"}, {"touchy=1; touch denied dh1", "dh1"}, {"TOUCH denied", missingProgram},
	}
}

// differences are what is known of a CLI and not in the model of its rules. None is about
// what export writes as allowed.
type differences struct {
	runs    []string // commands that run although the model does not allow them
	refused []string // commands that do not run although the model allows them
}

// TestRules compares the model of each CLI's rules, on which export and import rest, with
// what the real CLI does, and a policy that is imported from the rules with both.
func TestRules(t *testing.T) {
	needCLIs(t)
	for _, c := range []struct {
		cli   ruled
		text  string
		known differences
	}{
		{ruledClaude{}, `{"permissions": {"allow": ["Bash(touch:*)", "Bash(mkdir exact1)"], "deny": ["Bash(touch denied:*)"]}}`, differences{
			runs: []string{"timeout 5 touch t1", "nohup touch t2", "echo x1 | xargs touch", "'touch' q2", "\\touch q3", "touch\tk1",
				"if true; then touch g3; fi", "cd . && touch cd1"},
			refused: []string{"touch <(mkdir p1d)", "touch r1 > r1out", "touch \"denied\" dq1", "touch  denied ds1", "touch den\"\"ied dx1"},
		}},
		{ruledCodex{}, "prefix_rule(pattern=[\"touch\"], decision=\"allow\")\nprefix_rule(pattern=[\"touch\", \"denied\"], decision=\"forbidden\")\n" +
			"prefix_rule(pattern=[\"mkdir\"], decision=\"prompt\")\n", differences{runs: []string{"touch c5 & mkdir c5d"}}},
		{ruledGemini{}, "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"touch\"\ndecision = \"allow\"\npriority = 100\n" +
			"[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"touch denied\"\ndecision = \"deny\"\npriority = 200\n", differences{}},
		{ruledOpencode{}, `{"permission": {"bash": {"*": "deny", "touch *": "allow", "mkdir exact1": "allow", "touch denied *": "deny"}}}`, differences{
			runs: []string{"(touch g1)", "{ touch g2; }", "cd . && touch cd1"}, refused: []string{"touch <(mkdir p1d)"},
		}},
		{ruledCopilot{}, "--allow-tool=shell(touch:*)\n--allow-tool=shell(mkdir exact1)\n--deny-tool=shell(touch denied:*)\n", differences{
			runs: []string{"FOO=1 touch e1", "touch\tk1", "(touch g1)", "{ touch g2; }", "if true; then touch g3; fi", "FOO=1 touch denied de1"},
			refused: []string{"mkdir exact1", "touch c1 && mkdir c1d", "touch c4 | mkdir c4d", "touch c5 & mkdir c5d", "touch c6 || mkdir c6d; mkdir c6e",
				"touch n1\nmkdir n1d", "touch $(mkdir s1d; echo s1)", "touch `mkdir b1d; echo b1`", "touch <(mkdir p1d)", "touch r1 > r1out"},
		}},
	} {
		t.Run(c.cli.Name(), func(t *testing.T) { compareRules(t, c.cli, c.text, c.known) })
	}
}

func needCLIs(t *testing.T) {
	t.Helper()
	if os.Getenv(clisEnv) == "" {
		t.Skipf("%s does not name the directory of node_modules; use make e2e", clisEnv)
	}
}

// perTurn is how many calls are made at once: some CLIs take seconds for each turn.
const perTurn = 8

// obey lets a CLI make all calls under its own rules, and returns which of them ran, and
// whether all were answered: OpenCode ends after a question that nobody answers.
func obey(t *testing.T, cli ruled, text string) (w *world, ran []bool, all bool) {
	t.Helper()
	if _, err := reach(t, cli.Plain(), describe(t, cli.Name())); err != nil {
		t.Skip(err)
	}
	calls := ruledCalls()
	w = newWorld(t, cli, func(*world) script {
		turns := make([]turn, (len(calls)+perTurn-1)/perTurn)
		for i, c := range calls {
			at := &turns[i/perTurn]
			at.Calls = append(at.Calls, cli.Shell(c.command))
		}
		return script{mainMarker: turns}
	})
	cli.Configure(w)
	cli.Rules(w, text)
	w.run()
	answers := 0
	for i, c := range calls {
		if _, answered := w.model.result(place{mainMarker, i / perTurn, i % perTurn}); answered {
			answers++
		}
		ran = append(ran, w.exists(c.left))
	}
	t.Logf("%d of %d calls were answered", answers, len(calls))
	return w, ran, answers == len(calls)
}

func compareRules(t *testing.T, cli ruled, text string, known differences) {
	name := rules.CLI(cli.Name())
	source := rules.Source{Name: "rules", Text: []byte(text), Base: "~/.claude"}
	parsed, err := rules.Parse(name, source)
	if err != nil {
		t.Fatal(err)
	}
	w, ran, all := obey(t, cli, text)
	if !all {
		t.Fatal("the model was not sent all results")
	}
	tool := cli.Shell("").Name
	switch name { // as their rules know it
	case rules.Codex, rules.Copilot:
		tool = "shell"
	}
	imported := importedPolicy(t, name, source)
	for i, c := range ruledCalls() {
		if c.left == missingProgram {
			continue
		}
		verdict := rules.Match(name, parsed, rules.Call{Tool: tool, Arg: c.command, Workspace: w.workspace, Home: w.home})
		may := verdict == rules.Allow || verdict == rules.None && cli.Free()
		if got, want := ran[i] && !may, slices.Contains(known.runs, c.command); got != want {
			t.Errorf("%q ran: %t, the model says %s; known to run in spite of it: %t", c.command, ran[i], verdict, want)
		}
		if got, want := !ran[i] && may, slices.Contains(known.refused, c.command); got != want {
			t.Errorf("%q ran: %t, the model says %s; known to be refused in spite of it: %t", c.command, ran[i], verdict, want)
		}
		if imported != nil && !ran[i] && decideShell(w, imported, name, c.command) == plangate.Allow {
			t.Errorf("looser: %q is refused by the CLI and allowed by the imported policy", c.command)
		}
	}
}

// missingProgram is left by a command that no system has, which says nothing about rules.
const missingProgram = "TOUCH"

// importedPolicy is the table of the policy that is imported from rules, nil where there is
// no import.
func importedPolicy(t *testing.T, cli rules.CLI, source rules.Source) *eval.Table {
	t.Helper()
	if !slices.Contains(rules.ImportNames(), string(cli)) {
		return nil
	}
	result, err := rules.Import(cli, source)
	if err != nil {
		t.Fatal(err)
	}
	return compiledPolicy(t, cli, result.Text)
}

func compiledPolicy(t *testing.T, cli rules.CLI, text []byte) *eval.Table {
	t.Helper()
	file, diags := dsl.Parse("agent.hcl", text)
	table, diags := compile.Compile(compile.Input{
		Layers:  []compile.LayerFile{{Layer: plangate.LayerProject, File: file, Trusted: true}},
		Catalog: catalog.Builtin(string(cli)), Findings: diags,
	})
	if diags.HasErrors() {
		t.Fatalf("%s\n%s", diags.Error(), text)
	}
	return table
}

func decideShell(w *world, table *eval.Table, cli rules.CLI, command string) plangate.Action {
	key := map[rules.CLI]string{rules.Amp: "cmd"}[cli]
	input, err := json.Marshal(map[string]string{cmp.Or(key, "command"): command})
	if err != nil {
		w.t.Fatal(err)
	}
	return table.Decide(plangate.Call{
		ID: "1", Provider: string(cli), Operation: "bash", Input: input, Cwd: w.workspace, Workspace: w.workspace, Home: w.home,
	}).Action()
}

// exportedPolicy allows a command as it stands, and more that no CLI's pattern can say.
const exportedPolicy = `
policy "exact" {
  match   = { operation = "bash" }
  command = ["=mkdir exact1"]
  path    = ["./**"]
  action  = "allow"
}
policy "touch" {
  match   = { operation = "bash" }
  command = ["touch", "=true"]
  path    = ["./**"]
  action  = "allow"
}
guard "denied" {
  command = ["touch denied"]
  action  = "deny"
}
`

// TestExport: what a CLI runs unasked by exported rules the policy allows.
func TestExport(t *testing.T) {
	needCLIs(t)
	for _, cli := range []ruled{ruledClaude{}, ruledGemini{}, ruledOpencode{}, ruledCopilot{}} {
		t.Run(cli.Name(), func(t *testing.T) {
			name := rules.CLI(cli.Name())
			table := compiledPolicy(t, name, []byte(exportedPolicy))
			result, err := rules.Export(name, table, rules.ExportOptions{Binder: bind.Binder{When: when.Language{}}})
			if err != nil {
				t.Fatal(err)
			}
			w, ran, _ := obey(t, cli, string(result.Text))
			for i, c := range ruledCalls() {
				if ran[i] && decideShell(w, table, name, c.command) != plangate.Allow {
					t.Errorf("looser: %q ran by the exported rules\n%s", c.command, result.Text)
				}
			}
		})
	}
}

type ruledClaude struct{ claude }

func (ruledClaude) Plain() driver { return claude{} }

func (ruledClaude) Free() bool { return false }

func (ruledClaude) Rules(w *world, text string) { w.put(w.inHome(".claude/settings.json"), text) }

func (c ruledClaude) Command(w *world, prompt string) (args, env []string) {
	_, env = c.claude.Command(w, prompt)
	return []string{"claude", "-p", prompt, "--permission-mode", "default"}, env
}

type ruledCodex struct{ codex }

func (ruledCodex) Plain() driver { return codex{} }

func (ruledCodex) Free() bool { return true }

func (ruledCodex) Rules(w *world, text string) { w.put(w.inHome(".codex/rules/default.rules"), text) }

type ruledGemini struct{ gemini }

func (ruledGemini) Plain() driver { return gemini{} }

func (ruledGemini) Free() bool { return false }

func (ruledGemini) Rules(w *world, text string) { w.put(w.inHome(".gemini/policies/rules.toml"), text) }

func (g ruledGemini) Command(w *world, prompt string) (args, env []string) {
	_, env = g.gemini.Command(w, prompt)
	return []string{"gemini", "-p", prompt, "-m", "gemini-2.5-pro"}, env
}

type ruledOpencode struct{ opencode }

func (ruledOpencode) Plain() driver { return opencode{} }

func (ruledOpencode) Free() bool { return false }

func (ruledOpencode) Rules(w *world, text string) {
	var config, own map[string]any
	for name, into := range map[string]*map[string]any{w.text("opencode.json"): &config, text: &own} {
		if err := json.Unmarshal([]byte(name), into); err != nil {
			w.t.Fatal(err)
		}
	}
	config["permission"] = json.RawMessage(between(w, text))
	w.putJSON(w.in("opencode.json"), config)
}

// between is the permission object of a text, in its own order, which counts.
func between(w *world, text string) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		w.t.Fatal(err)
	}
	return string(fields["permission"])
}

type ruledCopilot struct{ copilot }

func (ruledCopilot) Plain() driver { return copilot{} }

func (ruledCopilot) Free() bool { return false }

func (ruledCopilot) Rules(w *world, text string) { w.put(w.in("flags.txt"), text) }

func (c ruledCopilot) Command(w *world, prompt string) (args, env []string) {
	_, env = c.copilot.Command(w, prompt)
	args = []string{"copilot", "-p", prompt, "--no-auto-update", "--trust-folder"}
	return append(args, strings.Split(strings.TrimSpace(strings.ReplaceAll(w.text("flags.txt"), "'", "")), "\n")...), env
}
