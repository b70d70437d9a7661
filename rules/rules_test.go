package rules

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
)

// TestMatch checks the models against what was measured or documented (facts, section in the name).
func TestMatch(t *testing.T) {
	claude := func(list, rule string) string { return `{"permissions":{"` + list + `":["` + rule + `"]}}` }
	bash := func(command string) Call { return Call{Tool: "Bash", Arg: command} }
	shellCall := func(command string) Call { return Call{Tool: "shell", Arg: command} }
	gemini := func(rest string) string {
		return "[[rule]]\ntoolName = \"run_shell_command\"\npriority = 100\n" + rest
	}
	run := func(command string) Call { return Call{Tool: "run_shell_command", Arg: command} }
	tests := []struct {
		name string
		cli  CLI
		text string
		call Call
		want Verdict
	}{
		{"1.7 :* is space star", Claude, claude("allow", "Bash(git status:*)"), bash("git status"), Allow},
		{"1.7 :* ends at a word", Claude, claude("allow", "Bash(git status:*)"), bash("git statusx"), None},
		{"1.7 a star may stand anywhere", Claude, claude("allow", "Bash(* -V)"), bash("python3 -V"), Allow},
		{"1.7 names are case-sensitive", Claude, claude("allow", "bash(git status)"), bash("git status"), None},
		{"1.7 an allow needs every part", Claude, claude("allow", "Bash(git *)"), bash("git log && rm x"), None},
		{"1.7 a deny needs one part", Claude, claude("deny", "Bash(rm *)"), bash("git log && rm x"), Deny},
		{"1.7 a deny sees through sudo", Claude, claude("deny", "Bash(python3 *)"), bash("sudo python3 x"), Deny},
		{"1.7 not through bash -c", Claude, claude("deny", "Bash(python3 *)"), bash("bash -c 'python3 x'"), None},
		{"1.7 an allow sees through timeout", Claude, claude("allow", "Bash(python3 *)"), bash("timeout 3 python3 x"), Allow},
		{"1.7 a Read deny also stops Edit", Claude, claude("deny", "Read(.env)"), Call{Tool: "Edit", Arg: "/w/a/.env", Workspace: "/w"}, Deny},
		{"1.7 mcp__server", Claude, claude("ask", "mcp__srv"), Call{Server: "srv", Tool: "x"}, Ask},
		{"3.4 forbidden in a list", Codex, `prefix_rule(pattern=["echo"], decision="forbidden")`, shellCall("true; echo hi"), Deny},
		{"3.4 another directory", Codex, `prefix_rule(pattern=["echo"], decision="forbidden")`, shellCall("/bin/echo hi"), Deny},
		{"3.4 a redirection hides it", Codex, `prefix_rule(pattern=["echo"], decision="forbidden")`, shellCall("echo hi > f"), None},
		{"3.4 an assignment hides it", Codex, `prefix_rule(pattern=["echo"], decision="forbidden")`, shellCall("A=1 echo"), None},
		{"3.4 strictest wins", Codex, "prefix_rule(pattern=[\"git\"])\nprefix_rule(pattern=[\"git\", [\"push\",'fetch']], decision=\"prompt\")", shellCall("git push"), Ask},
		{"4.2 deny in a list", Gemini, gemini("commandPrefix = \"touch\"\ndecision = \"deny\""), run("true && touch x"), Deny},
		{"4.2 an assignment hides it", Gemini, gemini("commandPrefix = \"touch\"\ndecision = \"deny\""), run("A=1 touch x"), None},
		{"4.2 redirection makes an ask", Gemini, gemini(`decision = "allow"`), run("ls > x"), Ask},
		{"5.1 last match wins", OpenCode, `{"permission":{"bash":{"*":"deny","git *":"allow"}}}`, Call{Tool: "bash", Arg: "git log"}, Allow},
		{"5.1 each part", OpenCode, `{"permission":{"bash":{"*":"ask","git *":"allow"}}}`, Call{Tool: "bash", Arg: "git log; ls"}, Ask},
		{"5.1 final star matches the bare command", OpenCode, `{"permission":{"bash":{"touch *":"deny"}}} // x`, Call{Tool: "bash", Arg: "touch"}, Deny},
		{"6.1 first match wins", Amp, `{"amp.permissions":[{"tool":"Bash","matches":{"cmd":"git *"},"action":"allow"},{"tool":"*","action":"reject"}]}`, bash("git x; rm y"), Allow},
		{"6.1 Bash is shell_command too", Amp, `{"amp.permissions":[{"tool":"Bash","action":"reject"}]}`, Call{Tool: "shell_command", Arg: "ls"}, Deny},
		{"7.2 stem", Copilot, "--allow-tool='shell(git:*)'", shellCall("git push"), Allow},
		{"7.2 not gitea", Copilot, "--allow-tool='shell(git:*)'", shellCall("gitea"), None},
		{"7.2 deny beats allow", Copilot, "--allow-tool=shell\n--deny-tool='shell(touch:*)'", shellCall("touch x"), Deny},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			parsed, err := Parse(tt.cli, Source{Name: "f", Text: []byte(tt.text)})
			if err != nil {
				t.Fatal(err)
			}
			if got := Match(tt.cli, parsed, tt.call); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		name string
		cli  CLI
		text string
		line int
		code string
	}{
		{"no JSON", Claude, "{\n\"permissions\": x}", 2, CodeSyntax},
		{"half written", Amp, "{\"amp.permissions\": [", 1, CodeSyntax},
		{"empty", OpenCode, "", 1, CodeSyntax},
		{"UTF-16", Claude, "\xff\xfe{\x00}\x00", 0, CodeSyntax},
		{"a list", OpenCode, "[]", 1, CodeSyntax},
		{"key twice: which one counts is not known", OpenCode, `{"permission":{"bash":"deny","bash":"allow"}}`, 0, CodeSyntax},
		{"unknown action", OpenCode, "{\"permission\":\n{\"bash\":\"alow\"}}", 2, CodeValue},
		{"rule without an end", Claude, "{\"permissions\":{\"deny\":[\n\n\"Bash(rm\"]}}", 3, CodeValue},
		{"rule that is a number", Claude, `{"permissions":{"deny":[1]}}`, 1, CodeValue},
		{"unknown key of a rule would widen it", Amp, `{"amp.permissions":[{"tool":"Bash","action":"allow","match":{}}]}`, 1, CodeValue},
		{"unknown decision", Codex, "\nprefix_rule(pattern=[\"a\"], decision=\"no\")", 2, CodeValue},
		{"no pattern", Codex, "prefix_rule(decision=\"allow\")", 1, CodeValue},
		{"a program", Codex, "x = 1", 1, CodeSyntax},
		{"deep", Codex, strings.Repeat("[", 5000), 0, CodeLimit},
		{"unknown key", Gemini, "[[rule]]\ntoolName = \"x\"\ntoolNames = \"y\"", 3, CodeValue},
		{"no priority", Gemini, "[[rule]]\ntoolName = \"x\"\ndecision = \"deny\"", 1, CodeValue},
		{"another table", Gemini, "[rule]\n", 1, CodeSyntax},
		{"unknown flag", Copilot, "--yolo", 1, CodeValue},
		{"too large", Codex, strings.Repeat("#", MaxBytes+1), 0, CodeLimit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(tt.cli, Source{Name: "f", Text: []byte(tt.text)})
			got, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if got.Code != tt.code || tt.line > 0 && got.Line != tt.line {
				t.Errorf("got line %d code %s, want %d %s: %v", got.Line, got.Code, tt.line, tt.code, err)
			}
		})
	}
}

