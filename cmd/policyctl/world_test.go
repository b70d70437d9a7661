package main

import (
	"bufio"
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// testWorld is a world in memory.
type testWorld struct {
	world
	out, errs bytes.Buffer
}

func newTestWorld(stdin string) *testWorld {
	w := &testWorld{world: world{
		stdin:  strings.NewReader(stdin),
		getenv: func(string) string { return "" },
		now:    time.Now,
	}}
	w.stdout = bufio.NewWriter(&w.out)
	w.stderr = &w.errs
	return w
}

// broken makes every command that looks for policy hit a defect.
func (w *testWorld) broken() *testWorld {
	w.getenv = func(string) string { panic("defect \x1b") }
	return w
}

func TestDefectIsInternal(t *testing.T) {
	w := newTestWorld("").broken()
	if code := realMain([]string{"check"}, &w.world); code != codeInternal {
		t.Errorf("exit code %d, want %d", code, codeInternal)
	}
	if shown := w.errs.String(); !strings.Contains(shown, `defect \x1b`) {
		t.Errorf("the defect is not told: %.100q", shown)
	}
}

func TestDecideDefectWhileLoading(t *testing.T) {
	w := newTestWorld("{\"id\":\"1\",\"operation\":\"a\"}\nnonsense\n").broken()
	if code := realMain([]string{"decide"}, &w.world); code != codeInternal {
		t.Errorf("exit code %d, want %d", code, codeInternal)
	}
	want := []string{"1 deny builtin:internal_error", " deny builtin:invalid_call"}
	if diff := cmp.Diff(want, decisionsIn(t, &w.out)); diff != "" {
		t.Error(diff)
	}
}

// fullDisk cannot be written to.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{
		{"version"}, {"version", "--format", "json"}, {"--help"}, {"check", "-"}, {"explain", "x"}, {"decide"},
		{"conformance", "--run", "dec-01"}, {"conformance", "--serve"}, {"completion", "bash"},
	} {
		w := newTestWorld("{\"operation\":\"x\"}\n")
		w.stdout = bufio.NewWriter(fullDisk{})
		if code := realMain(args, &w.world); code != codeUsage {
			t.Errorf("%v: exit code %d, want %d", args, code, codeUsage)
		}
	}
}

func TestLongForms(t *testing.T) {
	tests := []struct{ args, want []string }{
		{nil, nil},
		{[]string{"fmt", "-check", "-diff", "a"}, []string{"fmt", "--check", "--diff", "a"}},
		{[]string{"fmt", "--check", "-"}, []string{"fmt", "--check", "-"}},
		{[]string{"fmt", "--", "-check"}, []string{"fmt", "--", "-check"}},
		{[]string{"check", "-check"}, []string{"check", "-check"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, longForms(test.args)); diff != "" {
			t.Errorf("%v: %s", test.args, diff)
		}
	}
}

func TestColour(t *testing.T) {
	w := newTestWorld("polici \"a\" {\n}\n")
	w.colour = true
	realMain([]string{"check", "-"}, &w.world)
	if !strings.Contains(w.out.String(), red) {
		t.Error("no colour on a terminal that wants it")
	}
}
