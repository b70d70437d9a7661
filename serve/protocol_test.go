package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plangate/plangate/gate"
)

func TestBadLines(t *testing.T) {
	g := newGate(t)
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	tests := []struct {
		name, line string
		id         any
		code       string
	}{
		{"SRV-3 no JSON", `garbage`, nil, "invalid_request"},
		{"SRV-3 half a line", `{"id":1,"method":"hello"`, nil, "invalid_request"},
		{"SRV-3 two values", `{"id":1,"method":"hello"} {}`, nil, "invalid_request"},
		{"SRV-3 an array", `[{"id":1,"method":"hello"}]`, nil, "invalid_request"},
		{"SRV-3 null", `null`, nil, "invalid_request"},
		{"SRV-3 byte order mark", "\ufeff" + `{"id":1,"method":"hello"}`, nil, "invalid_request"},
		{"SRV-3 nested without end", `{"id":1,"method":"hello","params":` + strings.Repeat("[", 20000), nil, "invalid_request"},
		{"SRV-3 a key twice", `{"id":1,"id":2,"method":"hello"}`, nil, "invalid_request"},
		{"SRV-3 a key twice by escapes", `{"id":1,"\u0069d":2,"method":"hello"}`, nil, "invalid_request"},
		{"SRV-3 no id", `{"method":"hello"}`, nil, "invalid_request"},
		{"SRV-3 id null", `{"id":null,"method":"hello"}`, nil, "invalid_request"},
		{"SRV-3 id is an object", `{"id":{},"method":"hello"}`, nil, "invalid_request"},
		{"SRV-3 id true", `{"id":true,"method":"hello"}`, nil, "invalid_request"},
		{"SRV-3 long id", `{"id":"` + strings.Repeat("x", MaxIDBytes) + `","method":"hello"}`, nil, "invalid_request"},
		{"SRV-3 id with half a surrogate", `{"id":"\ud800","method":"hello"}`, nil, "invalid_request"},
		{"SRV-3 id that is not UTF-8", "{\"id\":\"\xff\",\"method\":\"hello\"}", nil, "invalid_request"},
		{"SRV-3 no method", `{"id":"a"}`, "a", "invalid_request"},
		{"SRV-3 method null", `{"id":"a","method":null}`, "a", "invalid_request"},
		{"SRV-3 method is a number", `{"id":"a","method":1}`, "a", "invalid_request"},
		{"SRV-3 method not UTF-8", "{\"id\":\"a\",\"method\":\"hello\xff\"}", "a", "invalid_request"},
		{"SRV-3 unknown key", `{"id":"a","method":"hello","jsonrpc":"2.0"}`, "a", "invalid_request"},
		{"SRV-3 key in another case", `{"id":"a","Method":"hello"}`, "a", "invalid_request"},
		{"SRV-3 params are an array", `{"id":"a","method":"hello","params":[]}`, "a", "invalid_request"},
		{"SRV-3 params null", `{"id":"a","method":"hello","params":null}`, "a", "invalid_request"},
		{"SRV-9 unknown method", `{"id":"a","method":"Hello"}`, "a", "unknown_method"},
		{"SRV-17 no clock to move", `{"id":"a","method":"test_clock","params":{"advance":"5m"}}`, "a", "unknown_method"},
		{"SRV-1 another version", `{"id":"a","method":"hello","params":{"protocol":2}}`, "a", "invalid_params"},
		{"SRV-5 missing key", `{"id":"a","method":"open"}`, "a", "invalid_params"},
		{"SRV-5 unknown key", `{"id":"a","method":"open","params":{"session":"s","sessions":1}}`, "a", "invalid_params"},
		{"SRV-5 key in another case", `{"id":"a","method":"open","params":{"Session":"s"}}`, "a", "invalid_params"},
		{"SRV-5 key twice", `{"id":"a","method":"open","params":{"session":"s","session":"t"}}`, "a", "invalid_params"},
		{"SRV-5 null", `{"id":"a","method":"open","params":{"session":null}}`, "a", "invalid_params"},
		{"SRV-5 a number for a string", `{"id":"a","method":"open","params":{"session":1}}`, "a", "invalid_params"},
		{"SRV-5 not UTF-8", "{\"id\":\"a\",\"method\":\"open\",\"params\":{\"session\":\"\xff\"}}", "a", "invalid_params"},
		{"SRV-5 half a surrogate", `{"id":"a","method":"open","params":{"session":"\udc00"}}`, "a", "invalid_params"},
		{"SRV-5 too deep", `{"id":"a","method":"open","params":{"session":` + deep + `}}`, "a", "invalid_params"},
		{"SRV-5 calls are an object", `{"id":"a","method":"plan","params":{"session":"s","turn":"t","calls":{}}}`, "a", "invalid_params"},
		{"SRV-5 calls null", `{"id":"a","method":"plan","params":{"session":"s","turn":"t","calls":null}}`, "a", "invalid_params"},
		{"SRV-5 a part of a second", `{"id":"a","method":"wait","params":{"session":"s","timeout_ms":1.5}}`, "a", "invalid_params"},
		{"SRV-5 no time at all", `{"id":"a","method":"wait","params":{"session":"s","timeout_ms":0}}`, "a", "invalid_params"},
		{"SRV-5 for ever and a day", `{"id":"a","method":"wait","params":{"session":"s","timeout_ms":86400001}}`, "a", "invalid_params"},
		{"SRV-5 verdict is a string", `{"id":"a","method":"resolve","params":{"item":"i","verdict":"allow"}}`, "a", "invalid_params"},
		{"SRV-5 unknown key of a verdict", `{"id":"a","method":"resolve","params":{"item":"i","verdict":{"decision":"allow","always":true}}}`, "a", "invalid_params"},
		{"SRV-5 digest null", `{"id":"a","method":"resolve","params":{"item":"i","verdict":{"decision":"allow","digest":null}}}`, "a", "invalid_params"},
		{"SRV-12 verdict without a decision", `{"id":"a","method":"resolve","params":{"item":"i","verdict":{"actor":"ada","digest":"d"}}}`, "a", "invalid_verdict"},
		{"SRV-12 a decision in capitals", `{"id":"a","method":"resolve","params":{"item":"i","verdict":{"decision":"ALLOW","actor":"a","digest":"d"}}}`, "a", "invalid_verdict"},
		{"SRV-12 a verdict of ask", `{"id":"a","method":"resolve","params":{"item":"i","verdict":{"decision":"ask","actor":"a","digest":"d"}}}`, "a", "invalid_verdict"},
		{"SRV-12 unknown item", `{"id":"a","method":"resolve","params":{"item":"i","verdict":{"decision":"deny","actor":"a","digest":"d"}}}`, "a", "not_found"},
		{"SRV-12 session without a name", `{"id":"a","method":"open","params":{"session":""}}`, "a", "invalid_plan"},
		{"SRV-13 not open", `{"id":"a","method":"claim","params":{"session":"s","item":"i"}}`, "a", "not_open"},
		{"SRV-14 cancel nothing in particular", `{"id":"a","method":"cancel","params":{"request":{}}}`, "a", "invalid_params"},
		{"SRV-15 a cursor without a time", `{"id":"a","method":"pending","params":{"after":{"created":"noon","id":"i"}}}`, "a", "invalid_params"},
		{"a mode there is not", `{"id":"a","method":"visible_operations","params":{"mode":"off"}}`, "a", "invalid_params"},
		{"an operation in a template", `{"id":"a","method":"visible_operations","params":{"mode":"plan","template":{"operation":"x"}}}`, "a", "invalid_params"},
		{"a template with a relative directory", `{"id":"a","method":"visible_operations","params":{"mode":"plan","template":{"cwd":"x"}}}`, "a", "invalid_params"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := converse(t, Options{Gate: g}, tt.line+"\n"+`{"id":"after","method":"hello"}`)
			if len(got) != 2 {
				t.Fatalf("SRV-2 %d answers, want 2", len(got))
			}
			slices.SortFunc(got, func(a, b reply) int {
				if a.ID == "after" {
					return 1
				}
				return -1
			})
			if got[0].ID != tt.id || got[0].code() != tt.code {
				t.Errorf("id %v, code %s; want %v, %s", got[0].ID, got[0].code(), tt.id, tt.code)
			}
			if got[1].ID != "after" || got[1].Error != nil {
				t.Errorf("SRV-11 the next request got %+v", got[1])
			}
		})
	}
}

