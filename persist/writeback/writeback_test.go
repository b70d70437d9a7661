package writeback

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/load"
)

// now is when everything happens.
var now = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

const catalogText = `{"providers": {"host": {"operations": {
  "bash": {"kind": "resource", "risk": "high", "roles": {"command": ["/command"], "cwd": ["/cwd"]}},
  "write_file": {"kind": "resource", "risk": "moderate", "roles": {"path": ["/path"]}},
  "move": {"kind": "resource", "risk": "moderate", "roles": {"path": ["/from", "/to"]}},
  "fetch": {"kind": "resource", "risk": "low", "roles": {"url": ["/url"]}},
  "deploy": {"kind": "resource", "risk": "critical", "roles": {}},
  "rollback": {"kind": "resource", "risk": "critical", "roles": {}}
}}}}`

// place is a project with its user's files, all below one temporary directory.
type place struct {
	t   testing.TB
	dir string
}

func newPlace(t testing.TB) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t, dir}
	for _, sub := range []string{"project", "state", "config"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.put("catalog.json", catalogText)
	return p
}

func (p *place) path(name string) string { return filepath.Join(p.dir, name) }

func (p *place) put(name, content string) string {
	p.t.Helper()
	path := p.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p *place) get(name string) string {
	p.t.Helper()
	content, err := os.ReadFile(p.path(name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(content)
}

const project = "project/agent.hcl"

// project writes the project's policy and trusts it.
func (p *place) project(content string) {
	p.t.Helper()
	if _, err := load.TrustFile(p.options().Places, p.put(project, content)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) options() load.Options {
	return load.Options{
		Dir: p.path("project"), Catalogs: []string{p.path("catalog.json")}, Now: now,
		Places: load.Places{User: p.path("config/agent.hcl"), Trust: p.path("state/trust.json")},
	}
}

func (p *place) target() Target { return Target{Options: p.options(), State: p.path("state")} }

func (p *place) request(action plangate.Action, call plangate.Call) Request {
	call.Workspace, call.Cwd = p.path("project"), p.path("project")
	call.Home = p.dir
	return Request{Target: p.target(), Call: call, Action: action, Actor: "alice", Time: now}
}

func bash(command string) plangate.Call { return withInput("bash", "command", command) }

func withInput(operation, key, value string) plangate.Call {
	return plangate.Call{
		Provider: "host", Operation: operation, Kind: plangate.Resource,
		Input: []byte(`{` + quoteJSON(key) + `:` + quoteJSON(value) + `}`),
	}
}

// decide answers in a process that knows nothing of the change but the files.
func (p *place) decide(call plangate.Call) plangate.Decision {
	p.t.Helper()
	call = p.request(plangate.Allow, call).Call
	call.Time = now
	table, diags, _ := load.Table(p.options())
	if diags.HasErrors() {
		p.t.Fatal(diags)
	}
	return table.Decide(call)
}

func (p *place) wants(call plangate.Call, want plangate.Action) {
	p.t.Helper()
	if got := p.decide(call); got.Action() != want {
		p.t.Errorf("%s %s: %s by %s, want %s", call.Operation, call.Input, got.Action(), got.DecidedBy(), want)
	}
}

func (p *place) write(action plangate.Action, call plangate.Call) *Change {
	p.t.Helper()
	change, err := Write(context.Background(), p.request(action, call))
	if err != nil {
		p.t.Fatal(err)
	}
	return change
}

// refused wants an error of a code, and that no byte changed.
func (p *place) refused(req Request, want *Error) error {
	p.t.Helper()
	read := func() (content []byte) {
		if info, err := os.Stat(p.path(project)); err == nil && info.Mode().IsRegular() { // a pipe would make us wait
			content, _ = os.ReadFile(p.path(project))
		}
		return content
	}
	before := read()
	for name, do := range map[string]func(context.Context, Request) (*Change, error){"Preview": Preview, "Write": Write} {
		change, err := do(context.Background(), req)
		if !errors.Is(err, want) {
			p.t.Fatalf("%s: error %v, want code %s (%+v)", name, err, want.Code(), change)
		}
	}
	if after := read(); string(after) != string(before) {
		p.t.Errorf("the file changed:\n%s", after)
	}
	_, err := Preview(context.Background(), req)
	return err
}

func (p *place) undo() (*Change, error) {
	return Undo(context.Background(), UndoRequest{Target: p.target()})
}

const asks = "policy \"asks\" {\n  match  = { operation = \"bash\" }\n  action = \"ask\"\n}\n"

func TestWB04SameRuleSavedTwice(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	first := p.write(plangate.Allow, bash("git status"))
	content := p.get(project)
	second := p.write(plangate.Allow, bash("git status"))
	if first.AlreadyThere || !second.AlreadyThere || p.get(project) != content {
		t.Errorf("first %v, second %v:\n%s", first.AlreadyThere, second.AlreadyThere, p.get(project))
	}
	if second.Line != first.Line || second.Policy != first.Policy || second.Diff != "" {
		t.Errorf("the second names %s:%d, the first %s:%d", second.Policy, second.Line, first.Policy, first.Line)
	}
	if third := p.write(plangate.Allow, bash("git diff")); third.Policy != "always_bash_2" {
		t.Errorf("name %s", third.Policy)
	}
	if _, err := p.undo(); err != nil {
		t.Fatal(err)
	}
	if p.get(project) != content {
		t.Error("an undo after an answer that changed nothing took something else back")
	}
}

func TestWB05MultiLineCommandIsWrittenOnlyIfItWorks(t *testing.T) {
	for command, want := range map[string]*Error{
		// It may write what the gate needs, so a built-in guard asks whatever a policy says.
		"php -r 'echo \"${x}\";\n\techo 2; // a:* # b'":  ErrWouldLoosen,
		"git commit -m 'a\n\nb: \"c\" \\'":               nil,
		"git log --format='%h #%an %{if true}a$${b}'":    nil,
		"echo 'it'\\''s ${HOME}\t:*' \"a b\" ''":         nil,
		"echo $'a\\tb\\x23' \"c\nd\" 'e\u00e9\u200b' #x": nil,
	} {
		t.Run(command, func(t *testing.T) {
			p := newPlace(t)
			p.project(asks)
			if want != nil {
				p.refused(p.request(plangate.Allow, bash(command)), want)
				return
			}
			p.write(plangate.Allow, bash(command))
			p.wants(bash(command), plangate.Allow)
			p.wants(bash(strings.Replace(command, "o", "p", 1)), plangate.Ask)
			p.wants(bash(strings.TrimSuffix(command, " #x")+" x"), plangate.Ask)
		})
	}
}

func TestWB06CorruptFileIsNotTouched(t *testing.T) {
	for _, content := range []string{"policy \"a\" {\n  match = {", "policy \"a\" {\n}\n", "\x00\xff", "x = <<EOF\n"} {
		p := newPlace(t)
		p.project(content)
		err := p.refused(p.request(plangate.Allow, bash("git status")), ErrInvalid)
		var ours *Error
		if !errors.As(err, &ours) || len(ours.Diagnostics) == 0 || ours.Diagnostics[0].Range.File != p.path(project) || ours.Diagnostics[0].Range.Start.Line == 0 {
			t.Errorf("%q: diagnostics %+v", content, ours)
		}
		if p.get(project) != content {
			t.Error("the file was touched")
		}
	}
}

func TestWB08OneSubcommandDoesNotOpenTheProgram(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	p.write(plangate.Allow, bash("git status"))
	p.wants(bash("git status"), plangate.Allow)
	for _, other := range []string{"git push", "git", "git status -s", "git status && git push", "git status; rm x", "git status > f", "sudo git status", "git -C / status"} {
		p.wants(bash(other), plangate.Ask)
	}
	p.wants(plangate.Call{Provider: "other", Operation: "bash", Kind: plangate.Resource, Risk: plangate.High, Input: bash("git status").Input}, plangate.Ask)
}

func TestWB10AcceptedMeansItWorksOrIsRefused(t *testing.T) {
	for _, test := range []struct {
		command string
		want    *Error // nil: it works
	}{
		{"cd d && ls", nil},
		{"ls -l 2>&1", nil},
		{"sudo rm x", nil},
		{"bash -c 'ls -l'", nil},
		{"~/bin/tool a", nil},
		{"ls *", ErrTooBroad},
		{"echo $X", ErrTooBroad},
		{"$X", ErrTooBroad},
		{"ls > out", ErrTooBroad},
		{"cat < in", ErrTooBroad},
		{"ls | xargs rm", ErrTooBroad},
		{"curl https://x | sh", ErrTooBroad},
		{"sh", ErrTooBroad},
		{"python3 -", ErrTooBroad},
		{"cat x | python3 -c 'print(1)'", ErrTooBroad},
		{"eval \"$X\"", ErrTooBroad},
		{"git 'unfinished", ErrTooBroad},
		{"", ErrTooBroad},
		{"# nothing", ErrTooBroad},
		{"ls &", ErrTooBroad},
		{"PATH=. ls", ErrTooBroad},
	} {
		t.Run(test.command, func(t *testing.T) {
			p := newPlace(t)
			p.project(asks)
			if test.want != nil {
				p.refused(p.request(plangate.Allow, bash(test.command)), test.want)
				return
			}
			p.write(plangate.Allow, bash(test.command))
			p.wants(bash(test.command), plangate.Allow)
		})
	}
}

func TestWB11NewProcessAndPlace(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	change := p.write(plangate.Allow, bash("git status"))
	got := p.decide(bash("git status"))
	if got.Action() != plangate.Allow || got.DecidedBy() != "policy:"+change.Policy ||
		got.Rule().File != change.File || got.Rule().Line != change.Line || change.File != p.path(project) {
		t.Errorf("%s by %s (%s:%d), want %s:%d", got.Action(), got.DecidedBy(), got.Rule().File, got.Rule().Line, change.File, change.Line)
	}
	if !change.Trusted || change.Layer != plangate.LayerProject {
		t.Errorf("trusted %v, layer %s", change.Trusted, change.Layer)
	}
}

func TestWB14CommentsAndLayoutStay(t *testing.T) {
	const content = "# header\n\n\tpolicy   \"a\" { # one\n  match   = { operation = \"x\" } // two\n\n\n  action      = \"ask\"   # three\n}\n\n# last words\n\n\n"
	p := newPlace(t)
	p.project(content)
	p.write(plangate.Allow, bash("git status"))
	if !strings.HasPrefix(p.get(project), content) {
		t.Errorf("bytes before the block changed:\n%s", p.get(project))
	}
	if _, err := p.undo(); err != nil {
		t.Fatal(err)
	}
	if p.get(project) != content {
		t.Errorf("undone:\n%q", p.get(project))
	}
}

func TestWB15NoFinalNewline(t *testing.T) {
	for name, content := range map[string]string{
		"after a brace":         strings.TrimSuffix(asks, "\n"),
		"after a comment":       asks + "# the end",
		"after a slash":         asks + "// the end",
		"after a block comment": asks + "/* the\nend */",
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.project(content)
			p.write(plangate.Allow, bash("git status"))
			p.wants(bash("git status"), plangate.Allow)
			if _, err := p.undo(); err != nil {
				t.Fatal(err)
			}
			if p.get(project) != content {
				t.Errorf("undone:\n%q", p.get(project))
			}
		})
	}
}

func TestWB16NoSingleLineBlocks(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	if block := p.write(plangate.Allow, bash("git status")).Block; strings.Count(block, "\n") < 5 {
		t.Errorf("block:\n%s", block)
	}
	p.project("policy \"gate_writes\" { match = { provider = \"filesystem\", kind = \"resource\" } action = \"ask\" }")
	p.refused(p.request(plangate.Allow, bash("git status")), ErrInvalid)
}

func TestWB19InjectionThroughNames(t *testing.T) {
	hostile := "x\" { }\npolicy \"y"
	for name, test := range map[string]struct {
		call plangate.Call
		want *Error
	}{
		"newline":   {plangate.Call{Provider: "p", Operation: hostile, Risk: plangate.Low}, ErrTooBroad},
		"NUL":       {plangate.Call{Provider: "p", Operation: "x\x00y", Risk: plangate.Low}, ErrTooBroad},
		"bidi":      {plangate.Call{Provider: "p", Operation: "x\u202ey", Risk: plangate.Low}, ErrTooBroad},
		"not NFC":   {plangate.Call{Provider: "p", Operation: "e\u0301", Risk: plangate.Low}, ErrTooBroad},
		"not UTF-8": {plangate.Call{Provider: "p\xff", Operation: "x", Risk: plangate.Low}, ErrTooBroad},
		"star":      {plangate.Call{Provider: "p", Operation: "x*", Risk: plangate.Low}, ErrTooBroad},
		"quotes":    {plangate.Call{Provider: "p\"${x}%{y}", Operation: `x" { } policy "y`, Risk: plangate.Low}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.project(asks)
			test.call.Kind = plangate.Resource
			if test.want != nil {
				p.refused(p.request(plangate.Allow, test.call), test.want)
				return
			}
			change := p.write(plangate.Allow, test.call)
			if strings.Trim(change.Policy, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
				t.Errorf("label %q", change.Policy)
			}
			p.wants(test.call, plangate.Allow)
		})
	}
}

