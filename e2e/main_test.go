package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The environment of a run. clisEnv is the user's, the others are what the outer
// process tells the inner one.
const (
	clisEnv    = "PLANGATE_E2E"           // the directory that holds node_modules
	programEnv = "PLANGATE_E2E_POLICYCTL" // the policyctl to test, with policyctl-hook beside it; built if empty
	insideEnv  = "PLANGATE_E2E_INSIDE"    // set inside the network namespace
)

// loopbackRole is the first argument that turns the test binary into a probe: can
// loopback be brought up in a network namespace?
const loopbackRole = "e2e-loopback"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == mcpRole {
		if err := serveMCP(os.Args[2], os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	if os.Getenv(loopbackEnv) != "" || len(os.Args) == 2 && os.Args[1] == loopbackRole {
		if err := loopback(); err != nil {
			os.Exit(failed(fmt.Errorf("loopback: %w", err)))
		}
		if os.Getenv(loopbackEnv) == "" {
			return
		}
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Getenv(clisEnv) == "" {
		return m.Run()
	}
	if os.Getenv(insideEnv) == "" {
		return outside()
	}
	code := m.Run()
	if !driven.report() && code == 0 {
		return 1
	}
	return code
}

// outside builds both programs, for which it may need the network, and starts the same
// tests once more where there is only loopback, if the system lets it.
func outside() int {
	scratch, err := os.MkdirTemp("", "plangate-e2e")
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	program := os.Getenv(programEnv)
	if program == "" {
		program = filepath.Join(scratch, "policyctl")
		build := exec.Command("go", "build", "-o", scratch+"/",
			"github.com/plangate/plangate/cmd/policyctl", "github.com/plangate/plangate/cmd/policyctl-hook")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err := build.Run(); err != nil {
			return failed(fmt.Errorf("building policyctl: %w", err))
		}
	}
	clis, err := filepath.Abs(os.Getenv(clisEnv))
	if err != nil {
		return failed(err)
	}
	env := append(os.Environ(), programEnv+"="+program, clisEnv+"="+clis, insideEnv+"=1")
	return again(env)
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "e2e:", err)
	return 1
}

// self starts this test binary again with the same arguments.
func self(env []string) *exec.Cmd {
	c := exec.Command(os.Args[0], os.Args[1:]...)
	c.Env, c.Stdin, c.Stdout, c.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	return c
}

// exitCode runs a command to its end.
func exitCode(c *exec.Cmd) int {
	if err := c.Run(); err != nil {
		if c.ProcessState != nil && c.ProcessState.ExitCode() > 0 {
			return c.ProcessState.ExitCode()
		}
		return failed(err)
	}
	return 0
}

// driven is what became of the CLIs, for the summary at the end.
var driven outcomes

type outcomes struct {
	mu  sync.Mutex
	did []string
	not []string
}

func (o *outcomes) yes(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.did = append(o.did, what)
}

func (o *outcomes) no(what, why string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.not = append(o.not, what+": "+why)
}

// report prints which CLIs were driven and which were not. It is false if CLIs were
// tried and none could be driven.
func (o *outcomes) report() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	slices.Sort(o.did)
	slices.Sort(o.not)
	if len(o.did) > 0 {
		fmt.Println("e2e: driven:", strings.Join(o.did, ", "))
	}
	for _, line := range o.not {
		fmt.Println("e2e: not driven:", line)
	}
	if len(o.did) == 0 && len(o.not) > 0 {
		fmt.Println("e2e: no CLI could be driven")
		return false
	}
	return true
}
