package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/persist"
)

const policyText = `
policy "allow_update" {
  match  = { provider = "db", operation = "update" }
  action = "allow"
}
policy "no_deletes" {
  match  = { operation = "delete_file" }
  action = "deny"
  reason = "Files stay."
}
`

// newGate makes a gate over an empty SQLite store, with a clock that stands still.
func newGate(t testing.TB, configure ...func(*gate.Config)) *gate.Gate {
	t.Helper()
	store, err := persist.OpenSQLite(context.Background(), filepath.Join(t.TempDir(), "gate.db"), persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	file, findings := dsl.Parse("agent.hcl", []byte(policyText))
	table, more := compile.Compile(compile.Input{
		Layers:   []compile.LayerFile{{Layer: plangate.LayerProject, File: file, Trusted: true}},
		Findings: findings,
	})
	if more.HasErrors() {
		t.Fatal(more)
	}
	config := gate.Config{
		Policy: func() gate.Policy { return gate.Policy{Table: table} },
		Store:  store,
		Clock:  func() time.Time { return time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC) },
	}
	for _, change := range configure {
		change(&config)
	}
	g, err := gate.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// reply is an answer as a client reads it.
type reply struct {
	ID     any `json:"id"`
	Result json.RawMessage
	Error  *struct {
		Code, Message string
		Data          json.RawMessage
	}
}

func (r *reply) code() string {
	if r.Error == nil {
		return ""
	}
	return r.Error.Code
}

// converse sends text, ends the input and returns the lines that came out.
func converse(t testing.TB, opts Options, text string) []reply {
	t.Helper()
	var out bytes.Buffer
	if err := Serve(context.Background(), strings.NewReader(text), &out, opts); err != nil {
		t.Fatal(err)
	}
	return replies(t, out.Bytes())
}

func replies(t testing.TB, out []byte) []reply {
	t.Helper()
	var all []reply
	if len(out) > 0 && out[len(out)-1] != '\n' {
		t.Errorf("SRV-2 the output does not end with a line feed: %q", out[max(0, len(out)-40):])
	}
	for line := range bytes.Lines(out) {
		var r reply
		if err := plangate.CheckJSON(line); err != nil {
			t.Fatalf("SRV-2 %v in %.200q", err, line)
		}
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber() // an id may be a number of any size
		if err := decoder.Decode(&r); err != nil {
			t.Fatalf("SRV-2 %v in %.200q", err, line)
		}
		if (r.Result == nil) == (r.Error == nil) {
			t.Fatalf("SRV-4 neither or both of result and error: %.200q", line)
		}
		all = append(all, r)
	}
	return all
}

// client is the other end of a connection. It may be used by several goroutines.
type client struct {
	writing sync.Mutex // of a line
	t       testing.TB
	in      io.WriteCloser
	end     chan error // what Serve returned

	mu   sync.Mutex
	next int
	open map[any]chan reply
}

func connect(t testing.TB, ctx context.Context, opts Options) *client { //nolint:revive // the test comes first here
	t.Helper()
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	c := &client{t: t, in: in, end: make(chan error, 1), open: map[any]chan reply{}}
	go func() {
		err := Serve(ctx, requests, answers, opts)
		answers.Close()
		c.end <- err
	}()
	go c.read(out)
	t.Cleanup(func() { in.Close() })
	return c
}

func (c *client) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var r reply
		if err := json.Unmarshal(line, &r); err != nil {
			c.t.Errorf("%v in %.200q", err, line)
			return
		}
		c.mu.Lock()
		answer := c.open[r.ID]
		delete(c.open, r.ID)
		c.mu.Unlock()
		if answer == nil {
			c.t.Errorf("SRV-2 an answer to nothing: %.200q", line)
			return
		}
		answer <- r
	}
}

// send starts a request and returns its id and where the answer will be.
func (c *client) send(method string, params any) (string, <-chan reply) {
	c.writing.Lock() // not mu: whoever reads must not wait for a line to be taken
	defer c.writing.Unlock()
	c.mu.Lock()
	c.next++
	id, answer := fmt.Sprint("r", c.next), make(chan reply, 1)
	c.open[id] = answer
	c.mu.Unlock()
	line, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	if err == nil {
		_, err = c.in.Write(append(line, '\n'))
	}
	if err != nil {
		c.t.Errorf("%s: %v", method, err)
	}
	return id, answer
}

func (c *client) call(method string, params any) reply {
	_, answer := c.send(method, params)
	return c.await(answer)
}

func (c *client) await(answer <-chan reply) reply {
	select {
	case r := <-answer:
		return r
	case <-time.After(20 * time.Second):
		c.t.Error("no answer")
		return reply{}
	}
}

// must is call for what has to succeed; it fills into.
func (c *client) must(method string, params, into any) {
	c.t.Helper()
	r := c.call(method, params)
	if r.Error != nil {
		c.t.Fatalf("%s: %s: %s", method, r.Error.Code, r.Error.Message)
	}
	if err := json.Unmarshal(r.Result, into); into != nil && err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// stop ends the input and wants the server to end well.
func (c *client) stop() {
	c.t.Helper()
	c.in.Close()
	if err := <-c.end; err != nil {
		c.t.Errorf("SRV-8 the server ended with %v", err)
	}
}

type object = map[string]any

// planned is a plan as far as the tests look at it.
type planned struct{ Items []gate.Item }

// plan plans calls given as "id provider.operation".
func (c *client) plan(session, turn string, calls ...string) planned {
	c.t.Helper()
	list := []object{}
	for _, text := range calls {
		id, name, _ := strings.Cut(text, " ")
		provider, operation, _ := strings.Cut(name, ".")
		list = append(list, object{"id": id, "provider": provider, "operation": operation, "input": object{"n": 1}})
	}
	var plan planned
	c.must("plan", object{"session": session, "turn": turn, "calls": list}, &plan)
	return plan
}

func verdictOn(item gate.Item, decision string) object {
	return object{"item": item.ID, "verdict": object{"decision": decision, "actor": "ada", "digest": item.Digest}}
}