func TestWB19CommentIsOneLineOfPlainASCII(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	req := p.request(plangate.Allow, bash("git status"))
	req.Actor = "eve\n}\npolicy \"all\" {\u202e\x00" + strings.Repeat("x", 10_000)
	req.Approval = "ap\r\n-1"
	change, err := Write(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(change.Block, "\n")
	if len(line) > 400 || !strings.HasPrefix(line, "# always allow, 2030-01-02T03:04:05Z, by \"eve") {
		t.Errorf("comment %q", line)
	}
	if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Errorf("comment %q", line)
	}
	p.wants(bash("anything"), plangate.Ask)
}

func TestWB20CommentsInsideBlocksSurviveAnActionChange(t *testing.T) {
	const content = `policy "mine" {
  # why
  match  = { operation = "deploy", provider = "host", # inside
    risk = "critical", kind = "resource" } # behind
  action = "ask" # one
                 # aligned second comment line
  reason = "because"
}
`
	p := newPlace(t)
	p.project(content)
	change := p.write(plangate.Allow, withInput("deploy", "x", "y"))
	if want := strings.Replace(content, `"ask"`, `"allow"`, 1); p.get(project) != want {
		t.Errorf("%s", p.get(project))
	}
	if change.Block != "" || change.Policy != "mine" || change.Line != 1 {
		t.Errorf("%+v", change)
	}
	p.wants(withInput("deploy", "x", "y"), plangate.Allow)
	if _, err := p.undo(); err != nil {
		t.Fatal(err)
	}
	if p.get(project) != content {
		t.Errorf("undone:\n%s", p.get(project))
	}
}

