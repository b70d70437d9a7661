package crash

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/plangate/plangate/internal/pgtest"
	"github.com/plangate/plangate/persist"
)

// recoverLimit is how soon after an outage every worker has to go on.
const recoverLimit = 15 * time.Second

// progress counts what workers got done.
type progress struct {
	mu   sync.Mutex
	done map[string]int // by worker
	fell map[string]int // errors, by code and what was tried
}

func (p *progress) hear(worker string) func(said) {
	return func(line said) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch line.What {
		case answered, completed:
			p.done[worker]++
		case failed:
			unknown := ""
			if strings.Contains(line.Text, persist.ErrOutcomeUnknown.Error()) {
				unknown = ", outcome unknown"
			}
			p.fell[line.Session+": "+line.Code+unknown]++
		}
	}
}

func (p *progress) now() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	copied := map[string]int{}
	for worker, n := range p.done {
		copied[worker] = n
	}
	return copied
}

// await waits until all workers got more done than before, and returns how long it took.
func (p *progress) await(t *testing.T, workers map[string]*process, before map[string]int) time.Duration {
	t.Helper()
	begin := time.Now()
	for {
		now, behind := p.now(), []string{}
		for worker := range workers {
			if now[worker] <= before[worker] {
				behind = append(behind, worker)
			}
		}
		if len(behind) == 0 {
			return time.Since(begin)
		}
		if time.Since(begin) > recoverLimit {
			for _, worker := range behind {
				t.Errorf("%s did not go on within %s: %s", worker, recoverLimit, workers[worker].whereabouts())
			}
			t.FailNow()
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// outages are the ways in which a database goes away and comes back.
var outages = []struct {
	name string
	run  func(t *testing.T, server *pgtest.Server)
}{
	{"killed", func(t *testing.T, server *pgtest.Server) {
		server.Kill(t)
		time.Sleep(300 * time.Millisecond)
		server.Restart(t)
	}},
	{"connections cut", func(t *testing.T, server *pgtest.Server) {
		for range 20 {
			cutConnections(t, server.DSN())
			time.Sleep(20 * time.Millisecond)
		}
	}},
	{"stopped", func(t *testing.T, server *pgtest.Server) {
		server.Stop(t)
		time.Sleep(300 * time.Millisecond)
		server.Restart(t)
	}},
}

func cutConnections(t *testing.T, dsn string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'plangate'"); err != nil {
		t.Fatal(err)
	}
}

// A server goes away under load: no answer is lost or doubled, errors say what happened,
// and work goes on.
func TestOutages(t *testing.T) {
	server := pgtest.Start(t)
	m := newMachine(t, server.DSN(), settings[0])
	p := &progress{done: map[string]int{}, fell: map[string]int{}}
	var sessions []string
	workers := map[string]*process{}
	for i := range 4 {
		j := job{Machine: m, Task: "human", Number: i, Persevere: plenty}
		if i < 2 {
			j.Task, j.Session = "serve", sessionName(i)
			sessions = append(sessions, j.Session)
		}
		name := fmt.Sprint(j.Task, " ", i)
		workers[name] = start(t, j, p.hear(name))
	}
	p.await(t, workers, map[string]int{})
	for i := range *outagesFlag {
		time.Sleep(200 * time.Millisecond)
		outage := outages[i%len(outages)]
		outage.run(t, server)
		t.Logf("%s: all went on after %s", outage.name, p.await(t, workers, p.now()).Round(time.Millisecond))
	}
	e := &evidence{rivals: true}
	for _, process := range workers {
		_ = process.command.Process.Kill()
		heard, killed := process.wait(t)
		if !killed {
			t.Error("a worker ended by itself")
		}
		e.heard = append(e.heard, heard...)
	}
	t.Logf("done: %v; errors: %v", p.done, p.fell)
	if len(p.fell) == 0 && *outagesFlag > 0 {
		t.Error("no worker saw an error, so nothing was tested")
	}
	fail(t, "after the outages", e.recovered(t, m, sessions...))
}
