package mcpserve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/plangate/plangate/harness"
)

// spoken is a client that speaks lines.
type spoken struct {
	t     *testing.T
	to    *io.PipeWriter
	lines chan string
	ended chan error
	stop  context.CancelFunc
}

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// promptLine is a request whose id comes last, as the CLI writes it.
func promptLine(id int, arguments string) string {
	return fmt.Sprintf(`{"method":"tools/call","params":{"name":"permission_prompt","arguments":%s},"jsonrpc":"2.0","id":%d}`+"\n", arguments, id)
}

func speak(t *testing.T, opts Options) *spoken {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	s := &spoken{t: t, to: to, lines: make(chan string, 1000), ended: make(chan error, 1), stop: cancel}
	go func() {
		s.ended <- New(opts).Run(ctx, in, out)
		_ = out.Close()
	}()
	go func() {
		lines := bufio.NewScanner(from)
		lines.Buffer(nil, MaxLine)
		for lines.Scan() {
			s.lines <- lines.Text()
		}
		close(s.lines)
	}()
	t.Cleanup(func() { cancel(); _ = to.Close(); _ = from.Close() })
	s.say(hello)
	s.hear()
	return s
}

func (s *spoken) say(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.to, text); err != nil {
		s.t.Errorf("the server hears no more: %v", err)
	}
}

// hear returns the next line; "" at the end.
func (s *spoken) hear() string {
	s.t.Helper()
	select {
	case line := <-s.lines:
		if line != "" && !json.Valid([]byte(line)) {
			s.t.Errorf("not JSON: %.200s", line)
		}
		return line
	case <-time.After(10 * time.Second):
		s.t.Fatal("no answer")
		return ""
	}
}

func (s *spoken) end() error {
	s.t.Helper()
	select {
	case err := <-s.ended:
		return err
	case <-time.After(10 * time.Second):
		s.t.Fatal("it does not end")
		return nil
	}
}

const allowedHere = `{"tool_name":"Bash","input":{"command":"allowed"}}`

// TestUnreadable (MCS-4): a message that cannot be read is denied in the CLI's form if it is a
// prompt, and the next one is answered as if nothing had been.
func TestUnreadable(t *testing.T) {
	s := speak(t, Options{Judge: deciding})
	deep := func(n int) string {
		return `{"tool_name":"Bash","input":{"command":"allowed","x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
	}
	for i, c := range []struct{ name, line, want string }{
		{"not UTF-8", promptLine(7, `{"tool_name":"Bash","input":{"command":"allowed `+"\xff\xfe"+`"}}`), "deny"},
		{"half a surrogate", promptLine(7, `{"tool_name":"Bash","input":{"command":"allowed \ud800"}}`), "deny"},
		{"a key twice", promptLine(7, `{"tool_name":"Bash","input":{"command":"x","command":"allowed"}}`), "deny"},
		{"an argument twice", promptLine(7, `{"tool_name":"Bash","tool_name":"Bash","input":{"command":"allowed"}}`), "deny"},
		{"too deep", promptLine(7, deep(200)), "deny"},
		{"deeper than the SDK reads", promptLine(7, deep(5_000)), "deny"},
		{"very deep", promptLine(7, deep(1_000_000)), "deny"},
		{"too long", promptLine(7, `{"tool_name":"Bash","input":{"command":"allowed `+strings.Repeat("a", MaxLine)+`"}}`), "deny"},
		{"far too long", promptLine(7, `{"tool_name":"Bash","input":{"command":"allowed \",\"id\":1,`+strings.Repeat(`\"`, MaxLine)+`"}}`), "deny"},
		{"not JSON inside", promptLine(7, `{"tool_name":"Bash","input":{allowed}}`), "deny"},
		{"another id inside", promptLine(7, `{"tool_name":"Bash","id":1,"input":{"id":2,"command":"allowed",}}`), "deny"},
		{"another tool", strings.Replace(promptLine(7, `{"operation":}`), PromptTool, ExplainTool, 1), "error"},
		{"another method", `{"jsonrpc":"2.0","id":7,"method":"approve","params":{` + "\xff" + `}}` + "\n", "error"},
		{"no JSON", "allow\n", ""},
		{"no id", `{"method":"tools/call","params":{"name":"permission_prompt","arguments":{,}}}` + "\n", ""},
		{"an id that is none", `{"id":{"a":7},"method":"tools/call","params":{"name":"permission_prompt","arguments":{,}}}` + "\n", ""},
		{"nothing", "\n \r\n", ""},
		{"a list", "[" + strings.TrimSpace(promptLine(7, allowedHere)) + "]\n", ""},
		{"a number", "7\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.say(c.line)
			switch c.want {
			case "deny":
				if got := s.hear(); !strings.Contains(got, `{\"behavior\":\"deny\",\"message\":\"`) || !strings.Contains(got, `"id":7`) ||
					strings.Contains(got, `"error"`) || strings.Contains(got, `"isError":true`) {
					t.Errorf("got %.300s", got)
				}
			case "error":
				if got := s.hear(); !strings.Contains(got, `"error"`) || !strings.Contains(got, `"id":7`) {
					t.Errorf("got %.300s", got)
				}
			}
			s.say(promptLine(100+i, allowedHere))
			if got := s.hear(); !strings.Contains(got, `\"allow\"`) || !strings.Contains(got, fmt.Sprintf(`"id":%d`, 100+i)) {
				t.Errorf("after it: %.300s", got)
			}
		})
	}
}