func TestLines(t *testing.T) {
	g := newGate(t)
	tests := []struct {
		name, text string
		want       []any // ids
	}{
		{"nothing", "", nil},
		{"SRV-2 blank lines", "\n  \t\r\n\n", nil},
		{"SRV-8 no final line feed", `{"id":1,"method":"hello"}`, []any{json.Number("1")}},
		{"lines of Windows", "{\"id\":1,\"method\":\"hello\"}\r\n{\"id\":2,\"method\":\"hello\"}\r\n", []any{json.Number("1"), json.Number("2")}},
		{"SRV-4 the id as written", `{"id":"\u0061\n","method":"hello"}`, []any{"a\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var ids []any
			for _, r := range converse(t, Options{Gate: g}, tt.text) {
				ids = append(ids, r.ID)
			}
			if len(ids) == 2 && ids[0] == json.Number("2") {
				slices.Reverse(ids)
			}
			if !slices.Equal(ids, tt.want) {
				t.Errorf("ids %v, want %v", ids, tt.want)
			}
		})
	}
	var out bytes.Buffer
	in := `{"id": 1e2, "method": "nope"}` + "\n"
	if err := Serve(context.Background(), strings.NewReader(in), &out, Options{Gate: g}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), `{"id":1e2,`) {
		t.Errorf("SRV-4 the id is changed: %s", &out)
	}
}

