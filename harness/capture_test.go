package harness_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate/harness"
)

var update = flag.Bool("update", false, "write the golden files anew")

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// golden compares text with a file below testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// input reads a capture. Amp's says the tool in its environment.
func input(t *testing.T, cli, file string) harness.Input {
	t.Helper()
	payload, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	in := harness.Input{Payload: payload, Now: noon, Dir: "/workspace"}
	if cli == "amp" {
		in.Getenv = func(name string) string {
			return map[string]string{"AGENT": "amp", "AGENT_TOOL_NAME": "Bash", "AMP_THREAD_ID": "T-1"}[name]
		}
	}
	return in
}

// TestCaptures reads what the real programs wrote (versions in Info.Tested): every one
// becomes the calls of the golden file, and holds no field that is not known (HRN-3, HRN-5).
func TestCaptures(t *testing.T) {
	var lines strings.Builder
	for _, cli := range harness.Names() {
		h, _ := harness.Find(cli)
		files, err := filepath.Glob(filepath.Join("testdata", cli, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			req, err := h.Read(input(t, cli, file))
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if len(req.Warnings) > 0 || len(req.Extra) > 0 {
				t.Errorf("%s: unknown fields %v", file, req.Warnings)
			}
			fmt.Fprintf(&lines, "%s/%s %s %s", cli, filepath.Base(file), req.Event, req.Tool)
			for _, call := range req.Calls {
				fmt.Fprintf(&lines, " -> %s|%s %s %s", call.Provider, call.Operation, call.Kind, call.Risk)
				if call.ID == "" || !strings.HasPrefix(call.Cwd, "/workspace") || !call.Time.Equal(noon) || len(call.Input) == 0 {
					t.Errorf("%s: incomplete call %+v", file, call)
				}
			}
			fmt.Fprintf(&lines, " session=%s agent=%s id=%t asks=%t\n", req.Session, req.Agent, req.GivenID, req.Asks)
		}
	}
	golden(t, "captures.golden", lines.String())
}

// TestAnswers pins every answer of every CLI and event (hook-14, k9): standard output,
// standard error and exit code.
func TestAnswers(t *testing.T) {
	var lines strings.Builder
	answers := []struct {
		name   string
		answer harness.Answer
	}{
		{"allow", harness.Answer{Verdict: harness.Allow}},
		{"allow-reason", harness.Answer{Verdict: harness.Allow, Reason: "fine"}},
		{"allow-input", harness.Answer{Verdict: harness.Allow, Input: []byte(`{"command":"ls"}`)}},
		{"deny", harness.Answer{Reason: "no <way>", Notice: "for you"}},
		{"deny-empty", harness.Answer{}},
		{"ask", harness.Answer{Verdict: harness.Ask, Reason: "sure?"}},
		{"none", harness.Answer{Verdict: harness.NoOpinion}},
	}
	for _, cli := range harness.Names() {
		h, _ := harness.Find(cli)
		events := []string{"Unheard"}
		for _, event := range h.Info().Events {
			events = append(events, event.Name)
		}
		switch cli {
		case "copilot":
			events = append(events, "PreToolUse")
		case "cursor":
			events = append(events, "beforeReadFile")
		}
		for _, event := range events {
			for _, asks := range []bool{false, true} {
				for _, a := range answers {
					out := h.Answer(harness.Request{Event: event, Asks: asks}, a.answer)
					fmt.Fprintf(&lines, "%s %s asks=%t %s: code=%d stderr=%q stdout=%s\n",
						cli, event, asks, a.name, out.Code, out.Stderr, out.Stdout)
				}
			}
			out := h.Refuse(event, "broken")
			fmt.Fprintf(&lines, "%s %s refuse: code=%d stderr=%q stdout=%s\n", cli, event, out.Code, out.Stderr, out.Stdout)
		}
	}
	golden(t, "answers.golden", lines.String())
}

// TestReasons (HRN-2): a reason is cut to what every CLI takes, at a character, and valid.
func TestReasons(t *testing.T) {
	for _, cli := range harness.Names() {
		h, _ := harness.Find(cli)
		for _, reason := range []string{"", " \n", "\xff\xfe", strings.Repeat("ä", 9000), "a\"b\x00\u2028"} {
			out := h.Refuse("", reason)
			if len(out.Stdout)+len(out.Stderr) > 20_000 || !utf8.Valid(out.Stdout) || !utf8.Valid(out.Stderr) || !denies(cli, out) {
				t.Errorf("%s: %.20q gives %.200q %.200q", cli, reason, out.Stdout, out.Stderr)
			}
		}
	}
}