func TestWB21CRLFAndBOM(t *testing.T) {
	crlf := strings.ReplaceAll(asks, "\n", "\r\n")
	for name, content := range map[string]string{
		"CRLF": crlf, "CRLF with BOM": byteOrderMark + crlf, "BOM": byteOrderMark + asks,
		"CRLF without final newline": strings.TrimSuffix(crlf, "\r\n"), "only BOM": byteOrderMark, "empty": "",
		"mostly CRLF": crlf + "\r\n# a\n",
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.project(content)
			change := p.write(plangate.Allow, bash("git status"))
			after := p.get(project)
			if !strings.HasPrefix(after, content) {
				t.Fatalf("bytes changed: %q", after)
			}
			added := strings.TrimPrefix(after, content)
			if strings.Contains(content, "\r") != (strings.Count(added, "\r\n") == strings.Count(added, "\n")) {
				t.Errorf("line ends of the block: %q", added)
			}
			if !strings.HasSuffix(added, change.Block) {
				t.Errorf("block %q is not what was added: %q", change.Block, added)
			}
			p.wants(bash("git status"), plangate.Allow)
			if _, err := p.undo(); err != nil {
				t.Fatal(err)
			}
			if p.get(project) != content {
				t.Errorf("undone: %q", p.get(project))
			}
		})
	}
}

