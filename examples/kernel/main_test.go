package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// TestMain lets this program be started as the kernel, as play does.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "-dir" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestPlay(t *testing.T) {
	var out bytes.Buffer
	if err := play(context.Background(), &out); err != nil {
		t.Fatal(err, out.String())
	}
	text := out.String()
	for _, part := range []string{
		"tidy: waits for an answer (policy:shell)",
		"tidy: applied",
		"(note: Go ahead.)",
		"plan: denied scratch.write_file was denied (guard:keep_the_plan)",
		"count: applied",
		"left in the scratch folder: notes plan.txt\n",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
	before, after, _ := strings.Cut(text, "-- the kernel is killed")
	if strings.Contains(before, "tidy: applied") || strings.Count(after, "tidy: applied") != 2 { // result and summary
		t.Errorf("the order is wrong:\n%s", text)
	}
}
