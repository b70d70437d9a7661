package gate

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/decisionhook"
	gateway "github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/local"
	"github.com/plangate/plangate/persist"
	"github.com/plangate/plangate/serve"
)

var begin = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// place is where a vector is played: a directory, a store, a policy.
type place struct {
	dir, store, policy string
	catalogs           []string
	script             *Script
	start              func(context.Context, *place) (Kernel, error)
}

func newPlace(t testing.TB, v *Vector, store string, start func(context.Context, *place) (Kernel, error)) *place {
	t.Helper()
	p := &place{dir: t.TempDir(), store: store, script: v.Script, start: start}
	if store == "" {
		p.store = filepath.Join(p.dir, "gate.db")
	}
	if v.Catalog != nil {
		p.catalogs = []string{filepath.Join(p.dir, "catalog.json")}
		if err := os.WriteFile(p.catalogs[0], v.Catalog, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.SetPolicy(v.Policy); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) Start(ctx context.Context) (Kernel, error) { return p.start(ctx, p) }

func (p *place) SetPolicy(policy json.RawMessage) error {
	name, text, err := PolicyText(policy)
	if err != nil {
		return err
	}
	path := filepath.Join(p.dir, name)
	if p.policy != "" && p.policy != path {
		return errors.New("a policy keeps its form in a vector")
	}
	p.policy = path
	return os.WriteFile(path, text, 0o600)
}

func (p *place) Records(ctx context.Context) ([]json.RawMessage, error) {
	store, err := persist.Open(ctx, p.store)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	lines := []json.RawMessage{}
	err = store.View(ctx, func(r gateway.Reader) error {
		records, err := r.Records(0, 1000)
		for i := range records {
			lines = append(lines, records[i].Line())
		}
		return err
	})
	return lines, err
}

func (p *place) getenv(name string) string {
	if name == "HOME" {
		return p.dir
	}
	return ""
}

// open puts a gate together with what the script says.
func (p *place) open(ctx context.Context, clock *stopped) (*local.Local, error) {
	return local.Open(ctx, local.Options{
		Load: layers.Options{
			Files: []string{p.policy}, Dir: p.dir, Catalogs: p.catalogs, Places: layers.DefaultPlaces(p.getenv), Now: begin,
		},
		Store: p.store, Log: filepath.Join(p.dir, "audit.jsonl"), Clock: clock.now,
		Configure: func(config *gateway.Config) {
			if p.script != nil {
				p.script.configure(config)
			}
		},
	})
}

// stopped is a clock that moves when it is told to.
type stopped struct {
	mu sync.Mutex
	by time.Duration
}

func (c *stopped) now() time.Time { return c.advance(0) }

func (c *stopped) advance(step time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by += step
	return begin.Add(c.by)
}

var errScript = errors.New("the script says so")

func (s *Script) configure(config *gateway.Config) {
	for _, hook := range s.Hooks {
		config.Hooks = append(config.Hooks, hook.hook())
	}
	if s.Ask != nil {
		policy := config.Policy
		hook := decisionhook.Hook{Name: "decision_hook", Asker: decisionhook.Func(s.ask), Timeout: time.Second}
		config.Policy = func() gateway.Policy {
			now := policy()
			now.Ask = hook
			return now
		}
	}
	if s.Preview != nil {
		config.Preview, config.PreviewLimit = previews(s.Preview), 100*time.Millisecond
	}
	if s.NoWriter {
		config.Write = nil
	}
	if s.NoLog {
		config.Log = noLog{}
	}
}

func (s *Script) ask(_ context.Context, q decisionhook.Question) (*decisionhook.Answer, error) {
	text, ok := s.Ask[q.Call.ID]
	if !ok {
		return nil, errScript
	}
	answer, err := decisionhook.ParseAnswer(text)
	return &answer, err
}

type previews map[string]json.RawMessage

func (p previews) Preview(ctx context.Context, c plangate.Call) (json.RawMessage, error) {
	switch text := p[c.ID]; string(text) {
	case `"!error"`:
		return nil, errScript
	case `"!late"`:
		<-ctx.Done()
		time.Sleep(300 * time.Millisecond) // deaf to its deadline, and late beyond doubt
		return json.RawMessage(`"late"`), nil
	default:
		return text, nil
	}
}

type noLog struct{}

func (noLog) Append(context.Context, ...audit.Entry) ([]audit.Record, error) { return nil, errScript }

func (h ScriptedHook) hook() gateway.Hook {
	does := func() error {
		switch h.Does {
		case "fail":
			return errScript
		case "panic":
			panic("the script says so")
		default:
			return nil
		}
	}
	hook := gateway.Hook{Name: h.Name}
	switch h.Type {
	case "observe":
		hook.Observe = func(context.Context, gateway.PlanRequest) error { return does() }
	case "transform":
		hook.Transform = func(_ context.Context, _ gateway.PlanRequest, c plangate.Call) (plangate.Call, error) {
			c.Operation = h.Does
			return c, does()
		}
	case "veto":
		hook.Veto = func(context.Context, gateway.PlanRequest) (gateway.Vote, error) {
			return gateway.Vote{Pass: h.Does == "pass", Vetoed: h.Does == "veto", Reason: h.Reason}, does()
		}
	}
	return hook
}

// wire speaks the protocol over two streams.
type wire struct {
	in  io.WriteCloser
	end func() error // after in is closed or was broken

	mu    sync.Mutex
	next  int
	open  map[int]chan wireAnswer
	ended bool
}

type wireAnswer struct {
	ID     int
	Result json.RawMessage
	Error  *Error
}

func newWire(in io.WriteCloser, out io.Reader, end func() error) *wire {
	w := &wire{in: in, end: end, open: map[int]chan wireAnswer{}}
	go w.read(out)
	return w
}

func (w *wire) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		var a wireAnswer
		if err == nil {
			err = json.Unmarshal(line, &a)
		}
		w.mu.Lock()
		if err != nil {
			w.ended = true
			for _, answer := range w.open {
				close(answer)
			}
			w.open = nil
			w.mu.Unlock()
			return
		}
		answer := w.open[a.ID]
		delete(w.open, a.ID)
		w.mu.Unlock()
		answer <- a
	}
}

