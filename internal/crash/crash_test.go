package crash

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plangate/plangate/layers"
)

// perMachine is how many kills a machine takes before another is made, so that what all
// of them left behind stays small.
const perMachine = 20

// driver kills workers.
type driver struct {
	t        *testing.T
	place    func(testing.TB) string
	store    string
	setting  setting
	machine  machine
	evidence *evidence
	kills    int
	sessions int
	left     int // on this machine
	points   map[string]int
}

func (d *driver) ready() {
	if d.left == 0 {
		d.machine = newMachine(d.t, d.place(d.t), d.setting)
		d.evidence = &evidence{}
		d.left = perMachine
	}
}

// strike runs a worker that is to be killed, and checks what it left. It reports whether it
// was killed, and what it said last.
func (d *driver) strike(j job) (said, bool) {
	d.ready()
	d.sessions++
	j.Machine, j.Session = d.machine, sessionName(d.sessions)
	heard, killed := start(d.t, j, nil).wait(d.t)
	d.evidence.heard = append(d.evidence.heard, heard...)
	left := d.leftBehind(j.Session)
	where := fmt.Sprintf("%s, %+v, %s killed at point %d, step %d, after %s", d.store, d.setting, j.Task, j.At, j.Step, j.After)
	fail(d.t, where, d.evidence.recovered(d.t, d.machine, j.Session))
	if killed {
		d.kills++
		d.left--
		d.count(j, left)
		return said{}, true
	}
	return heard[len(heard)-1], false
}

// count counts a kill.
func (d *driver) count(j job, left string) {
	d.points[j.Task]++
	switch {
	case j.Step > 0:
		d.points["step of write-back, left: "+left]++
	case j.After > 0:
		d.points["moment of write-back, left: "+left]++
	}
}

// at kills a worker at each point of a scenario.
func (d *driver) at(scenario string, enough int) {
	for point := 1; d.kills < enough; point++ {
		last, killed := d.strike(job{Task: scenario, At: point})
		if d.t.Failed() {
			return
		}
		if !killed {
			if len(last.Points) != point-1 {
				d.t.Fatalf("%s: killed at %d points, but it has %q", scenario, point-1, last.Points)
			}
			return
		}
	}
}

// within kills a worker at each step of write-back in the file system, and at moments.
func (d *driver) within(scenario string, enough int) {
	for step := 1; d.kills < enough; step++ {
		if _, killed := d.strike(job{Task: scenario, Step: step}); !killed || d.t.Failed() {
			break
		}
	}
	for after := time.Duration(50+d.sessions%50) * time.Microsecond; d.kills < enough && !d.t.Failed(); after += after / 2 {
		if _, killed := d.strike(job{Task: scenario, After: after}); !killed {
			break
		}
	}
}

// A worker is killed at every point of every operation.
func TestKilledAtEveryPoint(t *testing.T) {
	for name, place := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &driver{t: t, place: place, store: name, points: map[string]int{}}
			enough := max(1, *killsFlag/len(stores)*4/5)
			for round := 0; d.kills < enough && !t.Failed(); round++ {
				d.setting, d.left = settings[round%len(settings)], 0
				for _, s := range rotated(name) {
					if d.kills < enough && !t.Failed() {
						d.at(s.name, enough)
					}
					if slices.Contains(writesBack, s.name) && !t.Failed() {
						d.within(s.name, enough)
					}
				}
			}
			t.Logf("%d kills: %v", d.kills, d.points)
		})
	}
}

// rotated are the scenarios in another order for each store, so that even a short run has
// all of them.
func rotated(store string) []scenario {
	list := scenarios()
	if store == "postgres" {
		return slices.Concat(list[len(list)-len(verdicts):], list[:len(list)-len(verdicts)])
	}
	return list
}

// Kernels and humans are killed at any moment, alone and while they work together.
func TestKilledAtRandom(t *testing.T) {
	for name, place := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &driver{t: t, place: place, store: name, points: map[string]int{}}
			random := rand.New(rand.NewPCG(7, 7)) //nolint:gosec // a test that can be repeated
			enough := max(1, *killsFlag/len(stores)/5)
			for round := 0; d.kills < enough && !t.Failed(); round++ {
				d.setting = settings[round/perMachine%len(settings)]
				if round%2 == 0 {
					d.stab(random, "live")
				} else {
					d.stab(random, "serve", "human", "human")
				}
			}
			t.Logf("%d kills: %v", d.kills, d.points)
		})
	}
}

// longestLife is how long workers live at most after the first plan.
const longestLife = 120 * time.Millisecond

// stab starts workers on one session, kills each at a moment of its own, and checks what
// they left.
func (d *driver) stab(random *rand.Rand, tasks ...string) {
	d.ready()
	d.sessions++
	session := sessionName(d.sessions)
	begun := make(chan struct{})
	var once sync.Once
	processes := make([]*process, len(tasks))
	for i, task := range tasks {
		j := job{Machine: d.machine, Session: session, Task: task, Number: d.sessions + i}
		processes[i] = start(d.t, j, func(line said) {
			if line.What == planned {
				once.Do(func() { close(begun) })
			}
		})
	}
	select {
	case <-begun:
	case <-processes[0].done:
	}
	for _, p := range processes {
		time.AfterFunc(time.Duration(random.Int64N(int64(longestLife))), func() { _ = p.command.Process.Kill() })
	}
	for i, p := range processes {
		heard, killed := p.wait(d.t)
		d.evidence.heard = append(d.evidence.heard, heard...)
		if !killed {
			d.t.Fatalf("%s ended by itself", tasks[i])
		}
		d.kills++
		d.left = max(0, d.left-1)
		d.points[tasks[i]]++
	}
	d.evidence.rivals = len(tasks) > 1
	fail(d.t, fmt.Sprintf("%s, %+v, %v", d.store, d.setting, tasks), d.evidence.recovered(d.t, d.machine, session))
}

// leftBehind says what a kill during write-back left, for the statistics.
func (d *driver) leftBehind(session string) string {
	policy, err := os.ReadFile(d.machine.policyFile())
	if err != nil {
		d.t.Fatal(err)
	}
	trusts, err := layers.Trusts(d.machine.places())
	if err != nil {
		d.t.Fatal(err)
	}
	hash := sha256.Sum256(policy)
	trusted := false
	for _, trust := range trusts {
		trusted = trusted || strings.Contains(trust.Digest, hex.EncodeToString(hash[:]))
	}
	switch {
	case !bytes.Contains(policy, []byte(op(session, "a"))):
		return "old policy"
	case d.setting.Layer == "project" && !trusted:
		return "new policy, not trusted yet"
	default:
		return "new policy"
	}
}