// TestImport checks what becomes of a rule: decisions by the imported policy, and losses.
func TestImport(t *testing.T) {
	own := func(cli CLI, operation, input string) plangate.Call {
		return plangate.Call{Provider: string(cli), Operation: operation, Input: []byte(input), Cwd: "/w", Workspace: "/w", Home: "/h"}
	}
	tests := []struct {
		name   string
		cli    CLI
		text   string
		call   plangate.Call
		want   plangate.Action
		losses []Effect
	}{
		{"allow of a command", Claude, `{"permissions":{"allow":["Bash(git status:*)"]}}`, own(Claude, "bash", `{"command":"git status -s"}`), plangate.Allow, nil},
		{"not with an effect", Claude, `{"permissions":{"allow":["Bash(git status:*)"]}}`, own(Claude, "bash", `{"command":"git status > x"}`), plangate.Ask, nil},
		{"unknown tool: refuse to allow", Claude, `{"permissions":{"allow":["Frobnicate(x)"]}}`, own(Claude, "Frobnicate", `{}`), plangate.Ask, []Effect{Dropped}},
		{"unknown tool: keep the deny", Claude, `{"permissions":{"deny":["Frobnicate(x)"]}}`, own(Claude, "Frobnicate", `{}`), plangate.Deny, []Effect{Stricter}},
		{"hook-16 a deny with a pattern is not widened in silence", Claude, `{"permissions":{"deny":["Agent(review)"]}}`, own(Claude, "spawn_agent", `{}`), plangate.Deny, []Effect{Stricter}},
		{"name-05 mcp__server", Claude, `{"permissions":{"deny":["mcp__ctx"]}}`, plangate.Call{Provider: "ctx", Operation: "resolve"}, plangate.Deny, nil},
		{"name-06 an allow is for one server", Claude, `{"permissions":{"allow":["mcp__my_server__x"]}}`, plangate.Call{Provider: "my.server", Operation: "x"}, plangate.Ask, nil},
		{"name-06 a deny is for all it may name", Claude, `{"permissions":{"deny":["mcp__my_server__x"]}}`, plangate.Call{Provider: "my.server", Operation: "x"}, plangate.Deny, nil},
		{"two globs of one server are no conflict", Claude, `{"permissions":{"allow":["mcp__s__get*","mcp__s__*x"]}}`, plangate.Call{Provider: "s", Operation: "ax"}, plangate.Allow, nil},
		{"last match wins", OpenCode, `{"permission":{"bash":{"*":"ask","git status":"allow"}}}`, own(OpenCode, "bash", `{"command":"git status"}`), plangate.Allow, nil},
		{"last match wins: nothing before it", OpenCode, `{"permission":{"bash":{"git status":"allow","*":"deny"}}}`, own(OpenCode, "bash", `{"command":"git status"}`), plangate.Deny, nil},
		{"name-04 a deny of edit is one of write", OpenCode, `{"permission":{"edit":"deny"}}`, own(OpenCode, "write_file", `{"filePath":"/w/a"}`), plangate.Deny, nil},
		{"first match wins", Amp, `{"amp.permissions":[{"tool":"Bash","matches":{"cmd":"ls"},"action":"allow"},{"tool":"*","action":"reject"}]}`, own(Amp, "bash", `{"cmd":"ls"}`), plangate.Allow, nil},
		{"an allow of one name of several", Amp, `{"amp.permissions":[{"tool":"shell_command","action":"allow"}]}`, own(Amp, "bash", `{"command":"ls"}`), plangate.Ask, []Effect{Dropped}},
		{"priorities", Gemini, "[[rule]]\ntoolName=\"run_shell_command\"\ndecision=\"allow\"\npriority=1\n[[rule]]\ntoolName=\"run_shell_command\"\ncommandPrefix=\"rm\"\ndecision=\"deny\"\npriority=2", own(Gemini, "bash", `{"command":"rm x"}`), plangate.Deny, nil},
		{"a mode narrows an allow", Gemini, "[[rule]]\ntoolName=\"replace\"\ndecision=\"allow\"\npriority=1\nmodes=[\"plan\"]", own(Gemini, "edit_file", `{"file_path":"/w/a"}`), plangate.Ask, []Effect{Dropped}},
		{"strictest of the prefixes", Codex, `prefix_rule(pattern=["git"])
prefix_rule(pattern=["git","push"], decision="forbidden")`, own(Codex, "bash", `{"command":"git push"}`), plangate.Deny, nil},
		{"a mode is not read", Claude, `{"permissions":{"defaultMode":"dontAsk"}}`, own(Claude, "bash", `{"command":"ls"}`), plangate.Ask, []Effect{Partial}},
		{"rules of an agent are not read", OpenCode, `{"agent":{"x":{"permission":{"bash":"deny"}}}}`, own(OpenCode, "bash", `{"command":"ls"}`), plangate.Ask, []Effect{Partial}},
		{"tools that are switched off are not read", Amp, `{"amp.tools.disable":["Bash"]}`, own(Amp, "bash", `{"cmd":"ls"}`), plangate.Ask, []Effect{Partial}},
		{"a network rule is lost", Codex, `network_rule(host="x.y", decision="forbidden")`, own(Codex, "bash", `{"command":"ls"}`), plangate.Ask, []Effect{Partial}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result, err := Import(tt.cli, Source{Name: "dir/f.json", Text: []byte(tt.text)})
			if err != nil {
				t.Fatal(err)
			}
			file, diags := dsl.Parse("agent.hcl", result.Text)
			if len(diags) > 0 {
				t.Fatalf("%s\n%s", result.Text, diags.Error())
			}
			table, diags := compile.Compile(compile.Input{Catalog: builtin(tt.cli),
				Layers: []compile.LayerFile{{Layer: plangate.LayerProject, File: file, Trusted: true}}})
			if diags.HasErrors() {
				t.Fatalf("%s\n%s", result.Text, diags.Error())
			}
			if got := table.Decide(tt.call); got.Action() != tt.want {
				t.Errorf("got %v by %s, want %v\n%s", got.Action(), got.DecidedBy(), tt.want, result.Text)
			}
			var effects []Effect
			for _, loss := range result.Losses {
				effects = append(effects, loss.Effect)
				if loss.File != "dir/f.json" || loss.Line == 0 || loss.Rule == "" {
					t.Errorf("a loss without a place: %+v", loss)
				}
			}
			if diff := cmp.Diff(tt.losses, effects); diff != "" {
				t.Errorf("losses (-want +got): %s", diff)
			}
			if len(file.Guards)+len(file.Policies) > 0 && !strings.Contains(string(result.Text), "# dir/f.json") {
				t.Errorf("no comment says where a block came from:\n%s", result.Text)
			}
		})
	}
}

