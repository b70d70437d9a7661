package local_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/local"
)

const policy = `# What the agent may do.
policy "hooked" {
  match  = { operation = "deploy" }
  action = "hook"
}
decision_hook {
  command = ["false"]
  on_error = "ask"
}
`

// machine is a home with a trusted project.
type machine struct {
	t       *testing.T
	home    string
	options local.Options
}

func newMachine(t *testing.T, text string) *machine {
	t.Helper()
	home := t.TempDir()
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	places := layers.DefaultPlaces(func(name string) string {
		if name == "HOME" {
			return home
		}
		return ""
	})
	places.Managed = filepath.Join(home, "managed.hcl") // none, whatever this machine has
	file := filepath.Join(project, "agent.hcl")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := layers.TrustFile(places, file); err != nil {
		t.Fatal(err)
	}
	return &machine{t, home, local.Options{Load: layers.Options{Dir: project, Places: places}, Report: func(err error) { t.Log(err) }}}
}

func (m *machine) open() *local.Local {
	m.t.Helper()
	l, err := local.Open(context.Background(), m.options)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = l.Close() })
	return l
}

func plan(t *testing.T, l *local.Local, session, operation string) gate.Item {
	t.Helper()
	s, err := l.Gate.Open(context.Background(), session)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Plan(context.Background(), rand.Text(), []plangate.Call{{
		ID: "c1", Provider: "tools", Operation: operation, Kind: plangate.Resource, Risk: plangate.High, Input: json.RawMessage(`{"n": 1}`),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Items[0]
}

// TestAnswerElsewhere is the gate's main path: asked here, answered by another
// process, run here after a restart, and for always from then on.
func TestAnswerElsewhere(t *testing.T) {
	ctx := context.Background()
	m := newMachine(t, policy)
	kernel := m.open()
	item := plan(t, kernel, "s1", "send")
	if item.State != gate.Waiting {
		t.Fatalf("%s by %s", item.State, item.DecidedBy)
	}

	human := m.open()
	pending, err := human.Gate.Pending(ctx, gate.PendingQuery{})
	if err != nil || len(pending) != 1 {
		t.Fatalf("pending: %v, %v", pending, err)
	}
	resolved, err := human.Gate.Resolve(ctx, pending[0].ID, gate.Verdict{
		Decision: plangate.Allow, Scope: gate.ScopeAlways, Digest: pending[0].Digest, Actor: "ada",
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(m.options.Load.Dir, "agent.hcl")
	if want := file + ":"; !strings.HasPrefix(resolved.Item.Answer.Written, want) {
		t.Errorf("wb-11 written to %q, want %sLINE", resolved.Item.Answer.Written, want)
	}

	after := m.open()
	s, err := after.Gate.Open(ctx, "s1")
	if err != nil {
		t.Fatal(err)
	}
	left, err := s.Resume(ctx)
	if err != nil || len(left.Ready) != 1 {
		t.Fatalf("left: %+v, %v", left, err)
	}
	if _, err := s.Claim(ctx, item.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Complete(ctx, item.ID, gate.Result{Output: json.RawMessage(`"sent"`)}); err != nil {
		t.Fatal(err)
	}
	if item := plan(t, after, "s2", "send"); item.State != gate.Ready || !strings.HasPrefix(item.DecidedBy, "policy:always_") {
		t.Errorf("GAT-26 the next plan: %s by %s", item.State, item.DecidedBy)
	}
	log, err := os.Open(after.LogFile)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	report, err := audit.Verify(log)
	if err != nil || report.Records != 7 {
		t.Errorf("log: %+v, %v", report, err)
	}
}

func TestDecisionHookOfThePolicy(t *testing.T) {
	m := newMachine(t, policy)
	l := m.open()
	if item := plan(t, l, "s1", "deploy"); item.State != gate.Waiting || item.DecidedBy != "policy:hooked+hook:decision_hook" {
		t.Errorf("HKD on_error: %s by %s", item.State, item.DecidedBy)
	}
	file := filepath.Join(m.options.Load.Dir, "agent.hcl")
	if err := os.WriteFile(file, []byte(strings.Replace(policy, `"ask"`, `"deny"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := layers.TrustFile(m.options.Load.Places, file); err != nil {
		t.Fatal(err)
	}
	if item := plan(t, l, "s1", "deploy"); item.State != gate.Denied || item.Ending != gate.EndHook {
		t.Errorf("the changed policy: %s (%s) by %s", item.State, item.Ending, item.DecidedBy)
	}
}

func TestStateIsGuarded(t *testing.T) {
	m := newMachine(t, `policy "all" {
  match  = { operation = "write_file" }
  action = "allow"
}`)
	m.options.Store = filepath.Join(m.home, "elsewhere", "my.db")
	if err := os.Mkdir(filepath.Dir(m.options.Store), 0o700); err != nil {
		t.Fatal(err)
	}
	l := m.open()
	s, err := l.Gate.Open(context.Background(), "s")
	if err != nil {
		t.Fatal(err)
	}
	var calls []plangate.Call
	files := []string{m.options.Store, m.options.Store + "-wal", l.LogFile, filepath.Join(m.home, "elsewhere", "free")}
	for _, file := range files {
		input, _ := json.Marshal(map[string]string{"path": file})
		calls = append(calls, plangate.Call{
			ID: file, Provider: "fs", Operation: "write_file", Kind: plangate.Resource, Risk: plangate.Low, Input: input,
			Cwd: m.options.Load.Dir, Workspace: m.options.Load.Dir, Home: m.home,
		})
	}
	p, err := s.Plan(context.Background(), "t", calls)
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range p.Items {
		if want := i == 3; (item.State == gate.Ready) != want {
			t.Errorf("%s: %s by %s", files[i], item.State, item.DecidedBy)
		}
	}
}

func TestDamagedStoreIsReported(t *testing.T) {
	m := newMachine(t, policy)
	l := m.open()
	if item := plan(t, l, "s", "send"); item.State != gate.Waiting {
		t.Fatal(item.State)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(layers.StateDir(m.options.Load.Places), "gate.db")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := 200; i < len(text); i++ {
		text[i] = 'x'
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var reported []error
	m.options.Report = func(err error) { reported = append(reported, err) }
	pending, err := m.open().Gate.Pending(context.Background(), gate.PendingQuery{})
	if err != nil || len(pending) != 0 || len(reported) != 1 || !strings.Contains(reported[0].Error(), ".damaged-") {
		t.Errorf("%d pending, %v, reported %v", len(pending), err, reported)
	}
}
