package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// toolCall is a call that the fake model makes. Args is marshalled as JSON; a string
// stands for the free text that some tools of the Responses API take instead.
type toolCall struct {
	Name      string
	Namespace string // for tools that the Responses API keeps in a namespace
	Args      any
}

// turn is one answer of the fake model: calls, or text if there are none.
type turn struct {
	Calls []toolCall
	Text  string
}

// script maps a marker to what the model says in a conversation whose last marker in
// the user's messages it is. Sub-agents have markers of their own.
type script map[string][]turn

// toolResult is what a CLI sent back for a call.
type toolResult struct {
	CallID string
	Text   string
}

// conversation is what all protocols have in common: the history of a request.
type conversation struct {
	user    string   // all that was said by users
	callIDs []string // of the calls made so far
	turns   int      // answers with calls so far, for protocols that drop ids
	results []toolResult
	tools   bool // tools are offered; requests without are titles and summaries
	offered []offer
}

// model is a fake model. It keeps no state between requests but what it was sent, so
// retries and side requests do no harm. It is safe for concurrent use.
type model struct {
	URL    string // http://127.0.0.1:PORT
	script script

	mu       sync.Mutex
	results  map[string]string // by call id, the last text
	offered  map[string]offer  // the tools of all requests, by namespace and name
	requests []string          // method and path of each
	unknown  []string          // requests to paths that it does not have
}

// startModel serves until the test ends.
func startModel(t *testing.T, s script) *model {
	t.Helper()
	m := &model{script: s, results: map[string]string{}, offered: map[string]offer{}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second}
	m.URL = "http://" + listener.Addr().String()
	go func() { _ = server.Serve(listener) }() // ends with ErrServerClosed
	t.Cleanup(func() { _ = server.Close() })
	return m
}

// maxRequest bounds a request; CLIs send their whole history each time.
const maxRequest = 64 << 20

// ServeHTTP answers in the protocol that the path names.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := requestBody(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.requests = append(m.requests, r.Method+" "+r.URL.Path)
	m.mu.Unlock()
	path := r.URL.Path
	switch {
	case strings.HasSuffix(path, "/messages"):
		m.reply(w, body, anthropicProtocol{})
	case strings.HasSuffix(path, "/chat/completions"):
		m.reply(w, body, chatProtocol{})
	case strings.HasSuffix(path, "/responses"):
		m.reply(w, body, responsesProtocol{})
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		m.reply(w, body, geminiProtocol{stream: strings.HasSuffix(path, ":streamGenerateContent")})
	case strings.HasSuffix(path, "/count_tokens"):
		writeJSON(w, map[string]any{"input_tokens": 10})
	case strings.HasSuffix(path, ":countTokens"):
		writeJSON(w, map[string]any{"totalTokens": 10})
	case strings.HasSuffix(path, "/models"):
		writeJSON(w, map[string]any{
			"object": "list", "models": []any{},
			"data": []any{map[string]any{"id": modelName, "object": "model"}},
		})
	default:
		m.mu.Lock()
		m.unknown = append(m.unknown, r.Method+" "+path)
		m.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":{"type":"not_found_error","message":"the fake model has no such path"}}`)
	}
}

// modelName is the name for CLIs that let one choose it.
const modelName = "fake-model"

func requestBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil || r.Header.Get("Content-Encoding") != "gzip" {
		return body, err
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(unzipped, maxRequest))
}

// protocol is one API of model providers.
type protocol interface {
	// read takes the history out of a request.
	read(body []byte) (conversation, error)
	// write sends an answer; ids are those of its calls.
	write(w http.ResponseWriter, body []byte, answer turn, ids []string)
}

