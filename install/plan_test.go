package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/plangate/plangate/harness"
)

var update = flag.Bool("update", false, "write what is got into the golden files")

const (
	testProgram = "/opt/plan gate/policyctl"
	testWrapper = "/state/bin/policyctl-amp"
)

func testHook(t testing.TB, name string) Hook {
	t.Helper()
	h, err := NewHook(name, testProgram, testWrapper)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestGolden runs testdata/golden/CLI-NAME.txtar: "before" becomes "after", once more
// changes nothing, and removing gives "before", or "removed" if there is such a file.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d golden files, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { golden(t, name) })
	}
}

func golden(t *testing.T, name string) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	cli, _, _ := strings.Cut(filepath.Base(name), "-")
	h := testHook(t, cli)
	files := map[string][]byte{}
	for _, f := range archive.Files {
		files[f.Name] = f.Data
	}
	before := files["before"]
	change, err := h.Install(before)
	if err != nil {
		t.Fatal(err)
	}
	removed, err := h.Remove(change.Text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		archive.Files = []txtar.File{{Name: "before", Data: before}, {Name: "after", Data: change.Text}}
		if !bytes.Equal(removed.Text, before) && !removed.Delete {
			archive.Files = append(archive.Files, txtar.File{Name: "removed", Data: removed.Text})
		}
		if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(files["after"]), string(change.Text)); diff != "" {
		t.Errorf("install (-want +got):\n%s", diff)
	}
	want := before
	if files["removed"] != nil {
		want = files["removed"]
	}
	if diff := cmp.Diff(string(want), string(removed.Text)); diff != "" && !removed.Delete {
		t.Errorf("remove (-want +got):\n%s", diff)
	}
	settled(t, h, before)
}

// failer is a [testing.T] or one of rapid.
type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// settled checks what holds for every text: installing is idempotent and complete, keeps
// what is not ours, and with the old text as a backup removing gives it back.
func settled(t failer, h Hook, before []byte) {
	t.Helper()
	change, err := h.Install(before)
	if err != nil {
		t.Fatalf("install: %v\n%s", err, before)
	}
	again, err := h.Install(change.Text)
	if err != nil || again.Changed() {
		t.Fatalf("a second time: %v, %v\n%s", again.What, err, change.Text)
	}
	status, err := h.Status(change.Text)
	if err != nil || !status.Installed() || len(status.Entries) != len(h.events()) {
		t.Fatalf("status %s, %v\n%s", status, err, change.Text)
	}
	was, err := h.Status(before)
	if err != nil {
		t.Fatal(err)
	}
	if len(was.Entries) == 0 {
		back, err := h.Remove(change.Text, [][]byte{before})
		if err != nil || back.Delete || !bytes.Equal(back.Text, before) {
			t.Fatalf("remove gives %q, %v; want %q", back.Text, err, before)
		}
	}
	structural, err := h.edit(change.Text, h.removeStep)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := h.Status(structural.Text); err != nil || len(left.Entries) > 0 {
		t.Fatalf("after remove: %s, %v", left, err)
	}
	if a, b := foreign(t, h, before), foreign(t, h, structural.Text); !reflect.DeepEqual(a, b) {
		t.Fatalf("remove loses or adds something: %s\n%s\n%s", cmp.Diff(a, b), change.Text, structural.Text)
	}
	if a, b := foreign(t, h, before), foreign(t, h, change.Text); !reflect.DeepEqual(a, b) {
		t.Fatalf("install loses or adds something: %s", cmp.Diff(a, b))
	}
}

// foreign is what a text holds besides our entries and containers that would be empty
// without them.
func foreign(t failer, h Hook, text []byte) map[string]any {
	t.Helper()
	root, err := parseJSON(text, h.dialect())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	object, _ := decode(text, root).(map[string]any)
	if object == nil {
		object = map[string]any{}
	}
	if h.layout() == plain {
		delete(object, "version")
	}
	if list, ok := object[h.key()].([]any); ok {
		object[h.key()] = foreignIn(h, list)
	}
	if events, ok := object[h.key()].(map[string]any); ok {
		for name, value := range events {
			list, ok := value.([]any)
			if !ok {
				continue
			}
			kept := foreignIn(h, list)
			if events[name] = kept; len(kept) == 0 {
				delete(events, name)
			}
		}
		if len(events) == 0 {
			delete(object, h.key())
		}
	}
	if list, ok := object[h.key()].([]any); ok && len(list) == 0 {
		delete(object, h.key())
	}
	return object
}

func foreignIn(h Hook, list []any) []any {
	kept := []any{}
	for _, one := range list {
		if h.ours(one) {
			continue
		}
		group, _ := one.(map[string]any)
		if hooks, ok := group["hooks"].([]any); ok && h.layout() == grouped {
			kept := foreignIn(h, hooks)
			if group["hooks"] = kept; len(hooks) > 0 && len(kept) == 0 {
				continue
			}
		}
		kept = append(kept, one)
	}
	return kept
}

