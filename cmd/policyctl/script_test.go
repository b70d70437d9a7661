package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/plangate/plangate"
)

type scriptCommand = func(ts *testscript.TestScript, neg bool, args []string)

func scriptCommands() map[string]scriptCommand {
	return map[string]scriptCommand{
		"exits":     exits,
		"findings":  findings,
		"decisions": decisions,
		"bytes":     writeBytes,
		"repeat":    repeat,
	}
}

// exits runs a command and wants exactly the given exit code:
//
//	exits 2 policyctl check nothing.hcl
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// findings compares the report of the last `check --format json` with codes and
// ranges, related ranges included:
//
//	findings 'duplicate_name a.hcl:5,8-11 a.hcl:1,8-11'
func findings(ts *testscript.TestScript, neg bool, want []string) {
	var report struct{ Diagnostics plangate.Diagnostics }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &report))
	got := []string{}
	for _, diag := range report.Diagnostics {
		line := diag.Code + " " + diag.Range.String()
		for _, related := range diag.Related {
			line += " " + related.Range.String()
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got); neg || diff != "" {
		ts.Fatalf("findings (-want +got):\n%s", diff)
	}
}

// decisions compares the decisions of the last `decide`:
//
//	decisions 'c1 deny policy:a'
func decisions(ts *testscript.TestScript, neg bool, want []string) {
	got := []string{}
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		var decision plangate.Decision
		ts.Check(json.Unmarshal([]byte(line), &decision))
		got = append(got, fmt.Sprintf("%s %s %s", decision.CallID(), decision.Action(), decision.DecidedBy()))
	}
	if diff := cmp.Diff(want, got); neg || diff != "" {
		ts.Fatalf("decisions (-want +got):\n%s", diff)
	}
}

// writeBytes writes a file from a Go string literal without its quotes, for what
// cannot stand in an archive.
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bytes FILE LITERAL")
	}
	content, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(content), 0o666))
}

// repeat writes a template many times over, with %d counting from 1:
//
//	repeat 100 big.hcl template.hcl
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: repeat COUNT FILE TEMPLATE")
	}
	count, err := strconv.Atoi(args[0])
	ts.Check(err)
	template := ts.ReadFile(args[2])
	var out strings.Builder
	for i := range count {
		out.WriteString(strings.ReplaceAll(template, "%d", strconv.Itoa(i+1)))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(out.String()), 0o666))
}
