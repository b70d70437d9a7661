//go:build unix

package writeback

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/layers"
)

// The test binary is started again as a writer. These variables tell it what to
// do.
const (
	envDir     = "WRITEBACK_TEST_DIR"
	envCommand = "WRITEBACK_TEST_COMMAND" // "" undoes
	envKill    = "WRITEBACK_TEST_KILL"    // point at which it kills itself, and how often that is reached
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envDir); dir != "" {
		os.Exit(writer(dir))
	}
	os.Exit(m.Run())
}

// writer is the main function of a process that writes once.
func writer(dir string) int {
	p := &place{dir: dir}
	seen := 0
	reached := func(point string) {
		if seen++; os.Getenv(envKill) == fmt.Sprint(seen) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		fmt.Println(point)
	}
	var err error
	if command := os.Getenv(envCommand); command != "" {
		req := p.request(plangate.Allow, bash(command))
		req.reached = reached
		_, err = Write(context.Background(), req)
	} else {
		_, err = Undo(context.Background(), UndoRequest{Target: p.target(), reached: reached})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// start runs a writer and returns the points that it reached.
func (p *place) start(command, kill string) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envDir+"="+p.dir, envCommand+"="+command, envKill+"="+kill)
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return strings.Fields(string(out)), err
}

// Writers of the one sort and of the other.
const (
	goroutines = 48
	processes  = 16
)

// 64 writers at once, each answer given twice: nothing lost, nothing doubled.
func TestConcurrentWriters(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	commands := make([]string, (goroutines+processes)/2)
	for i := range commands {
		commands[i] = fmt.Sprintf("git show %d", i)
	}
	var group sync.WaitGroup
	for i := range goroutines + processes {
		command := commands[i%len(commands)]
		group.Go(func() {
			var err error
			if i < processes {
				_, err = p.start(command, "")
			} else {
				_, err = Write(context.Background(), p.request(plangate.Allow, bash(command)))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	content := p.get(project)
	file, findings := dsl.Parse(p.path(project), []byte(content))
	if findings.HasErrors() || len(file.Policies) != len(commands)+1 {
		t.Fatalf("%d policies, %v\n%s", len(file.Policies), findings, content)
	}
	for _, command := range commands {
		p.wants(bash(command), plangate.Allow)
	}
	if !strings.HasPrefix(content, asks) {
		t.Error("the beginning changed")
	}
	for range commands {
		if _, err := p.undo(); err != nil {
			t.Fatal(err)
		}
	}
	if p.get(project) != asks {
		t.Errorf("undone: %q", p.get(project))
	}
}

// A writer without our lock, such as an editor, must not be overwritten.
func TestEditorBetweenReadingAndWriting(t *testing.T) {
	p := newPlace(t)
	p.project(asks)
	req := p.request(plangate.Allow, bash("git status"))
	edited := false
	req.reached = func(point string) {
		if point == "temp" && !edited {
			edited = true
			p.project(asks + "# edited\n")
		}
	}
	if _, err := Write(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(p.get(project), asks+"# edited\n") || !edited {
		t.Errorf("%s", p.get(project))
	}
	p.wants(bash("git status"), plangate.Allow)
	req.Call.Input = bash("git diff").Input
	count := 0
	req.reached = func(point string) {
		if point == "temp" {
			count++
			p.project(asks + strings.Repeat("#", count) + "\n")
		}
	}
	if _, err := Write(context.Background(), req); !errors.Is(err, ErrChanged) {
		t.Errorf("%d tries: %v", count, err)
	}
	if entries, err := readJournal(p.path("state/writeback.json")); err != nil || len(entries) != 1 {
		t.Errorf("%d entries in the journal, %v", len(entries), err)
	}
}

// Killed at every point of the way: the file always is the old one or the new
// one, parses, is trusted only with one of the two, and the next writer goes on.
func TestKilledAtEveryPoint(t *testing.T) {
	for _, test := range []struct{ name, command string }{{"write", "git diff"}, {"undo", ""}} {
		t.Run(test.name, func(t *testing.T) {
			full := setUpForKill(t)
			points, err := full.start(test.command, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, point := range []string{"locked", "planned", "temp", "written", "renamed", "replaced", "trusted", "journalled"} {
				if !slices.Contains(points, point) {
					t.Errorf("point %s is not on the way: %v", point, points)
				}
			}
			for i, point := range points {
				t.Run(fmt.Sprintf("%d %s", i+1, point), func(t *testing.T) {
					killed(t, test.command, fmt.Sprint(i+1), full.get(project))
				})
			}
		})
	}
}

func setUpForKill(t *testing.T) *place {
	p := newPlace(t)
	p.project(asks)
	p.write(plangate.Allow, bash("git status"))
	return p
}

func killed(t *testing.T, command, kill, after string) {
	p := setUpForKill(t)
	before := p.get(project)
	if _, err := p.start(command, kill); err == nil {
		t.Fatal("it was not killed")
	}
	now := p.get(project)
	if now != before && now != after {
		t.Fatalf("a part was written: %q", now)
	}
	if _, findings := dsl.Parse("x", []byte(now)); findings.HasErrors() {
		t.Fatal(findings)
	}
	trusts, err := layers.Trusts(p.options().Places)
	if err != nil || len(trusts) != 1 || trusts[0].Digest != digestOf([]byte(before)) && trusts[0].Digest != digestOf([]byte(after)) {
		t.Fatalf("trust %v, %v", trusts, err)
	}
	if command == "" { // the undo is completed, or found done
		if _, err := p.undo(); err != nil && !errors.Is(err, ErrNothing) {
			t.Fatal(err)
		}
		if p.get(project) != asks {
			t.Errorf("undone: %q", p.get(project))
		}
		return
	}
	p.write(plangate.Allow, bash(command))
	p.wants(bash(command), plangate.Allow)
	p.wants(bash("git status"), plangate.Allow)
	if p.get(project) != after {
		t.Errorf("written again: %q", p.get(project))
	}
	for range 2 {
		if _, err := p.undo(); err != nil {
			t.Fatal(err)
		}
	}
	if p.get(project) != asks {
		t.Errorf("undone: %q", p.get(project))
	}
}