// odd are texts that cannot stand in an archive.
var odd = map[string]string{
	"no file":                      "",
	"empty object":                 "{}",
	"only white space":             " \n\t\n",
	"no final newline":             "{\n  \"a\": 1\n}",
	"CRLF":                         "{\r\n\t\"a\": [1,\r\n2],\r\n\t\"b\": {}\r\n}\r\n",
	"byte order mark":              "\xef\xbb\xbf{\"a\": 1}",
	"tabs":                         "{\n\t\t\"a\": 1\n}\n",
	"one line":                     `{"a":1,"hooks":{},"amp.permissions":[]}`,
	"one line with blanks":         `{ "a": 1, "hooks": { "PreToolUse": [ ] } }`,
	"white space at the end":       "{\n  \"a\": 1\n}\n\n\n  ",
	"brace in a string":            `{"a": "}]{[\"//", "b": "\\"}`,
	"closing brace beside a value": "{\n  \"a\": 1 }",
	"escapes in a key":             `{"\u0061":1,"hook\u0073":{"Other":[]}}`,
	"not UTF-8 in a string":        "{\"a\": \"\xff\"}",
	"big numbers":                  `{"a": 1e400, "b": 12345678901234567890123}`,
}

func TestOddTexts(t *testing.T) {
	for _, name := range harness.Names() {
		h := testHook(t, name)
		if h.layout() == whole {
			continue
		}
		for title, text := range odd {
			t.Run(name+" "+title, func(t *testing.T) {
				before := []byte(text)
				settled(t, h, before)
				change, err := h.Install(before)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(text, "\r\n") && bytes.Count(change.Text, []byte("\n")) != bytes.Count(change.Text, []byte("\r\n")) {
					t.Errorf("line ends are mixed: %q", change.Text)
				}
				if !subsequence(before, change.Text) {
					t.Errorf("bytes were lost:\n%s\n%s", before, change.Text)
				}
			})
		}
	}
}

// subsequence reports whether all bytes of a text stand in another in their order, white space aside.
func subsequence(part, text []byte) bool {
	for _, c := range part {
		if strings.ContainsRune(" \t\r\n", rune(c)) {
			continue
		}
		i := bytes.IndexByte(text, c)
		if i < 0 {
			return false
		}
		text = text[i+1:]
	}
	return true
}

func TestRefused(t *testing.T) {
	long := `{"a": "` + strings.Repeat("x", MaxBytes) + `"}`
	for _, c := range []struct {
		title, cli, text string
		line, column     int
	}{
		{"half written", "claude", "{\n  \"a\": ", 2, 8},
		{"a comment in strict JSON", "claude", "{\n  // no\n}", 2, 3},
		{"comma at the end in strict JSON", "codex", "{\"a\": 1,\n}", 2, 1},
		{"the key twice", "claude", "{\"hooks\": {},\n \"hooks\": {}}", 2, 2},
		{"the event twice", "codex", "{\"hooks\": {\"PreToolUse\": [],\n\"PreToolUse\": []}}", 2, 1},
		{"a group's list twice", "claude", "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [],\n\"hooks\": []}]}}", 2, 1},
		{"hooks is a list", "gemini", `{"hooks": []}`, 1, 11},
		{"an event is an object", "cursor", `{"hooks": {"preToolUse": {}}}`, 1, 26},
		{"rules are an object", "amp", `{"amp.permissions": {}}`, 1, 21},
		{"a list", "claude", "[]", 1, 1},
		{"two values", "claude", "{} {}", 1, 4},
		{"UTF-16", "claude", "\xff\xfe{\x00}\x00", 1, 1},
		{"too deep", "claude", strings.Repeat("[", maxDepth+5), 1, maxDepth + 2},
		{"too large", "claude", long, 1, 1},
		{"a comment not closed", "gemini", "{ /* }", 1, 3},
	} {
		t.Run(c.title, func(t *testing.T) {
			h := testHook(t, c.cli)
			_, err := h.Install([]byte(c.text))
			var where *TextError
			if !errors.As(err, &where) || where.Line != c.line || where.Column != c.column {
				t.Errorf("%v; want line %d, column %d", err, c.line, c.column)
			}
			if _, err := h.Remove([]byte(c.text), nil); err == nil {
				t.Error("remove does not refuse it")
			}
		})
	}
}

func TestNewHookRefuses(t *testing.T) {
	for _, c := range [][3]string{{"nothing", testProgram, ""}, {"claude", "policyctl", ""}, {"amp", testProgram, ""}} {
		if _, err := NewHook(c[0], c[1], c[2]); err == nil {
			t.Errorf("%v is accepted", c)
		}
	}
}

