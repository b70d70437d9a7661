package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/ancestry"
	"github.com/plangate/plangate/gate"
)

func wantExit(t *testing.T, got, want int, errs string) {
	t.Helper()
	if got != want {
		t.Fatalf("exit code %d, want %d: %s", got, want, errs)
	}
}

func wantIn(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

func wantNotIn(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%q is in:\n%s", part, text)
		}
	}
}

// lastAnswer reads the last line that `--format json` printed.
func lastAnswer(t *testing.T, out string) (a answered) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &a); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	return a
}

func TestAnswerOutcomes(t *testing.T) {
	tests := []struct {
		name   string
		before func(o *office, item gate.Item)
		args   []string
		exit   int
		code   string
		state  gate.State
	}{
		{"appr-01 first answer wins", nil, nil, codeFine, "", gate.Ready},
		{"appr-01 second answer changes nothing", func(o *office, item gate.Item) { o.allow(item, "bob") },
			nil, codeFindings, "already_answered", gate.Ready},
		{"appr-07 too late", func(o *office, _ gate.Item) { o.pass(61 * time.Minute) },
			nil, codeFindings, "expired", gate.Denied},
		{"appr-08 superseded", func(o *office, _ gate.Item) {
			if _, err := o.session.UserMessage(o.t.Context()); err != nil {
				o.t.Fatal(err)
			}
		}, nil, codeFindings, "superseded", gate.Denied},
		{"policy denies by now", func(o *office, _ gate.Item) {
			o.write("agent.hcl", strings.Replace(officePolicy, `"ask"`, `"deny"`, 1))
		},
			nil, codeFindings, "policy_denies", gate.Denied},
		{"policy does not load by now", func(o *office, _ gate.Item) { o.write("agent.hcl", "polici {") },
			nil, codeUsage, "not_answered", gate.Waiting},
		{"correction does not fit", nil, []string{"--input", `{"command":7}`}, codeFindings, "invalid_correction", gate.Waiting},
		{"correction fits", nil, []string{"--input", `{"command":"make check"}`}, codeFine, "", gate.Ready},
		{"actor that cannot be", nil, []string{"--actor", "a\x1b"}, codeUsage, "invalid_verdict", gate.Waiting},
		{"session", nil, []string{"--scope", "session"}, codeFine, "", gate.Ready},
		{"always", nil, []string{"--scope", "always"}, codeFine, "", gate.Ready},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := newOffice(t, officePolicy)
			item := o.ask("t1", "make test")[0]
			if test.before != nil {
				test.before(o, item)
			}
			code, out, errs := o.answer("allow", item, append(test.args, "--format", "json")...)
			wantExit(t, code, test.exit, out+errs)
			got := lastAnswer(t, out)
			if got.Code != test.code || got.Applied != (test.exit == codeFine) || got.ID != item.ID || got.Message == "" {
				t.Errorf("got %+v", got)
			}
			if state := o.item(item.ID).State; state != test.state {
				t.Errorf("state %s, want %s", state, test.state)
			}
		})
	}
}

func TestAnswerRepeated(t *testing.T) {
	o := newOffice(t, officePolicy)
	item := o.ask("t1", "make test")[0]
	for i, want := range []bool{false, true, true} { // appr-01: a retry is no second answer
		code, out, errs := o.answer("allow", item, "--format", "json", "--input", `{"command":"make check"}`)
		wantExit(t, code, codeFine, errs)
		if got := lastAnswer(t, out); !got.Applied || got.Repeated != want {
			t.Errorf("answer %d: %+v", i, got)
		}
	}
	code, out, _ := o.answer("allow", item, "--input", `{"command":"make check"}`)
	wantExit(t, code, codeFine, out)
	wantIn(t, out, "just this was answered before, by ann@desk at 2030-01-01T12:00:00Z")
	code, _, errs := o.answer("deny", item)
	wantExit(t, code, codeFindings, errs)
	wantIn(t, errs, "already_answered", "allow by ann@desk at 2030-01-01T12:00:00Z", "Your answer changed nothing.")
}