func (w *wire) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	answer := make(chan wireAnswer, 1)
	w.mu.Lock()
	w.next++
	// Written by hand: what a vector says goes out byte for byte, also if it is no JSON
	// that an encoder would write.
	line := fmt.Appendf(nil, `{"id":%d,"method":%q,"params":%s}`+"\n", w.next, method, params)
	ended := w.ended
	if !ended {
		w.open[w.next] = answer
	}
	_, err := w.in.Write(line)
	w.mu.Unlock()
	if ended || err != nil {
		return nil, fmt.Errorf("the server has ended: %w", err)
	}
	select {
	case a, ok := <-answer:
		if !ok {
			return nil, io.ErrUnexpectedEOF
		}
		if a.Error != nil {
			return nil, a.Error
		}
		return a.Result, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *wire) Kill() error { return w.end() }

// startPipe serves in this process.
func startPipe(ctx context.Context, p *place) (Kernel, error) {
	clock := &stopped{}
	l, err := p.open(ctx, clock)
	if err != nil {
		return nil, err
	}
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := serve.Serve(context.Background(), requests, answers, serve.Options{Gate: l.Gate, Advance: clock.advance})
		answers.Close()
		done <- err
	}()
	return newWire(in, out, func() error {
		in.Close()
		return errors.Join(<-done, l.Close())
	}), nil
}

// program is the built policyctl, see TestMain.
var program string

// token makes a file by which answers are taken, also if these tests run below a
// program that is known as an agent. Only its digest is in the user's state.
func (p *place) token() (string, error) {
	state, file := layers.StateDir(layers.DefaultPlaces(p.getenv)), filepath.Join(p.dir, "token")
	if _, err := os.Stat(file); err == nil {
		return file, nil // another kernel may be reading it
	}
	digest := fmt.Sprintf("sha256:%x\n", sha256.Sum256([]byte("of a test")))
	return file, errors.Join(
		os.MkdirAll(state, 0o700),
		os.WriteFile(filepath.Join(state, "approvals.token"), []byte(digest), 0o600),
		os.WriteFile(file, []byte("of a test\n"), 0o600))
}

// startProcess serves in another process.
func startProcess(_ context.Context, p *place) (Kernel, error) {
	if p.script != nil {
		return nil, errors.New("a process has no script")
	}
	token, err := p.token()
	if err != nil {
		return nil, err
	}
	args := []string{
		"serve", "--stdio", "--token-file", token, "--policy", p.policy, "--store", p.store, "--log", filepath.Join(p.dir, "audit.jsonl"),
		"--test-clock", begin.Format(time.RFC3339),
	}
	for _, catalog := range p.catalogs {
		args = append(args, "--catalog", catalog)
	}
	command := exec.Command(program, args...)
	command.Dir, command.Env = p.dir, append(os.Environ(), "HOME="+p.dir, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=")
	var stderr strings.Builder
	command.Stderr = &stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, answers, err := os.Pipe() // so that waiting for the end does not close it early
	if err != nil {
		return nil, err
	}
	command.Stdout = answers
	if err := command.Start(); err != nil {
		return nil, err
	}
	answers.Close()
	return newWire(in, out, func() error {
		_ = command.Process.Kill() // it may have ended, which Wait tells
		_ = command.Wait()
		out.Close()
		if command.ProcessState.Exited() {
			return fmt.Errorf("the server ended by itself with code %d: %s", command.ProcessState.ExitCode(), stderr.String())
		}
		return nil
	}), nil
}
