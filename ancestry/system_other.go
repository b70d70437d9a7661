//go:build !linux

package ancestry

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
)

// psColumns are what parsePS reads.
const psColumns = "pid=,ppid=,pgid=,tpgid=,tty=,command="

// psLimit is how long ps may take.
const psLimit = 10 * time.Second

// System returns the processes of this machine, as they are when one is first asked
// for.
func System() Table { return &psTable{} }

// psTable asks ps once.
type psTable struct {
	once      sync.Once
	processes map[int]Process
	err       error
}

// Process implements [Table].
func (t *psTable) Process(pid int) (Process, error) {
	t.once.Do(t.read)
	if t.err != nil {
		return Process{}, t.err
	}
	process, ok := t.processes[pid]
	if !ok {
		return Process{}, ErrGone
	}
	if pid == os.Getpid() {
		process.Variables = variableNames(os.Environ())
	}
	return process, nil
}

// read runs ps by its path, since a PATH may come from whom we look for.
func (t *psTable) read() {
	ctx, cancel := context.WithTimeout(context.Background(), psLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, "/bin/ps", "-axww", "-o", psColumns).Output()
	if err != nil {
		t.err = fmt.Errorf("ancestry: /bin/ps: %w", err)
		return
	}
	t.processes = parsePS(string(out))
}