func TestLongLines(t *testing.T) {
	g := newGate(t)
	pad := func(total int) string {
		line := `{"id":"long","method":"open","params":{"session":"s"}}`
		return line[:len(line)-1] + strings.Repeat(" ", total-len(line)) + "}"
	}
	for _, tt := range []struct {
		name, code string
		size       int
	}{{"just", "", MaxLine}, {"one more", "too_long", MaxLine + 1}, {"much more", "too_long", 3 * MaxLine}} {
		t.Run("SRV-6 "+tt.name, func(t *testing.T) {
			got := converse(t, Options{Gate: g}, pad(tt.size)+"\n"+`{"id":2,"method":"hello"}`)
			if len(got) != 2 {
				t.Fatalf("%d answers, want 2", len(got))
			}
			codes := []string{got[0].code(), got[1].code()}
			slices.Sort(codes)
			if codes[0] != "" || codes[1] != tt.code {
				t.Errorf("codes %q, want one %q", codes, tt.code)
			}
		})
	}
}

// TestCallsInside shows that the limits of calls and results hold inside a line, and
// that a bad call stands beside its neighbours.
func TestCallsInside(t *testing.T) {
	c := connect(t, context.Background(), Options{Gate: newGate(t)})
	c.must("open", object{"session": "s"}, nil)
	good := `{"id":"c0","provider":"db","operation":"update","input":{}}`
	big := strings.Repeat("x", 4<<20)
	calls := []json.RawMessage{
		json.RawMessage(good),
		json.RawMessage(`{"id":"c1","provider":"db","operation":"update","input":{"a":1,"a":2}}`),
		json.RawMessage(`{"id":"c2","provider":"db","operation":"update","input":{"a":"\ud800"}}`),
		json.RawMessage(`{"id":"c3","provider":"db","operation":"update","input":{"a":"` + big + `"}}`),
		json.RawMessage(`{"id":"c4","provider":"db","operation":"update","input":[1]}`),
		json.RawMessage(`{"id":"c5","provider":"db","operation":"update","Input":{}}`),
	}
	var plan planned
	c.must("plan", object{"session": "s", "turn": "t", "calls": calls}, &plan)
	for i, item := range plan.Items {
		if want := map[bool]gate.State{true: gate.Ready, false: gate.Denied}[i == 0]; item.State != want {
			t.Errorf("C6 call %d is %s, want %s", i, item.State, want)
		}
		if i > 0 && item.DecidedBy != "builtin:invalid_call" {
			t.Errorf("GAT-7 call %d by %s", i, item.DecidedBy)
		}
	}
	c.must("claim", object{"session": "s", "item": plan.Items[0].ID}, nil)
	for _, tt := range []struct {
		name, code string
		result     any
	}{
		{"R4 neither", "invalid_result", object{}},
		{"R4 both", "invalid_result", object{"output": 1, "error": "x"}},
		{"GAT-36 too large", "invalid_result", object{"output": big}},
		{"SRV-5 an unknown key", "invalid_params", object{"output": 1, "ok": true}},
		{"SRV-5 an error that is none", "invalid_params", object{"error": 1}},
		{"SRV-5 crashed perhaps", "invalid_params", object{"error": "x", "crashed": "yes"}},
		{"SRV-5 no object", "invalid_params", "done"},
	} {
		if r := c.call("complete", object{"session": "s", "item": plan.Items[0].ID, "result": tt.result}); r.code() != tt.code {
			t.Errorf("%s: %s, want %s", tt.name, r.code(), tt.code)
		}
	}
	var done struct{ Item gate.Item }
	c.must("complete", object{"session": "s", "item": plan.Items[0].ID, "result": object{"output": nil}}, &done)
	if string(done.Item.Result.Output) != "null" {
		t.Errorf("GAT-36 the output null came back as %q", done.Item.Result.Output)
	}
	c.stop()
}

