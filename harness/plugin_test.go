package harness_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plangate/plangate/harness"
)

// driver loads the plugin as OpenCode does and makes one call.
const driver = `import { Plangate } from %PLUGIN%
const hooks = await Plangate({ client: {}, directory: "/w", worktree: "/w" })
const output = { args: { command: "x", old: 1 } }
try {
  await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, output)
  console.log("RUNS " + JSON.stringify(output.args))
} catch (error) {
  console.log("DENIED " + error.message)
}
process.exit(0)
`

// TestPlugin (hook-02): the plugin lets a call run after an answer that says so, and after
// nothing else.
func TestPlugin(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	for _, test := range []struct{ name, program, want string }{
		{"allow", `cat >/dev/null; echo '{"decision":"allow"}'`, `RUNS {"command":"x","old":1}`},
		{"no opinion", `cat >/dev/null; echo '{"decision":"none"}'`, `RUNS {"command":"x","old":1}`},
		{"other arguments", `cat >/dev/null; echo '{"decision":"allow","input":{"command":"y"}}'`, `RUNS {"command":"y"}`},
		{"the payload", `grep -q '"tool_name":"bash".*"tool_input":{"command":"x"' && echo '{"decision":"allow"}'`, "RUNS "},
		{"deny", `cat >/dev/null; echo '{"decision":"deny","reason":"no"}'`, "DENIED Plangate: no"},
		{"nothing", `cat >/dev/null`, "DENIED "},
		{"exit code", `cat >/dev/null; echo '{"decision":"allow"}'; exit 1`, "DENIED "},
		{"killed", `kill -9 $$`, "DENIED "},
		{"no JSON", `echo allow`, "DENIED "},
		{"two objects", `echo '{"decision":"allow"}{}'`, "DENIED "},
		{"a word", `echo '{"decision":"yes"}'`, "DENIED "},
		{"a key", `echo '{"decision":"allow","x":1}'`, "DENIED "},
		{"null", `echo null`, "DENIED "},
		{"arguments that are none", `echo '{"decision":"allow","input":[]}'`, "DENIED "},
		{"missing", "", "DENIED "},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			plugin, program := filepath.Join(dir, "plangate.mjs"), filepath.Join(dir, "policyctl")
			files := map[string]string{plugin: harness.OpencodePlugin([]string{program, "hook", "opencode"}, 5*time.Second), filepath.Join(dir, "driver.mjs"): strings.ReplaceAll(driver, "%PLUGIN%", `"./plangate.mjs"`)}
			if test.program != "" {
				files[program] = "#!/bin/sh\n" + test.program + "\n"
			}
			for name, text := range files {
				if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			command := exec.Command(node, filepath.Join(dir, "driver.mjs"))
			out, err := command.CombinedOutput()
			if err != nil || !strings.HasPrefix(string(out), test.want) {
				t.Errorf("%v: %s, want %s…", err, out, test.want)
			}
		})
	}
}
