package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/plangate/plangate"
)

func TestServeAnswersEveryLine(t *testing.T) {
	request := `{"id":"1","files":{"a.hcl":""},"layers":[{"layer":"user","file":"a.hcl","trusted":true}],"catalogs":[],"calls":[{"operation":"x","kind":"data_source"},{"nonsense":1}]}`
	lines := []struct {
		in, id string
		failed bool
	}{
		{request, "1", false},
		{`{"id":"2","files":{},"layers":[{"layer":"user","file":"nosuch.hcl","trusted":true}],"catalogs":[],"calls":[]}`, "2", true},
		{`{"id":"3","files":{},"layers":[],"catalogs":[{"file":"nosuch.json"}],"calls":[]}`, "3", true},
		{`{"id":"4","fils":{}}`, "4", true},
		{`{"id":"5"} {"id":"6"}`, "5", true},
		{`not JSON`, "", true},
		{`[]`, "", true},
		{strings.Replace(request, `"1"`, `"7"`, 1), "7", false},
	}
	var in strings.Builder
	for _, line := range lines {
		in.WriteString(line.in + "\n\n")
	}
	var out bytes.Buffer
	if err := Serve(strings.NewReader(strings.TrimSpace(in.String())), &out); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(answers) != len(lines) {
		t.Fatalf("%d answers to %d requests:\n%s", len(answers), len(lines), out.String())
	}
	for i, line := range lines {
		var response Response
		if err := json.Unmarshal([]byte(answers[i]), &response); err != nil {
			t.Fatal(err)
		}
		if response.ID != line.id || (response.Error != "") != line.failed {
			t.Errorf("line %d: got %s", i+1, answers[i])
		}
		if !line.failed && len(response.Decisions) != 2 {
			t.Errorf("line %d: %d decisions, want 2", i+1, len(response.Decisions))
		}
	}
}

func TestInvalidCallIsDenied(t *testing.T) {
	loaded, err := load(&Request{})
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{``, `null`, `[]`, `{`, `{"operation":""}`, `{"operation":"x","kind":"data"}`, `{"id":"i","operation":"x","extra":1}`} {
		d := decider(loaded.table.Decide).text([]byte(call))
		if d.Action() != plangate.Deny || d.DecidedBy() != "builtin:invalid_call" || d.Reason() == "" {
			t.Errorf("%s: got %+v", call, d)
		}
		if strings.Contains(call, `"id"`) && d.CallID() != "i" {
			t.Errorf("%s: the answer is for %q", call, d.CallID())
		}
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestServeReportsBrokenPipes(t *testing.T) {
	broken := errors.New("broken")
	if err := Serve(strings.NewReader(`{"id":"1"}`), brokenWriter{broken}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	endless := strings.NewReader(strings.Repeat(" ", MaxLineBytes+2))
	if err := Serve(endless, new(bytes.Buffer)); err == nil {
		t.Error("an endless line was read")
	}
}

// FuzzServe: whatever comes in, each line that is not blank is answered with
// one JSON object.
func FuzzServe(f *testing.F) {
	f.Add([]byte(`{"id":"1","files":{"a.hcl":"policy \"p\" {\n match = {}\n action = \"ask\"\n}\n"},"layers":[{"layer":"user","file":"a.hcl","trusted":false}],"catalogs":[{"file":"a.hcl"}],"calls":[{"operation":"mcp__a__b"},null]}`))
	f.Add([]byte("{}\n\n[]\n\"\x00\"\n"))
	f.Add([]byte(`{"id":"1","binary":{"b.json":"AP8="},"catalogs":[{"file":"b.json","provider":"p"}],"now":"2030-01-01T00:00:00Z"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		if err := Serve(bytes.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for line := range bytes.Lines(in) {
			if len(bytes.TrimSpace(line)) > 0 {
				lines++
			}
		}
		for answer := range bytes.Lines(out.Bytes()) {
			lines--
			var response Response
			if err := json.Unmarshal(answer, &response); err != nil {
				t.Errorf("%s: %v", answer, err)
			}
		}
		if lines != 0 {
			t.Errorf("%d lines without an answer", lines)
		}
	})
}