func TestAnswerDeny(t *testing.T) {
	o := newOffice(t, officePolicy)
	item := o.ask("t1", "make test")[0]
	code, out, errs := o.answer("deny", item, "--message", "Not now.")
	wantExit(t, code, codeFine, errs)
	wantIn(t, out, item.ID+": denied once (bash)")
	got := o.item(item.ID)
	if got.Ending != gate.EndHuman || got.Answer.Actor != "ann@desk" || got.Answer.Message != "Not now." {
		t.Errorf("got %+v", got.Answer)
	}
	wantIn(t, got.Text, "Not now.")
}

func TestAnswerAlways(t *testing.T) {
	o := newOffice(t, officePolicy)
	item := o.ask("t1", "make test")[0]
	code, out, errs := o.answer("allow", item, "--scope", "always")
	wantExit(t, code, codeFine, errs)
	written := o.item(item.ID).Answer.Written
	wantIn(t, out, "allowed always", "written to "+written)
	wantIn(t, written, filepath.Join(o.project, "agent.hcl")+":")
	if next := o.ask("t2", "make test")[0]; next.State != gate.Ready {
		t.Errorf("the next one is %s", next.State)
	}
}

func TestAnswerAddressesExactlyOneCall(t *testing.T) {
	o := newOffice(t, officePolicy)
	items := o.ask("t1", "a", "b")
	token := o.token()
	answer := []string{"--token-file", token, "--actor", "ann"}
	tests := []struct {
		name string
		args []string
		exit int
		say  string
	}{
		{"appr-02 the digest of another call", []string{items[0].ID, "--digest", items[1].Digest}, codeFindings, "[stale]"},
		{"appr-02 no digest and nobody who saw it", []string{items[0].ID}, codeUsage, "--digest"},
		{"appr-07 an unknown id", []string{"aaaaaaaaaaaaaaaaaaaaaaaaaa", "--digest", items[0].Digest}, codeUsage, "unknown id"},
		{"an id of the model", []string{"t1a", "--digest", items[0].Digest}, codeUsage, "is no whole id"},
		{"the beginning of an id, unseen", []string{items[0].ID[:8], "--digest", items[0].Digest}, codeUsage, "is no whole id"},
		{"appr-15 one digest for two", []string{items[0].ID, items[1].ID, "--digest", items[0].Digest}, codeUsage, "one id at a time"},
		{"no id", nil, codeUsage, "give the id"},
		{"a scope that is none", []string{items[0].ID, "--scope", "forever"}, codeUsage, "once, session, always"},
		{"an input that is no JSON", []string{items[0].ID, "--digest", items[0].Digest, "--input", "{"}, codeUsage, "--input"},
		{"an input file that is not there", []string{items[0].ID, "--digest", items[0].Digest, "--input", "@nothing"}, codeUsage, "nothing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, _, errs := o.run(append(append([]string{"allow"}, test.args...), answer...)...)
			wantExit(t, code, test.exit, errs)
			wantIn(t, errs, test.say)
		})
	}
	for _, item := range items {
		if o.item(item.ID).State != gate.Waiting {
			t.Errorf("%s does not wait any more", item.Call.ID)
		}
	}
}

