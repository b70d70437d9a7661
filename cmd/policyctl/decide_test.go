package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

// TestDecideAfterPanic holds that a defect leaves no call without an answer and
// none allowed.
func TestDecideAfterPanic(t *testing.T) {
	var out bytes.Buffer
	w := &world{
		stdin:  strings.NewReader("{\"id\":\"1\",\"operation\":\"a\"}\n{\"id\":\"2\",\"operation\":\"boom\"}\n{\"id\":\"3\",\"operation\":\"a\"}\n"),
		stdout: bufio.NewWriter(&out),
		now:    time.Now,
	}
	d := &decideRun{world: w, decide: func(call plangate.Call) plangate.Decision {
		if call.Operation == "boom" {
			panic("boom")
		}
		return plangate.NewDecision(call.ID, &plangate.Outcome{Action: plangate.Allow, DecidedBy: "policy:a"})
	}}
	if defect := runRecovered(d); defect != "boom" {
		t.Errorf("the panic became %v", defect)
	}
	w.stdout.Flush()
	want := []string{"1 allow policy:a", "2 deny builtin:internal_error", "3 deny builtin:internal_error"}
	if diff := cmp.Diff(want, decisionsIn(t, &out)); diff != "" {
		t.Error(diff)
	}
}

func runRecovered(d *decideRun) (defect any) {
	defer func() { defect = recover() }()
	d.encoder = json.NewEncoder(d.stdout)
	lines := &lineReader{in: bufio.NewReader(d.stdin), limit: plangate.MaxJSONBytes, idle: d.stdout.Flush}
	defer d.denyAfterPanic(lines)
	_ = d.all(lines)
	return nil
}

func decisionsIn(t *testing.T, out *bytes.Buffer) []string {
	t.Helper()
	var got []string
	for line := range strings.Lines(out.String()) {
		var decision plangate.Decision
		if err := json.Unmarshal([]byte(line), &decision); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		got = append(got, decision.CallID()+" "+decision.Action().String()+" "+decision.DecidedBy())
	}
	return got
}