func TestErrorData(t *testing.T) {
	c := connect(t, context.Background(), Options{Gate: newGate(t)})
	c.must("open", object{"session": "s"}, nil)
	plan := c.plan("s", "t", "c1 fs.write", "c2 fs.write", "c3 db.update")
	c.must("resolve", verdictOn(plan.Items[0], "allow"), nil)
	c.must("user_message", object{"session": "s"}, nil)
	tests := []struct {
		name, method string
		params       any
		code, data   string
	}{
		{"SRV-9 answered", "resolve", verdictOn(plan.Items[0], "deny"), "already_answered", `{"decision":"allow","actor":"ada","at":"2030-01-01T12:00:00Z"}`},
		{"SRV-9 superseded", "resolve", verdictOn(plan.Items[1], "allow"), "superseded", `{"at":"2030-01-01T12:00:00Z"}`},
		{"SRV-9 not ready", "claim", object{"session": "s", "item": plan.Items[1].ID}, "not_ready", `{"state":"denied"}`},
		{"not pending", "resolve", verdictOn(plan.Items[2], "allow"), "not_pending", ``},
		{"not found", "item", object{"item": "x"}, "not_found", ``},
		{"unsettled", "outcomes", object{"session": "s", "turn": "t"}, "unsettled", ``},
	}
	for _, tt := range tests {
		r := c.call(tt.method, tt.params)
		if r.code() != tt.code || string(r.Error.Data) != tt.data {
			t.Errorf("%s: %+v, want %s %s", tt.name, r.Error, tt.code, tt.data)
		}
	}
	c.stop()
}

func TestRefuseVerdicts(t *testing.T) {
	c := connect(t, context.Background(), Options{Gate: newGate(t), RefuseVerdicts: true})
	c.must("open", object{"session": "s"}, nil)
	plan := c.plan("s", "t", "c1 fs.write")
	if r := c.call("resolve", verdictOn(plan.Items[0], "allow")); r.code() != "not_permitted" {
		t.Errorf("SRV-16 resolve got %q", r.code())
	}
	var now struct{ Item gate.Item }
	if c.must("item", object{"item": plan.Items[0].ID}, &now); now.Item.State != gate.Waiting {
		t.Errorf("SRV-16 the item is %s", now.Item.State)
	}
	var hello helloResult
	if c.must("hello", object{"protocol": 1}, &hello); slices.Contains(hello.Methods, "resolve") || !slices.Contains(hello.Methods, "plan") {
		t.Errorf("SRV-16 methods %q", hello.Methods)
	}
	c.stop()
}

// TestPanic: a defect costs one request.
func TestPanic(t *testing.T) {
	var boom bool
	reported := 0
	g := newGate(t, func(config *gate.Config) {
		policy := config.Policy
		config.Policy = func() gate.Policy {
			if boom {
				panic("boom")
			}
			return policy()
		}
	})
	c := connect(t, context.Background(), Options{Gate: g, Report: func(error) { reported++ }})
	c.must("open", object{"session": "s"}, nil)
	boom = true
	if r := c.call("open", object{"session": "s"}); r.code() != "internal" || strings.Contains(r.Error.Message, "boom") {
		t.Errorf("SRV-11 %+v", r.Error)
	}
	boom = false
	c.must("open", object{"session": "s"}, nil)
	if reported != 1 {
		t.Errorf("SRV-11 %d defects reported, want 1", reported)
	}
	c.stop()
}

// broken fails after some bytes.
type broken struct{ left int }

func (b *broken) Write(text []byte) (int, error) {
	if b.left -= len(text); b.left < 0 {
		return 0, errBroken
	}
	return len(text), nil
}

func (b *broken) Read([]byte) (int, error) { return 0, errBroken }

var errBroken = errors.New("broken pipe")

func TestBrokenStreams(t *testing.T) {
	g := newGate(t)
	err := Serve(context.Background(), endless(`{"id":1,"method":"hello"}`+"\n"), &broken{left: 1000}, Options{Gate: g})
	if !errors.Is(err, errBroken) {
		t.Errorf("writing: %v", err)
	}
	if err := Serve(context.Background(), &broken{}, &bytes.Buffer{}, Options{Gate: g}); !errors.Is(err, errBroken) {
		t.Errorf("reading: %v", err)
	}
}

// endless reads as one text for ever.
type endless string

func (e endless) Read(into []byte) (int, error) {
	return copy(into, strings.Repeat(string(e), 1+len(into)/len(e))[:max(1, len(into)/len(e)*len(e))]), nil
}

func TestContextEnds(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	c := connect(t, ctx, Options{Gate: newGate(t)})
	c.must("open", object{"session": "s"}, nil)
	c.plan("s", "t", "c1 fs.write")
	_, answer := c.send("wait", object{"session": "s"})
	time.Sleep(20 * time.Millisecond)
	stop()
	if r := c.await(answer); r.code() != "cancelled" {
		t.Errorf("SRV-8 the wait got %q", r.code())
	}
	if err := <-c.end; err != nil {
		t.Errorf("SRV-8 %v", err)
	}
}