func TestAnswerRefused(t *testing.T) {
	o := newOffice(t, officePolicy)
	item := o.ask("t1", "make test")[0]
	tests := []struct {
		name string
		sign ancestry.Sign
		err  error
		code string
	}{
		{"agent", ancestry.Sign{Kind: ancestry.Agent, Agent: "Claude Code", PID: 7, Mark: "claude\x1b"}, nil, refusedAgent},
		{"variable", ancestry.Sign{Kind: ancestry.Variable, Agent: "Codex", Mark: "CODEX_SANDBOX"}, nil, refusedAgent},
		{"cannot tell", ancestry.Sign{}, ancestry.ErrGone, refusedAgent},
		{"appr-21 no terminal", ancestry.Sign{}, nil, refusedTerminal},
	}
	for _, test := range tests {
		o.human.look = func() (ancestry.Sign, error) { return test.sign, test.err }
		for _, args := range [][]string{
			{"allow", item.ID}, {"deny", item.ID}, {"allow", item.ID, "--yes"}, {"allow", item.ID, "--digest", item.Digest},
			{"token", "--create", filepath.Join(o.home, "mine")}, {"token", "--revoke"},
		} {
			code, out, errs := o.run(args...)
			wantExit(t, code, codeFindings, errs)
			wantIn(t, errs, "["+test.code+"]", "--token-file")
			checkSafe(t, errs)
			if out != "" {
				t.Errorf("%s %v: shown: %s", test.name, args, out)
			}
		}
	}
	if o.item(item.ID).State != gate.Waiting {
		t.Error("it was answered")
	}
	if _, err := os.Stat(filepath.Join(o.home, "mine")); err == nil {
		t.Error("a token was made")
	}
}

func TestAnswerUnderAgentWithToken(t *testing.T) {
	o := newOffice(t, officePolicy)
	o.human.look = func() (ancestry.Sign, error) { return ancestry.Sign{Kind: ancestry.Agent}, nil }
	code, _, errs := o.answer("allow", o.ask("t1", "make test")[0])
	wantExit(t, code, codeFine, errs)
}

func TestTokenFile(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(o *office, token string) string
		exit  int
		say   string
	}{
		{"good", func(_ *office, token string) string { return token }, codeFine, ""},
		{"others can read it", func(o *office, token string) string { must(o, os.Chmod(token, 0o640)); return token }, codeFindings, "0640"},
		{"another token", func(o *office, token string) string {
			must(o, os.WriteFile(token, []byte("other"), 0o600))
			return token
		}, codeFindings, "not the valid one"},
		{"empty", func(o *office, token string) string { must(o, os.WriteFile(token, nil, 0o600)); return token }, codeFindings, "not the valid one"},
		{"no such file", func(_ *office, token string) string { return token + "x" }, codeUsage, "no such file"},
		{"a directory", func(o *office, _ string) string { return o.home }, codeFindings, "no regular file"},
		{"none is valid", func(o *office, token string) string {
			must(o, os.Remove(filepath.Join(o.home, ".local/state/plangate", tokenFile)))
			return token
		}, codeFindings, "no token is valid"},
		{"in the workspace", func(o *office, token string) string {
			inside := filepath.Join(o.project, "token")
			must(o, os.Rename(token, inside))
			return inside
		}, codeFindings, "in the workspace"},
		{"in the workspace behind a link", func(o *office, token string) string {
			must(o, os.Rename(token, filepath.Join(o.project, "token")))
			must(o, os.Symlink(filepath.Join(o.project, "token"), token))
			return token
		}, codeFindings, "in the workspace"},
		{"a pipe that nobody writes to", func(o *office, token string) string { return "/dev/null" }, codeFindings, "no regular file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := newOffice(t, officePolicy)
			item := o.ask("t1", "make test")[0]
			token := test.spoil(o, o.token())
			code, out, errs := o.run("allow", item.ID, "--digest", item.Digest, "--token-file", token)
			wantExit(t, code, test.exit, out+errs)
			wantIn(t, errs, test.say)
			if answered := o.item(item.ID).State == gate.Ready; answered != (test.exit == codeFine) {
				t.Errorf("answered: %v", answered)
			}
		})
	}
}