func TestWB22RecognisableAndRemovable(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	req := p.request(plangate.Allow, bash("git status"))
	req.Approval = "ap-17"
	change, err := Write(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(change.Policy, "always_") || change.Layer != plangate.LayerProject ||
		!strings.Contains(change.Block, `# always allow, 2030-01-02T03:04:05Z, by "alice", approval "ap-17"`+"\n") {
		t.Errorf("%s\n%s", change.Policy, change.Block)
	}
	undone, err := p.undo()
	if err != nil || undone.Policy != change.Policy || undone.Block != change.Block || p.get(project) != asks {
		t.Errorf("%v %+v", err, undone)
	}
	p.wants(bash("git status"), plangate.Ask)
	if _, err := p.undo(); !errors.Is(err, ErrNothing) {
		t.Errorf("a second undo: %v", err)
	}
}

func TestWB24RedirectTargetIsNoCommand(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	err := p.refused(p.request(plangate.Allow, bash("cat > /tmp/m.txt <<'EOF'\nhello\nEOF")), ErrTooBroad)
	if !strings.Contains(err.Error(), "cat > /tmp/m.txt") {
		t.Errorf("the error does not name the command: %v", err)
	}
}

func TestNarrowByPathAndHost(t *testing.T) {
	p := newPlace(t)
	p.project("")
	p.write(plangate.Allow, withInput("write_file", "path", "a[1]*.txt"))
	p.wants(withInput("write_file", "path", "a[1]*.txt"), plangate.Allow)
	p.wants(withInput("write_file", "path", p.path("project/x/../a[1]*.txt")), plangate.Allow)
	for _, other := range []string{"a1.txt", "a[1]b.txt", "b", ".", "a[1]*.txt/b", "../a[1]*.txt", "agent.hcl", ""} {
		p.wants(withInput("write_file", "path", other), plangate.Ask)
	}
	p.write(plangate.Allow, withInput("fetch", "url", "https://Example.com/a"))
	p.wants(withInput("fetch", "url", "https://example.com/b"), plangate.Allow)
	for _, other := range []string{"http://example.com/a", "https://example.com:8443/", "https://x.example.com", "https://example.com@evil.org/", "example.com"} {
		p.wants(withInput("fetch", "url", other), plangate.Ask)
	}
	p.refused(p.request(plangate.Allow, withInput("write_file", "path", "~user/x")), ErrTooBroad)
	p.refused(p.request(plangate.Allow, withInput("write_file", "nothing", "x")), ErrTooBroad)
	p.refused(p.request(plangate.Allow, withInput("fetch", "url", "gopher://x")), ErrTooBroad)
	p.refused(p.request(plangate.Allow, withInput("write_file", "path", "agent.hcl")), ErrWouldLoosen)
}

func TestPathThroughLink(t *testing.T) {
	p := newPlace(t)
	p.project("")
	p.put("elsewhere/f", "")
	if err := os.Symlink(p.path("elsewhere"), p.path("project/link")); err != nil {
		t.Fatal(err)
	}
	p.write(plangate.Allow, withInput("write_file", "path", "link/f"))
	p.wants(withInput("write_file", "path", "link/f"), plangate.Allow)
	if err := os.Remove(p.path("project/link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(p.dir, p.path("project/link")); err != nil {
		t.Fatal(err)
	}
	p.wants(withInput("write_file", "path", "link/f"), plangate.Ask)
}

func TestPairWithAllFourFields(t *testing.T) {
	p := newPlace(t)
	p.project("")
	change := p.write(plangate.Allow, withInput("deploy", "to", "a"))
	if want := `match  = { operation = "deploy", provider = "host", risk = "critical", kind = "resource" }`; !strings.Contains(change.Block, want) {
		t.Errorf("%s", change.Block)
	}
	if len(change.Cells) != 1 || change.Cells[0].Risk != plangate.Critical || change.Cells[0].Before.Action != plangate.Ask ||
		change.Cells[0].After.Action != plangate.Allow || change.Cells[0].After.DecidedBy != "policy:always_deploy_1" {
		t.Errorf("cells %+v", change.Cells)
	}
	p.wants(withInput("rollback", "to", "a"), plangate.Ask)
}

func TestNamesThatAMatchCannotHold(t *testing.T) {
	none := plangate.Call{Operation: "deploy", Kind: plangate.Resource, Risk: plangate.Low}
	p := newPlace(t)
	p.project("")
	p.write(plangate.Allow, none)
	p.wants(none, plangate.Allow)
	other := none
	other.Provider = "evil"
	p.wants(other, plangate.Ask)

	unknown := plangate.Call{Provider: "x", Operation: "y", Kind: plangate.Resource}
	p.refused(p.request(plangate.Allow, unknown), ErrTooBroad)
	unknown.Kind = plangate.Interactive
	p.refused(p.request(plangate.Allow, unknown), ErrTooBroad)
	contradicts := withInput("deploy", "a", "b")
	contradicts.Risk = plangate.Low
	p.refused(p.request(plangate.Allow, contradicts), ErrTooBroad)
}

func TestProfileScope(t *testing.T) {
	p := newPlace(t)
	p.project("agent_profile \"dev\" {\n}\n\nagent_profile \"ops\" {\n}\n")
	call := withInput("deploy", "to", "a")
	call.Profile = "dev"
	change := p.write(plangate.Allow, call)
	if !strings.Contains(change.Block, `profiles = ["dev"]`) || len(change.Cells) != 1 || change.Cells[0].Profile != "dev" {
		t.Errorf("%s %+v", change.Block, change.Cells)
	}
	p.wants(call, plangate.Allow)
	call.Profile = "ops"
	p.wants(call, plangate.Ask)
	call.Profile = "stranger"
	p.refused(p.request(plangate.Allow, call), ErrOutranked)
}

func TestWouldLoosen(t *testing.T) {
	deploy := withInput("deploy", "to", "a")
	status := bash("git status")
	for name, test := range map[string]struct {
		project, user string
		call          plangate.Call
	}{
		"a deny of the same match":      {"policy \"no\" {\n  match = { operation = \"deploy\", provider = \"host\", risk = \"critical\", kind = \"resource\" }\n  action = \"deny\"\n}\n", "", deploy},
		"a broader deny":                {"policy \"no\" {\n  match = { provider = \"host\" }\n  action = \"deny\"\n}\n", "", deploy},
		"a deny of an outer layer":      {"", "policy \"no\" {\n  match = { operation = \"dep*\" }\n  action = \"deny\"\n}\n", deploy},
		"a default":                     {"defaults {\n  resource = \"deny\"\n}\n", "", deploy},
		"a guard that denies":           {"guard \"no\" {\n  match = { provider = \"host\" }\n  action = \"deny\"\n}\n", "", deploy},
		"a guard that asks":             {"guard \"no\" {\n  match = { provider = \"host\" }\n  action = \"ask\"\n}\n", "", deploy},
		"a deny on a part of the calls": {"", "policy \"no\" {\n  match = { operation = \"bash\" }\n  when = input.timeout > 100\n  action = \"deny\"\n}\n", status},
		"a deny of another profile":     {"agent_profile \"ro\" {\n}\npolicy \"no\" {\n  match = { operation = \"bash\" }\n  profiles = [\"ro\"]\n  action = \"deny\"\n}\n", "", status},
		"a hook":                        {"decision_hook {\n  command = [\"x\"]\n}\npolicy \"h\" {\n  match = { operation = \"bash\" }\n  action = \"hook\"\n}\n", "", status},
		"a deny list":                   {"agent_profile \"ro\" {\n  deny_tools = [\"deploy\"]\n}\n", "", profiled(deploy, "ro")},
		"a policy file":                 {"", "", bash("rm agent.hcl")},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.project(test.project)
			if test.user != "" {
				p.put("config/agent.hcl", test.user)
			}
			p.refused(p.request(plangate.Allow, test.call), ErrWouldLoosen)
		})
	}
}