// TestEnd (MCS-4): at the end of the input what is decided is answered, and what waits for a
// human is let go. SIGTERM, which ends the context, is the same.
func TestEnd(t *testing.T) {
	asked := make(chan struct{}, 10)
	waits := func(ctx context.Context, q *Question) harness.Output {
		if !strings.Contains(string(q.Payload), "asked") {
			return deciding(ctx, q)
		}
		if !q.Idle(func() { asked <- struct{}{}; <-ctx.Done() }) || !errors.Is(context.Cause(ctx), ErrEnding) {
			return q.CLI.Refuse("", "not for the end")
		}
		return q.CLI.Refuse("", "let go")
	}
	t.Run("input", func(t *testing.T) {
		s := speak(t, Options{Judge: waits})
		for i := range 20 {
			s.say(promptLine(i, allowedHere))
		}
		s.say(promptLine(20, `{"tool_name":"Bash","input":{"command":"asked"}}`))
		_ = s.to.Close()
		allowed, released := 0, 0
		for line := s.hear(); line != ""; line = s.hear() {
			allowed += strings.Count(line, `\"allow\"`)
			released += strings.Count(line, "let go")
		}
		if err := s.end(); err != nil || allowed != 20 || released != 1 {
			t.Errorf("%d allowed, %d released, %v", allowed, released, err)
		}
	})
	t.Run("context", func(t *testing.T) {
		for len(asked) > 0 {
			<-asked
		}
		s := speak(t, Options{Judge: waits})
		s.say(promptLine(1, `{"tool_name":"Bash","input":{"command":"asked"}}`))
		<-asked
		s.stop()
		if got, err := s.hear(), s.end(); !strings.Contains(got, "let go") || err != nil {
			t.Errorf("got %s, %v", got, err)
		}
	})
	t.Run("context, with more to read", func(t *testing.T) {
		for range 50 {
			s := speak(t, Options{Judge: waits})
			go func() { _, _ = io.WriteString(s.to, promptLine(1, allowedHere)) }() // perhaps too late
			s.stop()
			if err := s.end(); err != nil {
				t.Error(err)
			}
			_ = s.to.Close()
		}
	})
	t.Run("half a message", func(t *testing.T) {
		s := speak(t, Options{Judge: waits})
		s.say(strings.TrimSuffix(promptLine(1, allowedHere), "}\n"))
		_ = s.to.Close()
		if got, err := s.hear(), s.end(); got != "" || err == nil {
			t.Errorf("got %s, %v", got, err)
		}
	})
	t.Run("a message without its newline", func(t *testing.T) {
		s := speak(t, Options{Judge: waits})
		s.say(strings.TrimSuffix(promptLine(1, allowedHere), "\n"))
		_ = s.to.Close()
		if got, err := s.hear(), s.end(); !strings.Contains(got, `\"allow\"`) || err != nil {
			t.Errorf("got %s, %v", got, err)
		}
	})
}