// TestOlderEntries proves that an entry of ours is known by its command whatever else it
// says, and replaced where it stands.
func TestOlderEntries(t *testing.T) {
	h := testHook(t, "claude")
	for _, command := range []string{
		`"command": "policyctl hook claude"`, `"command": "/usr/bin/policyctl hook claude --event x"`,
		`"command": "'/a b/policyctl-1.2' hook claude"`, `"command": "/a\\ b/policyctl hook claude 2>/dev/null"`,
		`"command": "/x/policyctl", "args": ["hook", "claude"], "timeout": 1`,
		`"command": "C:\\bin\\policyctl.exe", "args": ["hook", "claude"]`,
	} {
		text := `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", ` + command + `}]}, {"hooks": [{"type": "command", "command": "mine"}]}]}}`
		settled(t, h, []byte(text))
		change, err := h.Install([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if at, mine := bytes.Index(change.Text, []byte(testProgram)), bytes.Index(change.Text, []byte("mine")); at < 0 || at > mine {
			t.Errorf("%s was not replaced in its place:\n%s", command, change.Text)
		}
	}
}

// TestForeignEntries proves that nothing of others is taken for ours.
func TestForeignEntries(t *testing.T) {
	h := testHook(t, "claude")
	for _, command := range []string{
		"mypolicyctl hook claude", "policyctl hook codex", "policyctl hook", "echo policyctl hook claude",
		"policyctl; hook claude", "$(policyctl) hook claude", "true && policyctl hook claude", "",
	} {
		if h.ours(map[string]any{"command": command}) {
			t.Errorf("%q is taken for ours", command)
		}
	}
}

// TestWeakEntries proves that an entry which does not see every call is no installation.
func TestWeakEntries(t *testing.T) {
	h := testHook(t, "claude")
	change, err := h.Install(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{`"hooks": [`, `"matcher": "Bash", "hooks": [`},
		{`"timeout": 10`, `"timeout": 600`}, {`"onFailure": "block"`, `"onFailure": "continue"`},
		{`"type": "command",`, `"type": "command", "async": true,`},
		{`"type": "command",`, `"type": "command", "if": "Bash(x)",`},
		{`"claude"`, `"claude", "--policy", "lax.hcl"`}, {`"PreToolUse"`, `"PostToolUse"`},
	} {
		weak := strings.Replace(string(change.Text), c[0], c[1], 1)
		if weak == string(change.Text) {
			t.Fatalf("%q is not in\n%s", c[0], change.Text)
		}
		status, err := h.Status([]byte(weak))
		if err != nil || status.Installed() {
			t.Errorf("%s counts as installed, %v", c[1], err)
		}
		settled(t, h, []byte(weak))
	}
}

func TestPlugin(t *testing.T) {
	h := testHook(t, "opencode")
	change, err := h.Install(nil)
	if err != nil || !bytes.Contains(change.Text, []byte(`const command = ["/opt/plan gate/policyctl","hook","opencode"]`)) {
		t.Fatalf("%v\n%.900s", err, change.Text)
	}
	if again, err := h.Install(change.Text); err != nil || again.Changed() {
		t.Errorf("a second time: %v, %v", again.What, err)
	}
	if _, err := h.Install([]byte("export const Mine = 1\n")); !errors.Is(err, ErrForeign) {
		t.Errorf("a plugin of others: %v", err)
	}
	older := bytes.Replace(change.Text, []byte("9000"), []byte("9001"), 1)
	if status, err := h.Status(older); err != nil || status.Installed() || len(status.Entries) != 1 {
		t.Errorf("an older plugin: %s, %v", status, err)
	}
	if up, err := h.Install(older); err != nil || !bytes.Equal(up.Text, change.Text) {
		t.Errorf("an older plugin is not brought up to date: %v", err)
	}
	if gone, err := h.Remove(change.Text, nil); err != nil || !gone.Delete {
		t.Errorf("remove: %+v, %v", gone, err)
	}
}

func TestWrapperQuotes(t *testing.T) {
	want := "#!/bin/sh\n# Written by policyctl init amp: that CLI gives its hook no arguments.\nexec '/opt/plan gate/policyctl' hook amp\n"
	if got := string(testHook(t, "amp").WrapperText()); got != want {
		t.Errorf("%q", got)
	}
}

func TestWordsRoundTrip(t *testing.T) {
	for _, words := range [][]string{
		{"/a b/p", "hook", "claude"}, {"/a'b/p", "x"}, {`/a\b`, `"`}, {"", "$HOME", "`x`", "a\nb", "*"},
	} {
		if got := split(quote(words)); !reflect.DeepEqual(got, words) {
			t.Errorf("%q becomes %q", words, got)
		}
	}
}

func TestDecodedLikeTheStandard(t *testing.T) {
	text := []byte(`{"a": [1, "x\u00e9", null, true, {"b": {}}], "c": []}`)
	root, err := parseJSON(text, strict)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var want any
	if err := decoder.Decode(&want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, decode(text, root)); diff != "" {
		t.Error(diff)
	}
}
