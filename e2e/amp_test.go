//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/plangate/plangate/harness"
)

const ampPackage = "@sourcegraph/amp"

// TestAmp asks Amp's own rule checker, which runs the delegate and tells what Amp would
// do with a call. A run of the agent needs a login, so no call is made here.
func TestAmp(t *testing.T) {
	info := describe(t, "amp")
	if os.Getenv(clisEnv) == "" {
		t.Skipf("%s does not name the directory of node_modules; use make e2e", clisEnv)
	}
	w := newAmp(t)
	version, err := w.version(info, ampPackage)
	if err != nil {
		driven.no(info.Title, err.Error())
		t.Skip(err)
	}
	driven.yes(info.Title + " " + version + " (its rule checker only, because an agent run needs a login)")
	for _, c := range []struct {
		name, tool string
		args       []string
		action     string
		reason     string
	}{
		{"shell denied", "Bash", []string{"--cmd", "mkdir denied-shell"}, "reject", "e2e-no-directories"},
		{"shell allowed", "Bash", []string{"--cmd", "touch allowed-shell"}, "allow", ""},
		{"compound shell with a denied part", "Bash", []string{"--cmd", "touch a; mkdir b | cat"}, "reject", "e2e-no-directories"},
		{"write denied", "create_file", []string{"--path", w.in("locked-new.txt"), "--content", "x"}, "reject", "e2e-locked-file"},
		{"write allowed", "create_file", []string{"--path", w.in("allowed-new.txt"), "--content", "x"}, "allow", ""},
		{"read denied", "Read", []string{"--path", w.in("secret.env")}, "reject", "e2e-secret-file"},
		{"read allowed", "Read", []string{"--path", w.in("open.txt")}, "allow", ""},
		{"MCP denied", "mcp__box__wipe", []string{"--what", "it"}, "reject", "e2e-no-wipe"},
		{"MCP allowed", "mcp__box__put", []string{"--what", "it"}, "allow", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.ampTest(t, c.tool, c.args...)
			if got.Action != c.action || !strings.Contains(got.Error, c.reason) {
				t.Errorf("got %+v; want %s because of %q", got, c.action, c.reason)
			}
		})
	}
	for _, s := range spoilings(nil) {
		want := map[harness.Effect]string{harness.Blocks: "reject", harness.Asks: "ask", harness.Runs: "allow"}[stated(info, s.failure)]
		if want == "" {
			continue // it would wait for ever, or nothing is stated
		}
		t.Run("hook fails "+string(s.failure), func(t *testing.T) {
			w := newAmp(t)
			w.spoil(s.script)
			if got := w.ampTest(t, "Bash", "--cmd", "touch after-failure"); got.Action != want {
				t.Errorf("got %+v; want %s", got, want)
			}
		})
	}
}

// newAmp is a world in which Amp delegates everything.
func newAmp(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, nil, func(*world) script { return nil })
	w.installed(t, "amp")
	return w
}

type ampAnswer struct {
	Action string `json:"action"`
	Error  string `json:"error"`
}

func (w *world) ampTest(t *testing.T, tool string, args ...string) ampAnswer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	// The exit code repeats the action.
	out, err := w.command(ctx, "amp", append([]string{"permissions", "test", tool, "--json"}, args...)...).Output()
	var answer ampAnswer
	if jsonErr := json.Unmarshal(out, &answer); jsonErr != nil {
		t.Fatalf("%v: %q, %v", jsonErr, out, err)
	}
	return answer
}