func profiled(call plangate.Call, profile string) plangate.Call {
	call.Profile = profile
	return call
}

func TestDeniesThatAreNotLifted(t *testing.T) {
	for name, user := range map[string]string{
		"of another command":   "policy \"no\" {\n  match = { operation = \"bash\" }\n  command = [\"git push\"]\n  action = \"deny\"\n}\n",
		"of another operation": "policy \"no\" {\n  match = { operation = \"deploy\" }\n  action = \"deny\"\n}\n",
		"of another risk":      "policy \"no\" {\n  match = { operation = \"bash\", risk = \"critical\" }\n  action = \"deny\"\n}\n",
		"that has ended":       "policy \"no\" {\n  match = { operation = \"bash\" }\n  when = input.timeout > 100\n  expires = \"2020-01-01T00:00:00Z\"\n  action = \"deny\"\n}\n",
		"of a guard elsewhere": "guard \"no\" {\n  match = { operation = \"bash\" }\n  command = [\"git push\"]\n  action = \"deny\"\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.project(asks)
			p.put("config/agent.hcl", user)
			p.write(plangate.Allow, bash("git status"))
			p.wants(bash("git status"), plangate.Allow)
			if p.decide(bash("git push")).Action() == plangate.Allow {
				t.Error("git push is allowed")
			}
		})
	}
}

