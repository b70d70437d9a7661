package install

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plangate/plangate/harness"
)

var testTrusts = []Trust{{"/h/.codex/hooks.json:pre_tool_use:0:0", "sha256:aa"}, {`/h "x"\y/hooks.json:permission_request:0:0`, "sha256:bb"}}

const testTables = `[hooks.state."/h/.codex/hooks.json:pre_tool_use:0:0"]
trusted_hash = "sha256:aa"

[hooks.state."/h \"x\"\\y/hooks.json:permission_request:0:0"]
trusted_hash = "sha256:bb"
`

func TestTrust(t *testing.T) {
	for _, c := range []struct{ title, before, after string }{
		{"no file", "", testTables},
		{"tables before", "model = \"x\"\n\n[features]\nhooks = true\n", "model = \"x\"\n\n[features]\nhooks = true\n\n" + testTables},
		{"no final newline", "a = 1", "a = 1\n\n" + testTables},
		{"CRLF", "a = 1\r\n", "a = 1\r\n\r\n" + strings.ReplaceAll(testTables, "\n", "\r\n")},
		{"text that looks like a table", "a = '''\n[hooks.state]\n'''\n# [x\n", "a = '''\n[hooks.state]\n'''\n# [x\n\n" + testTables},
		{
			"changed hash, switched off",
			"[hooks.state.'/h/.codex/hooks.json:pre_tool_use:0:0'] # mine\nenabled = false # off\ntrusted_hash = 'old' # old\n",
			"[hooks.state.'/h/.codex/hooks.json:pre_tool_use:0:0'] # mine\nenabled = true # off\ntrusted_hash = \"sha256:aa\" # old\n" +
				"\n" + testTables[strings.Index(testTables, "\n\n")+2:],
		},
		{
			"no hash yet", "[hooks.state.\"/h/.codex/hooks.json:pre_tool_use:0:0\"]\n[z]\n",
			"[hooks.state.\"/h/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:aa\"\n[z]\n\n" +
				testTables[strings.Index(testTables, "\n\n")+2:],
		},
		{
			"dotted keys", "[hooks.state]\n\"/h/.codex/hooks.json:pre_tool_use:0:0\".trusted_hash = \"old\"\n",
			"[hooks.state]\n\"/h/.codex/hooks.json:pre_tool_use:0:0\".trusted_hash = \"sha256:aa\"\n\n" +
				testTables[strings.Index(testTables, "\n\n")+2:],
		},
	} {
		t.Run(c.title, func(t *testing.T) {
			change, err := AddTrust([]byte(c.before), testTrusts)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.after, string(change.Text)); diff != "" {
				t.Error(diff)
			}
			trusted(t, []byte(c.before), change.Text)
		})
	}
}

// trusted checks what holds after every AddTrust.
func trusted(t failer, before, after []byte) {
	again, err := AddTrust(after, testTrusts)
	if err != nil || again.Changed() || !bytes.Equal(again.Text, after) {
		t.Fatalf("a second time: %v, %v\n%s", again.What, err, after)
	}
	keys := []string{testTrusts[0].Key, testTrusts[1].Key}
	if off, err := CodexSwitchedOff(after, keys); err != nil || len(off) > 0 {
		t.Fatalf("switched off: %v, %v", off, err)
	}
	removed, err := RemoveTrust(after, keys, [][]byte{before})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(before, []byte("pre_tool_use")) && (removed.Delete || !bytes.Equal(removed.Text, before)) {
		t.Fatalf("remove gives %q; want %q", removed.Text, before)
	}
	loose, err := RemoveTrust(after, keys, nil)
	if err != nil || bytes.Contains(loose.Text, []byte("trusted_hash")) {
		t.Fatalf("without a backup, %v:\n%s", err, loose.Text)
	}
}

// TestTrustIsNotRestored proves that a backup with an older trust is not put back.
func TestTrustIsNotRestored(t *testing.T) {
	before := []byte("a = 1\n\n[hooks.state.\"k\"]\ntrusted_hash = \"old\"\n")
	change, err := AddTrust(before, []Trust{{"k", "new"}})
	if err != nil {
		t.Fatal(err)
	}
	removed, err := RemoveTrust(change.Text, []string{"k"}, [][]byte{before})
	if err != nil || string(removed.Text) != "a = 1\n" || removed.Delete {
		t.Errorf("%q, %v", removed.Text, err)
	}
}

func TestTrustRefuses(t *testing.T) {
	for _, text := range []string{
		"hooks = {state = {}}\n", "[hooks]\nstate = {}\n", "[hooks.state]\n\"/h/.codex/hooks.json:pre_tool_use:0:0\" = {}\n",
		"a = ", "a", "[x", "a = \"x", "a = '''x", "a = [1", "a = {b 1}", "a = 1 b = 2", "= 1", "\xff\xfe",
	} {
		var where *TextError
		if change, err := AddTrust([]byte(text), testTrusts); !errors.As(err, &where) {
			t.Errorf("%q is accepted: %q, %v", text, change.Text, err)
		}
	}
}

// TestCodexKeys proves the keys of our entries, and says whose change when ours go.
func TestCodexKeys(t *testing.T) {
	text := `{"hooks": {"PreToolUse": [
		{"hooks": [{"command": "first"}]},
		{"hooks": [{"command": "a"}, {"command": "/p/policyctl hook codex"}, {"command": "b"}]},
		{"hooks": [{"command": "last"}]}], "PermissionRequest": [{"hooks": [{"command": "policyctl hook codex"}]}]}}`
	keys, others := testHook(t, "codex").CodexKeys("/f", []byte(text))
	if diff := cmp.Diff([]string{"/f:pre_tool_use:1:1", "/f:permission_request:0:0"}, keys); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/f:pre_tool_use:1:2", "/f:pre_tool_use:2:0"}, others); diff != "" {
		t.Error(diff)
	}
}

