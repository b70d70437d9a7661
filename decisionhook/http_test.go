//go:build unix

package decisionhook

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

// serve starts a server and returns an asker for it. Both are gone when the test ends.
func serve(t *testing.T, handler http.HandlerFunc, opts HTTPOptions) (asker Asker, server *httptest.Server) {
	t.Helper()
	noLeaks(t)
	server = httptest.NewServer(handler)
	t.Cleanup(server.Close)
	asker, err := HTTP(server.URL+"/hook?token=hunter2", opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(asker.(*endpoint).client.CloseIdleConnections)
	return asker, server
}

func TestHTTPRequest(t *testing.T) {
	var got *http.Request
	var body map[string]any
	asker, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, `{"decision":"ask","ask":{"prompt":"p","channel":"c"}}`)
	}, HTTPOptions{Header: http.Header{"Authorization": {"Bearer x"}, "Idempotency-Key": {"mine"}}})
	q := question("c1")
	result := Hook{Asker: asker}.Decide(t.Context(), q)
	if result.Err != nil {
		t.Fatal(result.Err)
	}
	if diff := cmp.Diff(Answer{Decision: plangate.Ask, Prompt: "p", Channel: "c"}, result.Answer); diff != "" {
		t.Error(diff)
	}
	if got.Method != http.MethodPost || got.URL.RequestURI() != "/hook?token=hunter2" {
		t.Errorf("got %s %s", got.Method, got.URL)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Authorization": "Bearer x", "Idempotency-Key": q.Key(),
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: got %q", name, got.Header.Get(name))
		}
	}
	deadline := got.Header.Get("Plangate-Deadline")
	if _, err := time.Parse(time.RFC3339Nano, deadline); err != nil || body["deadline_at"] != deadline || body["call_id"] != "c1" {
		t.Errorf("deadline %q, body %v", deadline, body)
	}
}

func TestHTTPErrors(t *testing.T) {
	say := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc
		says    string
	}{
		{"seed: 500 is no deny", say(500, `{"decision":"deny"}`), "status 500"},
		{"404", say(404, allowText), "status 404"},
		{"304", say(304, ""), "status 304"},
		{"empty body", say(200, ""), "empty"},
		{"no content", say(204, ""), "empty"},
		{"null", say(200, "null"), "JSON object"},
		{"empty object", say(200, "{}"), "decision"},
		{"captive portal", say(200, "<html>Welcome</html>"), "invalid"},
		{"two answers", say(200, allowText+allowText), "after the JSON value"},
		{"huge", say(200, strings.Repeat(" ", 2<<20)+allowText), errTooLong.Error()},
		{"huge headers", func(w http.ResponseWriter, _ *http.Request) {
			for i := range 100 {
				w.Header().Set("X-"+strconv.Itoa(i), strings.Repeat("x", 4096))
			}
			io.WriteString(w, allowText)
		}, "header"},
		{"partial", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, allowText)
		}, "EOF"},
		{"aborted", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
		{"compressed", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") != "" {
				t.Error("compression is asked for")
			}
			w.Header().Set("Content-Encoding", "gzip")
			w.Write([]byte{0x1f, 0x8b, 8, 0})
		}, "UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asker, _ := serve(t, tt.handler, HTTPOptions{})
			got := Hook{Asker: asker, OnError: plangate.Ask, OnTimeout: plangate.Deny}.Decide(t.Context(), question("c1"))
			if got.Failure != FailureError || got.Answer.Decision != plangate.Ask {
				t.Fatalf("got %v %v: %v", got.Failure, got.Answer, got.Err)
			}
			if text := got.Err.Error(); !strings.Contains(text, tt.says) || strings.Contains(text, "hunter2") {
				t.Errorf("error %q", text)
			}
		})
	}
}

func TestHTTPRedirectIsNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		followed := false
		asker, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				followed = true
				io.WriteString(w, allowText)
				return
			}
			http.Redirect(w, r, "/elsewhere", status)
		}, HTTPOptions{})
		got := Hook{Asker: asker}.Decide(t.Context(), question("c1"))
		if got.Failure != FailureError || followed {
			t.Errorf("%d: got %v, followed %v", status, got.Failure, followed)
		}
	}
}

func TestHTTPTimeout(t *testing.T) {
	slow := func(begin string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // then the server notices that the client has gone
			io.WriteString(w, begin)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}
	for name, handler := range map[string]http.HandlerFunc{
		"no answer": func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		},
		"half an answer": slow(`{"decision":"al`), "an answer without an end": slow(allowText),
	} {
		t.Run(name, func(t *testing.T) {
			asker, _ := serve(t, handler, HTTPOptions{})
			start := time.Now()
			got := Hook{Asker: asker, Timeout: 100 * time.Millisecond, OnTimeout: plangate.Ask}.Decide(t.Context(), question("c1"))
			if took := time.Since(start); got.Failure != FailureTimeout || got.Answer.Decision != plangate.Ask || took > 5*time.Second {
				t.Errorf("got %v after %v: %v", got.Failure, took, got.Err)
			}
		})
	}
}