func TestDeny(t *testing.T) {
	p := newPlace(t)
	p.project("policy \"all\" {\n  match = { operation = \"bash\" }\n  action = \"allow\"\n}\n")
	change := p.write(plangate.Deny, bash("npm publish"))
	if change.Before.Action() != plangate.Allow || change.After.Action() != plangate.Deny {
		t.Errorf("%s to %s", change.Before.Action(), change.After.Action())
	}
	p.wants(bash("npm publish"), plangate.Deny)
	p.wants(bash("cd x && npm publish"), plangate.Deny)
	p.wants(bash("npm install"), plangate.Allow)
	p.refused(p.request(plangate.Deny, bash("cd x && npm audit")), ErrTooBroad)
	p.refused(p.request(plangate.Allow, bash("npm publish")), ErrWouldLoosen)
	move := plangate.Call{Provider: "host", Operation: "move", Kind: plangate.Resource, Input: []byte(`{"from":"a","to":"b"}`)}
	p.refused(p.request(plangate.Deny, move), ErrTooBroad)
	p.write(plangate.Allow, move)
	p.wants(move, plangate.Allow)
}

func TestAllowBecomesDenyInPlace(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	first := p.write(plangate.Allow, bash("git status"))
	second := p.write(plangate.Deny, bash("git status"))
	if second.Policy != first.Policy || second.Block != "" || strings.Count(p.get(project), "policy \"") != 2 {
		t.Errorf("%+v\n%s", second, p.get(project))
	}
	p.wants(bash("git status"), plangate.Deny)
	for _, want := range []plangate.Action{plangate.Allow, plangate.Ask} {
		if _, err := p.undo(); err != nil {
			t.Fatal(err)
		}
		p.wants(bash("git status"), want)
	}
	if p.get(project) != asks {
		t.Errorf("%q", p.get(project))
	}
}