func must(o *office, err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

func TestListAndShow(t *testing.T) {
	o := newOffice(t, officePolicy)
	code, _, errs := o.run("list")
	wantExit(t, code, codeFine, errs)
	wantIn(t, errs, "no call waits")
	secret := o.plan("t1", plangate.Call{ID: "c\x1b1", Operation: "bash", Cwd: o.project, Workspace: o.project,
		Input: json.RawMessage(`{"command":"KEY=\"s3cr3t\" tool\r\u001b[2Kls","pin":"1234x5678"}`)})[0]
	o.pass(3 * time.Minute)

	code, out, errs := o.run("list")
	wantExit(t, code, codeFine, errs)
	wantIn(t, out, secret.ID[:8], "pending", "3m", "in 57m", "[masked]", `\r\x1b[2Kls`)
	wantNotIn(t, out, "s3cr3t") // audit-03
	checkSafe(t, out)

	code, out, errs = o.run("list", "--format", "json")
	wantExit(t, code, codeFine, errs)
	wantNotIn(t, out, "s3cr3t", "1234x5678")
	checkSafe(t, out)
	var page struct {
		Items []listedItem
		Next  string
	}
	if err := json.Unmarshal([]byte(out), &page); err != nil || len(page.Items) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	if got := page.Items[0]; got.ID != secret.ID || got.Digest != secret.Digest || !got.Masked || got.Call.ID != "c\x1b1" || page.Next != "" {
		t.Errorf("got %+v", got)
	}

	code, out, errs = o.run("show", secret.ID[:6]) // audit-04: who answers sees the exact call
	wantExit(t, code, codeFine, errs)
	wantIn(t, out, `| KEY="s3cr3t" tool\r\x1b[2Kls`, "| 1234x5678", secret.Digest, "policy:gate_bash\n",
		"A person looks at commands.", "risk high", `c\x1b1`, "2030-01-01T13:00:00Z", "2 invisible characters")
	wantIn(t, strings.ReplaceAll(out, "\n"+strings.Repeat(" ", labelWidth+2), ""), "  at           "+o.project+"/agent.hcl:1\n")
	checkSafe(t, out)

	code, out, errs = o.run("show", secret.ID, "--format", "json")
	wantExit(t, code, codeFine, errs)
	var item gate.Item
	if err := json.Unmarshal([]byte(out), &item); err != nil || !strings.Contains(string(item.Call.Input), "s3cr3t") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestListOfExpired(t *testing.T) { // appr-07
	o := newOffice(t, officePolicy)
	items := o.ask("t1", "a", "b")
	o.allow(items[1], "bob")
	o.pass(2 * time.Hour)
	code, out, errs := o.run("list")
	wantExit(t, code, codeFine, errs)
	if out != "" {
		t.Errorf("listed: %s", out)
	}
	code, out, errs = o.run("list", "--recent", "3h")
	wantExit(t, code, codeFine, errs)
	wantIn(t, out, "expired", "allowed")
	wantNotIn(t, out, "pending")
	code, out, errs = o.run("list", "--recent", "1h")
	wantExit(t, code, codeFine, errs)
	wantNotIn(t, out, "expired")
	code, out, errs = o.run("show", items[0].ID)
	wantExit(t, code, codeFine, errs)
	wantIn(t, out, "  expired\n")
	code, out, errs = o.run("show", items[1].ID)
	wantExit(t, code, codeFine, errs)
	wantIn(t, out, "allowed once, ", "bob")
}

func TestListPages(t *testing.T) {
	o := newOffice(t, officePolicy)
	want := map[string]bool{}
	for _, item := range append(o.ask("t1", "a", "b", "c"), o.ask("t2", "d", "e")...) {
		want[item.ID] = true
	}
	for _, mode := range [][]string{nil, {"--recent", "1h"}} {
		got, after := map[string]bool{}, ""
		for page := range 4 {
			args := append([]string{"list", "--limit", "2", "--format", "json"}, mode...)
			if after != "" {
				args = append(args, "--after", after)
			}
			code, out, errs := o.run(args...)
			wantExit(t, code, codeFine, errs)
			var l listedPage
			if err := json.Unmarshal([]byte(out), &l); err != nil {
				t.Fatal(err)
			}
			for i := range l.Items {
				got[l.Items[i].ID] = true
			}
			if after = l.Next; after == "" {
				if page != 2 {
					t.Errorf("%v: %d pages", mode, page+1)
				}
				break
			}
		}
		if len(got) != len(want) {
			t.Errorf("%v: %d items in pages, want %d", mode, len(got), len(want))
		}
	}
	code, out, errs := o.run("list", "--limit", "2")
	wantExit(t, code, codeFine, errs)
	wantIn(t, out, "There are more: policyctl approvals list --after ")
	code, out, errs = o.run("list", "--session", "other", "--format", "json")
	wantExit(t, code, codeFine, errs)
	wantIn(t, out, `"items": []`)
}

func TestHostileNamesEverywhere(t *testing.T) { // audit-12
	o := newOffice(t, officePolicy)
	evil := "x\n\x1b]0;t\a\u202ey\u200b" + strings.Repeat("z", 200)
	item := o.plan("turn"+evil, plangate.Call{ID: "c" + evil, Provider: "p" + evil, Operation: "o" + evil, Cwd: "/w" + evil,
		Workspace: "/w" + evil, Profile: "", Kind: plangate.Resource, Input: json.RawMessage(`{"k\n\u001b":"v\u001b","a":{"b\u202e":1}}`)})[0]
	for _, args := range [][]string{{"list"}, {"show", item.ID}, {"show", item.ID, "--full"}, {"list", "--format", "json"}} {
		code, out, errs := o.run(args...)
		wantExit(t, code, codeFine, errs)
		checkSafe(t, out)
		if args[0] == "list" && len(args) == 1 && strings.Count(out, "\n") != 2 {
			t.Errorf("%d lines in a list of one", strings.Count(out, "\n"))
		}
	}
	code, out, errs := o.answer("deny", item, "--actor", "ann")
	wantExit(t, code, codeFine, errs)
	checkSafe(t, out)
}

func TestNoStore(t *testing.T) {
	o := newOffice(t, officePolicy)
	home := o.home
	o.home = filepath.Join(home, "other")
	must(o, os.Mkdir(o.home, 0o700))
	code, _, errs := o.run("list")
	wantExit(t, code, codeFine, errs)
	wantIn(t, errs, "no call waits")
	code, _, errs = o.run("show", "aaaaaaaa")
	wantExit(t, code, codeUsage, errs)
	for _, args := range [][]string{{"list"}, {"show", "aaaaaa"}, {"watch"}} {
		code, _, errs = o.run(append(args, "--store", "nowhere.db")...)
		wantExit(t, code, codeUsage, errs)
		wantIn(t, errs, "nowhere.db: there is no such store")
	}
	if entries, err := os.ReadDir(o.home); err != nil || len(entries) > 0 {
		t.Errorf("looking made %v (%v)", entries, err)
	}
	o.home = home
}

func TestFindByBeginning(t *testing.T) {
	o := newOffice(t, officePolicy)
	item := o.ask("t1", "a")[0]
	for id, want := range map[string]int{
		item.ID[:6]: codeFine, item.ID: codeFine, strings.ToUpper(item.ID): codeFine, item.ID[:5]: codeUsage, item.ID + "a": codeUsage,
		"aaaaaaaaaaaaaaaaaaaaaaaaaa": codeUsage, "aaaaaa\x1b": codeUsage, "": codeUsage,
	} {
		code, _, errs := o.run("show", id)
		wantExit(t, code, want, id+": "+errs)
		checkSafe(t, errs)
	}
	if _, err := os.Stat(filepath.Join(o.home, ".local/state/plangate")); errors.Is(err, os.ErrNotExist) {
		t.Error("the store is elsewhere than these tests believe")
	}
}