func (m *model) reply(w http.ResponseWriter, body []byte, p protocol) {
	c, err := p.read(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	for _, r := range c.results {
		m.results[r.CallID] = r.Text
	}
	for _, o := range c.offered {
		m.offered[o.Namespace+"/"+o.Name] = o
	}
	m.mu.Unlock()
	answer, ids := m.next(&c)
	p.write(w, body, answer, ids)
}

// next finds what to say: the turn after those whose call ids the history holds.
func (m *model) next(c *conversation) (turn, []string) {
	marker, at := "", -1
	for candidate := range m.script {
		if i := strings.LastIndex(c.user, candidate); i > at {
			marker, at = candidate, i
		}
	}
	// Codex asks for a title with tools offered.
	if marker == "" || !c.tools || strings.Contains(c.user, "task title") {
		return turn{Text: "ok"}, nil
	}
	n := nextTurn(c, marker)
	turns := m.script[marker]
	if n >= len(turns) {
		return turn{Text: "The end."}, nil
	}
	answer := turns[n]
	ids := make([]string, len(answer.Calls))
	for i := range ids {
		ids[i] = place{marker, n, i}.id()
	}
	answer.Calls = m.fill(answer.Calls)
	return answer, ids
}

// place is where in a script a call stands.
type place struct {
	marker      string
	turn, index int
}

// id is the call's id, from which the fake model finds the place again. APIs want
// letters, digits and underscores only.
func (p place) id() string {
	return fmt.Sprintf("call_%s_%d_%d", strings.ReplaceAll(p.marker, "-", ""), p.turn, p.index)
}

var callIDPattern = regexp.MustCompile(`call_([A-Za-z0-9]+)_(\d+)_\d+$`)

func nextTurn(c *conversation, marker string) int {
	next := 0
	if c.callIDs == nil {
		next = c.turns
	}
	for _, id := range c.callIDs {
		found := callIDPattern.FindStringSubmatch(id)
		if len(found) != 3 || found[1] != strings.ReplaceAll(marker, "-", "") {
			continue
		}
		if n, err := strconv.Atoi(found[2]); err == nil {
			next = max(next, n+1)
		}
	}
	return next
}

// fromResult in a script's argument is replaced by what a pattern's group found last in
// the results so far, for ids that only the CLI knows.
type fromResult struct{ Pattern *regexp.Regexp }

func (m *model) fill(calls []toolCall) []toolCall {
	filled := make([]toolCall, len(calls))
	for i, call := range calls {
		if args, ok := call.Args.(map[string]any); ok {
			replaced := map[string]any{}
			for key, value := range args {
				replaced[key] = m.filled(value)
			}
			call.Args = replaced
		}
		filled[i] = call
	}
	return filled
}

func (m *model) filled(value any) any {
	switch value := value.(type) {
	case fromResult:
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, text := range m.results {
			if found := value.Pattern.FindStringSubmatch(text); found != nil {
				return found[1]
			}
		}
		return ""
	case []any:
		list := make([]any, len(value))
		for i := range value {
			list[i] = m.filled(value[i])
		}
		return list
	default:
		return value
	}
}

// result returns what the CLI sent back for a call, and whether it did.
func (m *model) result(p place) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.results[p.id()]
	return text, ok
}

// seen tells what reached the fake model, for people.
func (m *model) seen() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return fmt.Sprintf("requests: %v\nnot known: %v\nresults: %v", m.requests, m.unknown, m.results)
}

// flatten returns all text in a nested content value, in order.
func flatten(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case []any:
		var parts []string
		for _, element := range value {
			parts = append(parts, flatten(element))
		}
		return strings.Join(parts, "\n")
	case map[string]any:
		for _, key := range []string{"text", "content", "output", "error", "response", "result"} {
			if inner, ok := value[key]; ok {
				return flatten(inner)
			}
		}
		text, _ := json.Marshal(value)
		return string(text)
	case nil:
		return ""
	default:
		return fmt.Sprint(value)
	}
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // the CLI may be gone
}

// sse sends server-sent events. A name is taken from the member "type" where named.
type sse struct {
	w     http.ResponseWriter
	named bool
	count int
}

func newSSE(w http.ResponseWriter) *sse {
	w.Header().Set("Content-Type", "text/event-stream")
	return &sse{w: w}
}

func newNamedSSE(w http.ResponseWriter) *sse {
	s := newSSE(w)
	s.named = true
	return s
}

// send writes one event and counts it.
func (s *sse) send(event map[string]any) {
	if s.named {
		event["sequence_number"] = s.count
		_, _ = fmt.Fprintf(s.w, "event: %s\n", event["type"])
	}
	s.count++
	data, _ := json.Marshal(event)
	_, _ = fmt.Fprintf(s.w, "data: %s\n\n", data)
}

// marshal is for arguments, which are always marshallable.
func marshal(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%q", err)
	}
	return string(data)
}