// TestOwnHooks proves that nothing but our own entries is ever trusted.
func TestOwnHooks(t *testing.T) {
	h := testHook(t, "codex")
	change, err := h.Install(nil)
	if err != nil {
		t.Fatal(err)
	}
	line := h.line(h.arguments(nil))
	own, err := h.OwnHooks([]CodexHook{
		{Key: "1", Source: "/f", Command: line}, {Key: "2", Source: "/g", Command: line}, {Key: "3", Source: "/f", Command: line + " "},
		{Key: "4", Source: "/f", Command: "evil"},
	}, "/f", change.Text)
	if err != nil || len(own) != 1 || own[0].Key != "1" {
		t.Errorf("%+v, %v", own, err)
	}
}

func TestListHooks(t *testing.T) {
	for _, c := range []struct {
		title, out string
		count      int
	}{
		{"an answer among notices", "{\"id\":0,\"result\":{}}\n{\"method\":\"x\"}\n{\"id\":1,\"result\":{\"data\":[{\"hooks\":[{\"key\":\"k\"}]}]}}\n", 1},
		{"an error", `{"id":1,"error":{"message":"no"}}` + "\n", -1},
		{"no JSON", "hello\n", -1},
		{"ends", "", -1},
		{"no directory", `{"id":1,"result":{"data":[]}}` + "\n", -1},
	} {
		hooks, err := listHooks(io.Discard, strings.NewReader(c.out), "/d")
		if (err != nil) != (c.count < 0) || err == nil && len(hooks) != c.count {
			t.Errorf("%s: %v, %v", c.title, hooks, err)
		}
	}
}

// TestSwitches proves that every setting of a repository that turns the hook off is seen,
// also in a text that is laid out otherwise, and nothing else.
func TestSwitches(t *testing.T) {
	for _, c := range []struct {
		cli, text string
		want      bool
	}{
		{"claude", `{"disableAllHooks": true}`, true},
		{"claude", "{\n // x\n\"a\": 1, \"disableAllHooks\" : true, }", true},
		{"claude", `{"disableAllHooks": false, "x": {"disableAllHooks": true}}`, false},
		{"claude", ``, false},
		{"codex", "[features]\nhooks = false\n", true},
		{"codex", "features.hooks = false", true},
		{"codex", "features = { a = 1, hooks = false } # x", true},
		{"codex", "[features]\nhooks = true\n[other]\nhooks = false\n", false},
		{"gemini", `{"hooksConfig": {"enabled": false, "disabled": []}}`, true},
		{"gemini", `{"hooksConfig": {"enabled": true, "disabled": ["x"]}}`, false},
		{"gemini", `{"hooksConfig": {"disabled": ["x", "plangate"]}}`, true},
		{"gemini", `{"hooksConfig": {"disabled": ["/usr/bin/policyctl hook gemini"]}}`, true},
		{"copilot", `{"disableAllHooks": true}`, true},
		{"gemini .env", "A=1\r\n  export\tBASH_ENV = x", true},
		{"gemini .env", "\ufeffLD_PRELOAD: x\n", true},
		{"gemini .env", "BASH_ENV\n# BASH_ENV=x\nXBASH_ENV=1\nBASH_ENVX=1\nexportBASH_ENV=1\n", false},
	} {
		name, file, _ := strings.Cut(c.cli, " ")
		h := testHook(t, name)
		got := false
		for _, s := range h.info.RepoOff {
			if (filepath.Base(s.File) == ".env") != (file != "") {
				continue // another format
			}
			off, err := h.SwitchedOff(s, []byte(c.text))
			if err != nil {
				t.Errorf("%s %s: %v", c.cli, c.text, err)
			}
			got = got || off
		}
		if got != c.want {
			t.Errorf("%s %s: %t", c.cli, c.text, got)
		}
	}
	if _, err := testHook(t, "claude").SwitchedOff(harness.RepoSwitch{File: "x.json", Setting: `"a": true`}, []byte("{")); err == nil {
		t.Error("a text that does not parse switches nothing off")
	}
}

func TestSwitchedOffByKey(t *testing.T) {
	off, err := CodexSwitchedOff([]byte("[hooks.state.\"k\"]\nenabled = false\n[hooks]\nstate.l = {enabled = false}\n"), []string{"k", "l", "m"})
	if diff := cmp.Diff([]string{"k", "l"}, off); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func FuzzTOML(f *testing.F) {
	f.Add([]byte("a = 1\n[b.'c']\nd = [1, {e = \"\"\"x\"\"\"}] # x\n[[f]]\ng = 1979-05-27 07:32:00\n"))
	f.Add([]byte(testTables))
	f.Fuzz(func(t *testing.T, text []byte) {
		change, err := AddTrust(text, testTrusts)
		if err != nil {
			return
		}
		if bytes.Contains(text, []byte("pre_tool_use")) || bytes.Contains(text, []byte("trusted_hash")) || bytes.Contains(text, []byte("hooks")) {
			return // what is there already may be odd
		}
		trusted(t, text, change.Text)
		if !bytes.HasPrefix(change.Text, text) {
			t.Fatalf("%q became %q", text, change.Text)
		}
	})
}

func TestRandomTOMLStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		all, err := parseTOML([]byte("[a." + quoteTOML(text) + "]\n"))
		if err != nil || len(all) != 1 || all[0].path[1] != strings.ToValidUTF8(text, "\ufffd") {
			t.Fatalf("%q: %v, %v", text, all, err)
		}
	})
}