// TestGrantsAreNotExported: a grant is no pattern (the seed: "git push *" also matches what follows).
func TestGrantsAreNotExported(t *testing.T) {
	const policy = "policy \"push\" {\n  match  = { operation = \"bash\" }\n  grant  = \"git-push\"\n  action = \"allow\"\n}\n" +
		"agent_profile \"worker\" {\n  grants = [\"git-push\"]\n}\n"
	for _, name := range ExportNames() {
		result, err := Export(CLI(name), compiled(t, CLI(name), policy), ExportOptions{Binder: binder, Profile: "worker"})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(result.Text), "push") {
			t.Errorf("%s:\n%s", name, result.Text)
		}
		if !slices.ContainsFunc(result.Losses, func(l Loss) bool { return l.Effect == Dropped && l.Rule == "policy:push" }) {
			t.Errorf("%s: no loss says so: %v", name, result.Losses)
		}
	}
}

func FuzzImport(f *testing.F) {
	for _, text := range []string{
		`{"permissions":{"allow":["Bash(git status:*)","Read(//a/**)"],"deny":["mcp__a__*"]}}`,
		`prefix_rule(pattern=["git", ["push","fetch"]], decision="prompt", match=["git push"])`,
		"[[rule]]\ntoolName = [\"a\"]\ndecision = \"allow\"\npriority = 1\nargsPattern = 'x'",
		`{"permission":{"bash":{"*":"ask",},/* x */"srv_*":"deny"}}`,
		`{"amp.permissions":[{"tool":"Bash","matches":{"cmd":["a*","/^b/"]},"action":"allow"}]}`,
		"--deny-tool='shell(git:*)'",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range ExportNames() {
			source := Source{Name: "f", Text: []byte(text)}
			parsed, err := Parse(CLI(name), source)
			if err != nil {
				if _, ok := errors.AsType[*Error](err); !ok {
					t.Fatalf("%s: %T", name, err)
				}
				continue
			}
			Match(CLI(name), parsed, Call{Tool: "Bash", Arg: text})
			if !slices.Contains(ImportNames(), name) {
				continue
			}
			result, err := Import(CLI(name), source)
			if err != nil {
				t.Fatalf("%s reads %q and does not import it: %v", name, text, err)
			}
			if _, diags := dsl.Parse("agent.hcl", result.Text); diags.HasErrors() {
				t.Fatalf("%s: %v\n%s", name, diags, result.Text)
			}
		}
	})
}
