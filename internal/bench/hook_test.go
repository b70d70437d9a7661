package bench

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkHook compares the process of a hook, with a cached table, with one that only
// says hello, built in the same run. The audit log is synced to disk, which is most of
// the difference between the last two.
func BenchmarkHook(b *testing.B) {
	p := newProcesses(b)
	for _, run := range []struct {
		name    string
		command func() *exec.Cmd
	}{
		{"hello", func() *exec.Cmd { return p.command(p.hello) }},
		{"version", func() *exec.Cmd { return p.command(p.policyctl, "version") }},
		{"policies=20/unlogged", func() *exec.Cmd { return p.hook(20, "none") }},
		{"policies=1000/unlogged", func() *exec.Cmd { return p.hook(1_000, "none") }},
		{"policies=1000/logged", func() *exec.Cmd { return p.hook(1_000, filepath.Join(p.dir, "audit.jsonl")) }},
	} {
		b.Run(run.name, func(b *testing.B) {
			for b.Loop() {
				if out, err := run.command().CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			}
		})
	}
}

// hook answers a call of Claude Code.
func (p *processes) hook(policies int, log string) *exec.Cmd {
	command := p.command(p.policyctl, "hook", "claude", "--policy", p.policy(policies), "--log", log)
	command.Stdin = bytes.NewReader([]byte(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Read",` +
		`"tool_input":{"file_path":"/x"},"tool_use_id":"t"}` + "\n"))
	command.Env = append(command.Env, "XDG_CACHE_HOME="+filepath.Join(p.dir, "cache"))
	return command
}
