//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const hello = `package main

import "os"

func main() { os.Stdout.WriteString("hello\n") }
`

// BenchmarkHookProcess measures whole processes, under a policy of 1,000 blocks, beside a
// program that only says hello.
func BenchmarkHookProcess(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hello.go"), []byte(hello), 0o600); err != nil {
		b.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "hello"), filepath.Join(dir, "hello.go")).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	p := newPlace(b, manyPolicies())
	allow, deny := claudeCall("Read", `{"file_path":"x"}`), claudeCall("Bash", `{"command":"rm x"}`)
	status := claudeCall("Bash", `{"command":"git status"}`)
	p.run("policyctl-hook", allow, "claude")
	for _, program := range []struct {
		name, path, payload string
		args                []string
	}{
		{"hello", filepath.Join(dir, "hello"), "", nil},
		{"allow", "", allow, []string{"claude"}},
		{"allow-command", "", status, []string{"claude"}},
		{"deny-command", "", deny, []string{"claude"}},
		{"allow-without-log", "", allow, []string{"claude", "--log", "none"}},
		{"policyctl", filepath.Join(p.bin, "policyctl"), allow, []string{"hook", "claude"}},
	} {
		b.Run(program.name, func(b *testing.B) {
			path := program.path
			if path == "" {
				path = filepath.Join(p.bin, "policyctl-hook")
			}
			var times []time.Duration
			for b.Loop() {
				begin := time.Now()
				cmd := exec.Command(path, program.args...)
				cmd.Dir, cmd.Env, cmd.Stdin = p.work, p.env, strings.NewReader(program.payload)
				if out, err := cmd.Output(); err != nil || len(out) == 0 {
					b.Fatalf("%s, %v", out, err)
				}
				times = append(times, time.Since(begin))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