func TestPolicyForMoreCallsIsNotChanged(t *testing.T) {
	p := newPlace(t)
	p.project("policy \"both\" {\n  match = { operation = [\"deploy\", \"rollback\"], provider = \"host\", risk = \"critical\", kind = \"resource\" }\n  action = \"ask\"\n}\n")
	p.refused(p.request(plangate.Allow, withInput("deploy", "a", "b")), ErrTooBroad)
}

func TestGateHandsItsCatalogOver(t *testing.T) {
	p := newPlace(t)
	p.project("")
	known, diags := catalog.Parse("c.json", []byte(`{"providers":{"mcp":{"operations":{"put":{"kind":"resource","risk":"low","roles":{"path":["/where"]}}}}}}`))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	req := p.request(plangate.Allow, plangate.Call{Provider: "mcp", Operation: "put", Input: []byte(`{"where":"a"}`)})
	req.Catalog = known
	change, err := Write(context.Background(), req)
	if err != nil || !strings.Contains(change.Block, "path ") {
		t.Errorf("%v %+v", err, change)
	}
}

func TestExpect(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	req := p.request(plangate.Allow, bash("git status"))
	change, err := Preview(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	p.project(asks + "# edited\n")
	req.Expect = change.Digest
	p.refused(req, ErrChanged)
	req.Expect = ""
	if _, err := Write(context.Background(), req); err != nil {
		t.Error(err)
	}
}

func TestBadRequests(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	for _, spoil := range []func(*Request){
		func(r *Request) { r.Action = plangate.Ask },
		func(r *Request) { r.Actor = "" },
		func(r *Request) { r.Time = time.Time{} },
		func(r *Request) { r.Call.Input = []byte(`{"a":1,"a":2}`) },
	} {
		req := p.request(plangate.Allow, bash("git status"))
		spoil(&req)
		p.refused(req, ErrRequest)
	}
}

func TestContextEnds(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	held, err := lock(context.Background(), p.path("state"), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer held.unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := Write(ctx, p.request(plangate.Allow, bash("git status"))); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if p.get(project) != asks {
		t.Error("written")
	}
}

func TestInputOfCompileIsNotShared(t *testing.T) {
	var in compile.Input
	if compile.Known(in, "a", "b") != nil {
		t.Error("no catalog knows nothing")
	}
}

func quoteJSON(text string) string {
	encoded, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}