// TestIdle (MCS-5): those that wait for a human keep no other from being decided, and there are
// never more than MaxWaiting of them.
func TestIdle(t *testing.T) {
	release := make(chan struct{})
	s := speak(t, Options{Judge: func(ctx context.Context, q *Question) harness.Output {
		if !strings.Contains(string(q.Payload), "asked") {
			return deciding(ctx, q)
		}
		if !q.Idle(func() { <-release }) {
			return q.CLI.Refuse("", "busy")
		}
		return q.CLI.Refuse("", "answered")
	}})
	const more = 3
	for i := range MaxWaiting + more {
		s.say(promptLine(i, `{"tool_name":"Bash","input":{"command":"asked"}}`))
	}
	for range more {
		if got := s.hear(); !strings.Contains(got, "busy") {
			t.Fatalf("got %s", got)
		}
	}
	for i := range 3 * MaxCalls {
		s.say(promptLine(1000+i, allowedHere))
		if got := s.hear(); !strings.Contains(got, `\"allow\"`) {
			t.Fatalf("got %s", got)
		}
	}
	close(release)
	for range MaxWaiting {
		if got := s.hear(); !strings.Contains(got, "answered") {
			t.Fatalf("got %s", got)
		}
	}
}

// TestGivenUp (MCS-4): a prompt that the CLI cancels ends its judge, and a turn that does not come
// in time is a deny.
func TestGivenUp(t *testing.T) {
	begun, gone := make(chan struct{}), make(chan struct{})
	s := speak(t, Options{Judge: func(ctx context.Context, q *Question) harness.Output {
		close(begun)
		<-ctx.Done()
		close(gone)
		return q.CLI.Refuse("", "gone")
	}})
	s.say(promptLine(1, allowedHere))
	<-begun
	s.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n")
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Error("the judge goes on")
	}

	blocked := make(chan struct{})
	defer close(blocked)
	s = speak(t, Options{Limit: 50 * time.Millisecond, Judge: func(ctx context.Context, q *Question) harness.Output {
		<-blocked // whatever the context says
		return deciding(ctx, q)
	}})
	for i := range 2 * MaxCalls {
		s.say(promptLine(i, allowedHere))
	}
	for range 2 * MaxCalls {
		if got := s.hear(); !strings.Contains(got, `\"deny\"`) {
			t.Errorf("got %s", got)
		}
	}
}

// FuzzOutline: whatever the line, a refusal is one line of JSON without an allow; and whatever stands
// in the arguments, the outline knows which prompt it is.
func FuzzOutline(f *testing.F) {
	for _, seed := range []string{promptLine(7, allowedHere), `{"id":"a\"b","method":"x"}`, `[{"id":1}]`, `{"id":1,"id":2`, "\xff", `}}}{"id":1`, `\",`, `":{`} {
		f.Add([]byte(seed), int64(7), seed)
	}
	f.Fuzz(func(t *testing.T, line []byte, id int64, filler string) {
		var o outline
		o.read(line)
		if refusal := o.refusal("why"); refusal != nil {
			if !json.Valid(refusal) || strings.Count(string(refusal), "\n") != 1 || strings.Contains(string(refusal), "allow") && !strings.Contains(o.id, "allow") {
				t.Fatalf("%q: %s", line, refusal)
			}
		}
		arguments, err := json.Marshal(map[string]any{"tool_name": filler, "input": map[string]any{filler: filler, "id": filler, "method": []string{filler}}})
		if err != nil {
			t.Fatal(err)
		}
		o = outline{}
		o.read([]byte(fmt.Sprintf(`{"method":"tools/call","params":{"_meta":{"name":%q},"name":"permission_prompt","arguments":%s},"jsonrpc":"2.0","id":%d}`,
			filler, arguments, id)))
		if o.id != fmt.Sprint(id) || o.method != `"tools/call"` || o.tool != `"permission_prompt"` {
			t.Fatalf("%q: %+v", arguments, o)
		}
	})
}
