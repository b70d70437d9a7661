package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelpWidth holds that help can be read in a window of 100 columns.
func TestHelpWidth(t *testing.T) {
	w := newTestWorld("")
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		var out bytes.Buffer
		cmd.SetOut(&out)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := columns(strings.TrimSuffix(line, "\n")); n > 100 {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(newRoot(&w.world))
}

func TestTerminalIsTold(t *testing.T) {
	for _, typed := range []bool{false, true} {
		w := newTestWorld("{\"operation\":\"x\"}\n")
		w.typed = typed
		realMain([]string{"decide", "--layers", "user"}, &w.world)
		if told := strings.Contains(w.errs.String(), "Ctrl-D"); told != typed {
			t.Errorf("typed %v: stderr %q", typed, &w.errs)
		}
		if strings.Count(w.out.String(), "\n") != 1 {
			t.Errorf("stdout %q", &w.out)
		}
	}
}
