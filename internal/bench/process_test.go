package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const hello = `package main

import "os"

func main() { os.Stdout.WriteString("hello\n") }
`

// BenchmarkProcess compares whole processes: one that only says hello, one
// that decides a call, one that checks a file.
func BenchmarkProcess(b *testing.B) {
	p := newProcesses(b)
	for _, run := range []struct {
		name    string
		command func() *exec.Cmd
	}{
		{"hello", func() *exec.Cmd { return p.command(p.hello) }},
		{"version", func() *exec.Cmd { return p.command(p.policyctl, "version") }},
		{"decide/policies=20/uncached", func() *exec.Cmd { return p.decide(20, false) }},
		{"decide/policies=20/cached", func() *exec.Cmd { return p.decide(20, true) }},
		{"decide/policies=1000/uncached", func() *exec.Cmd { return p.decide(1_000, false) }},
		{"decide/policies=1000/cached", func() *exec.Cmd { return p.decide(1_000, true) }},
		{"check/policies=20", func() *exec.Cmd { return p.command(p.policyctl, "check", p.policy(20)) }},
		{"check/policies=1000", func() *exec.Cmd { return p.command(p.policyctl, "check", p.policy(1_000)) }},
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

type processes struct {
	dir              string
	hello, policyctl string
}

func newProcesses(b *testing.B) *processes {
	b.Helper()
	dir := b.TempDir()
	p := &processes{dir: dir, hello: filepath.Join(dir, "hello"), policyctl: filepath.Join(dir, "policyctl")}
	source := filepath.Join(dir, "hello.go")
	if err := os.WriteFile(source, []byte(hello), 0o600); err != nil {
		b.Fatal(err)
	}
	for output, target := range map[string]string{
		p.hello: source, p.policyctl: "github.com/plangate/plangate/cmd/policyctl",
	} {
		if out, err := exec.Command("go", "build", "-o", output, target).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	for _, n := range []int{20, 1_000} {
		if err := os.WriteFile(p.policy(n), policyText(n), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return p
}

func (p *processes) policy(n int) string { return filepath.Join(p.dir, fmt.Sprintf("%d.hcl", n)) }

// command has no home, hence no cache.
func (p *processes) command(name string, args ...string) *exec.Cmd {
	command := exec.Command(name, args...)
	command.Dir = p.dir
	command.Env = []string{"PATH=" + os.Getenv("PATH")}
	return command
}

// decide decides one call that is allowed by default, so that it exits with 0.
func (p *processes) decide(policies int, cached bool) *exec.Cmd {
	command := p.command(p.policyctl, "decide", "--policy", p.policy(policies))
	command.Stdin = bytes.NewReader([]byte(`{"id":"1","kind":"data_source","provider":"files","operation":"read"}` + "\n"))
	if cached {
		command.Env = append(command.Env, "XDG_CACHE_HOME="+filepath.Join(p.dir, "cache"))
	}
	return command
}