// TestHTTPDrip has a server that sends a byte now and then, for ever.
func TestHTTPDrip(t *testing.T) {
	asker, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			io.WriteString(w, " ")
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	}, HTTPOptions{})
	if got := (Hook{Asker: asker, Timeout: 200 * time.Millisecond}).Decide(t.Context(), question("c1")); got.Failure != FailureTimeout {
		t.Errorf("got %v: %v", got.Failure, got.Err)
	}
}

func TestHTTPConcurrently(t *testing.T) {
	asker, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			CallID string `json:"call_id"`
		}
		json.NewDecoder(r.Body).Decode(&q)
		fmt.Fprintf(w, `{"decision":"deny","message":%q}`, q.CallID)
	}, HTTPOptions{})
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			id := strconv.Itoa(i)
			got := Hook{Asker: asker, Timeout: time.Minute}.Decide(t.Context(), question(id))
			if got.Answer.Message != id {
				t.Errorf("%s: got %v: %v", id, got.Answer, got.Err)
			}
		})
	}
	group.Wait()
}

func TestHTTPNoProxy(t *testing.T) {
	var used atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { used.Store(true) }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	asker, err := HTTP("https://hook.invalid/", HTTPOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := Hook{Asker: asker, Timeout: 2 * time.Second}.Decide(t.Context(), question("c1"))
	if got.Failure == FailureNone || used.Load() {
		t.Errorf("got %v, proxy used: %v", got.Failure, used.Load())
	}
}

func TestHTTPS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, allowText) }))
	defer server.Close()
	server.Config.ErrorLog = nil
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	for _, tt := range []struct {
		name   string
		config *tls.Config
		want   Failure
	}{{"unknown authority", nil, FailureError}, {"known authority", &tls.Config{RootCAs: roots}, FailureNone}} {
		t.Run(tt.name, func(t *testing.T) {
			asker, err := HTTP(server.URL, HTTPOptions{TLS: tt.config})
			if err != nil {
				t.Fatal(err)
			}
			defer asker.(*endpoint).client.CloseIdleConnections()
			if got := (Hook{Asker: asker}).Decide(t.Context(), question("c1")); got.Failure != tt.want {
				t.Errorf("got %v: %v", got.Failure, got.Err)
			}
		})
	}
}

func TestHTTPTarget(t *testing.T) {
	tests := map[string]bool{
		"https://example.com/hook":    true,
		"https://example.com":         true,
		"http://localhost:8080/hook":  true,
		"http://127.0.0.1/":           true,
		"http://127.8.9.1/":           true,
		"http://[::1]:80/":            true,
		"http://example.com/":         false,
		"http://10.0.0.1/":            false,
		"http://0.0.0.0/":             false,
		"http://localhost.evil.com/":  false,
		"http://127.0.0.1.evil.com/":  false,
		"http://127.1/":               false,
		"http://2130706433/":          false,
		"https://user:pw@example.com": false,
		"https://example.com/#x":      false,
		"ftp://example.com/":          false,
		"/hook":                       false,
		"":                            false,
		"https://":                    false,
		"https://exa mple.com/":       false,
		"https://x/\x00":              false,
		"unix:/var/run/hook.sock":     false,
	}
	for target, ok := range tests {
		if asker, err := HTTP(target, HTTPOptions{}); (err == nil) != ok || (asker != nil) != ok {
			t.Errorf("%q: got %v", target, err)
		}
	}
}

// TestLocalhostElsewhere stands for a localhost that resolves to another machine.
func TestLocalhostElsewhere(t *testing.T) {
	asker, err := HTTP("http://localhost/", HTTPOptions{})
	if err != nil {
		t.Fatal(err)
	}
	transport := asker.(*endpoint).client.Transport.(*http.Transport)
	if conn, err := transport.DialContext(t.Context(), "tcp", "192.0.2.1:80"); err == nil || !strings.Contains(err.Error(), "not this machine") {
		t.Errorf("got %v, %v", conn, err)
	}
}

func TestOnlyLoopback(t *testing.T) {
	for address, ok := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "127.9.9.9:1": true, "[::ffff:127.0.0.1]:80": true,
		"10.0.0.1:80": false, "[fe80::1]:80": false, "0.0.0.0:80": false, "x": false, "example.com:80": false,
	} {
		if err := onlyLoopback("tcp", address, nil); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
}
