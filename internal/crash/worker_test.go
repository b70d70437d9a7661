package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/internal/pgtest"
)

var (
	killsFlag     = flag.Int("kills", 300, "how many processes to kill, on all stores together")
	answerersFlag = flag.Int("answerers", 8, "processes that answer the same approvals")
	approvalsFlag = flag.Int("approvals", 100, "approvals that they answer")
	writersFlag   = flag.Int("writers", 16, "processes that write to the same policy file")
	outagesFlag   = flag.Int("outages", 3, "times that PostgreSQL goes away")
)

// jobVariable makes the test binary a worker; it holds a job.
const jobVariable = "CRASH_TEST_JOB"

func TestMain(m *testing.M) {
	if text := os.Getenv(jobVariable); text != "" {
		os.Exit(work(text))
	}
	os.Exit(pgtest.Main(m))
}

// job is what a worker does.
type job struct {
	Machine machine
	Task    string // a scenario or a task
	Session string
	// At is the point at which it kills itself, After how long after write-back began, Step
	// the step of write-back in the file system.
	At, Step int
	After    time.Duration
	// Broken names a way in which its gate is broken, for tests of the checker.
	Broken string

	Persevere time.Duration
	Number    int // of the worker among its like
	Items     []gate.Item
}

// tasks are what workers do besides scenarios, until they are killed or done.
var tasks = map[string]func(*worker) error{
	"live":   (*worker).live,
	"serve":  (*worker).serve,
	"human":  (*worker).human,
	"race":   (*worker).race,
	"always": (*worker).always,

	"twice":      (*worker).twice,
	"unasked":    (*worker).unasked,
	"contradict": (*worker).contradict,
}

// worker is a process that does a job.
type worker struct {
	kernel
	job  job
	kill *killer
}

// work is the main function of a worker.
func work(text string) int {
	w := &worker{}
	if err := json.Unmarshal([]byte(text), &w.job); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	go endWithDriver()
	var mu sync.Mutex
	w.kernel.ctx, w.machine, w.persevere = context.Background(), w.job.Machine, w.job.Persevere
	w.kernel.say = func(line said) {
		text, err := json.Marshal(line)
		if err != nil {
			panic(err)
		}
		mu.Lock()
		defer mu.Unlock()
		_, _ = os.Stdout.Write(append(text, '\n'))
	}
	w.kill = &killer{at: w.job.At, after: w.job.After, step: w.job.Step}
	w.kill.dirs = []string{filepath.Dir(w.machine.policyFile()), filepath.Dir(w.machine.places().Trust)}
	w.reach = w.kill.reach
	w.rivals = w.job.Task == "serve" || w.job.Task == "human"
	if err := w.do(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %s: %v\n", w.job.Task, gate.Code(err), err)
		return 1
	}
	w.say(said{What: ended, Points: w.kill.points()})
	return 0
}

// endWithDriver ends a worker whose driver is gone, however that ended.
func endWithDriver() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(3)
}

func (w *worker) do() error {
	if err := w.connect(func(config *gate.Config) {
		w.kill.onTheWay(config)
		breakGate(w.job.Broken, config, w.kill)
	}); err != nil {
		return err
	}
	defer w.local.Close()
	if task, ok := tasks[w.job.Task]; ok {
		return task(w)
	}
	if err := w.open(w.job.Session); err != nil {
		return err
	}
	return scenarioNamed(w.job.Task).run(w)
}

// process is a worker that was started.
type process struct {
	command *exec.Cmd
	stderr  bytes.Buffer
	mu      sync.Mutex
	heard   []said
	done    chan struct{} // closed when it says no more
	bad     error         // a line that cannot be read
}

// start starts a worker. hear, unless nil, is told each line.
func start(t testing.TB, j job, hear func(said)) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{command: exec.Command(self), done: make(chan struct{})}
	p.command.Env = append(os.Environ(), jobVariable+"="+string(text), "GOMAXPROCS=2")
	p.command.Stderr = &p.stderr
	out, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.command.StdinPipe(); err != nil { // closed when this process ends
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		lines := json.NewDecoder(out)
		for {
			var line said
			if err := lines.Decode(&line); err != nil {
				// A line that was cut off was not said: the kill came first.
				var syntax *json.SyntaxError
				if errors.As(err, &syntax) {
					p.bad = err
				}
				return
			}
			p.mu.Lock()
			p.heard = append(p.heard, line)
			p.mu.Unlock()
			if hear != nil {
				hear(line)
			}
		}
	}()
	return p
}

// whereabouts ends a worker that hangs and says where it was.
func (p *process) whereabouts() string {
	p.mu.Lock()
	last := text(p.heard[max(0, len(p.heard)-3):])
	p.mu.Unlock()
	_ = p.command.Process.Signal(syscall.SIGQUIT)
	<-p.done
	_ = p.command.Wait()
	return fmt.Sprintf("last said: %s\n%s", last, p.stderr.Bytes())
}

// wait waits for the end and returns what was said, and whether the worker was killed.
// A worker that failed fails the test.
func (p *process) wait(t testing.TB) (heard []said, killed bool) {
	t.Helper()
	<-p.done
	err := p.command.Wait()
	if p.bad != nil {
		t.Fatal(p.bad)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signal() == syscall.SIGKILL {
			return p.heard, true
		}
	}
	if err != nil {
		t.Fatalf("the worker failed: %v\n%s", err, p.stderr.Bytes())
	}
	return p.heard, false
}
