package writeback

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
)

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

// An ask that turns into a deny because nobody can be asked is no deny.
func TestDowngradeIsNoDeny(t *testing.T) {
	read := plangate.Call{Provider: "p", Operation: "read", Kind: plangate.DataSource, Risk: plangate.ReadOnly}
	p := newPlace(t)
	p.project("agent_profile \"ci\" {\n  headless = true\n}\n\npolicy \"r\" {\n  match = { operation = \"read\" }\n  action = \"ask\"\n}\n")
	p.wants(read, plangate.Deny)
	change := p.write(plangate.Allow, read)
	p.wants(read, plangate.Allow)
	if len(change.Cells) != 2 { // read_only, and left out, which is judged as read_only (spec DEC-4)
		t.Errorf("%+v", change.Cells)
	}
	for _, c := range change.Cells {
		if c.Kind != plangate.DataSource || c.Before.Action != plangate.Deny || c.Before.MatchedAction != plangate.Ask {
			t.Errorf("%+v", c)
		}
	}
	deploy := profiled(withInput("deploy", "to", "x"), "ci")
	p.wants(deploy, plangate.Deny)
	p.write(plangate.Allow, deploy)
	p.wants(deploy, plangate.Allow)
	p.write(plangate.Deny, read)
	p.wants(read, plangate.Deny)
	p.refused(p.request(plangate.Allow, read), ErrWouldLoosen)
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

func TestKnownWithoutACatalog(t *testing.T) {
	var in compile.Input
	if compile.Known(in, "a", "b") != nil {
		t.Error("no catalog knows nothing")
	}
}

// TestUnboundArguments: an allow that would hold for other programs, files or hosts than
// the one that was shown is refused.
func TestUnboundArguments(t *testing.T) {
	p := newPlace(t)
	p.project("")
	for _, input := range []string{
		`{"source": "a", "destination": "b"}`, `{"filename": "a"}`, `{"files": ["a"]}`, `{"target": "a"}`,
		`{"edits": [{"path": "a"}]}`, `{"endpoint": "a"}`, `{"program": "ls", "args": ["x"]}`, `{"query": "select 1"}`,
		`{"anything": "/etc/passwd"}`, `{"anything": "https://example.com"}`, `{"path": "a", "target": "b"}`, `{"deep": {"x": ["~/a"]}}`,
	} {
		call := plangate.Call{Provider: "x", Operation: "y", Kind: plangate.Resource, Risk: plangate.Low, Input: []byte(input)}
		p.refused(p.request(plangate.Allow, call), ErrTooBroad)
		t.Log(input)
	}
	for _, text := range []string{"psql prod", "sqlite3 a.db", "ed f", "kubectl apply -f -", "make -f -", "ssh host", "tool --input=-"} {
		p.refused(p.request(plangate.Allow, bash(text)), ErrTooBroad)
		t.Log(text)
	}
}
