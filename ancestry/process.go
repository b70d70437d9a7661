package ancestry

import "errors"

// Process is one process, as far as it is known. Numbers are 0 and texts empty where
// they are not.
type Process struct {
	PID    int
	Parent int // 0 for the first process
	Group  int // process group
	// Session is the PID of the session's leader.
	Session int
	// Foreground is the process group in the foreground of its terminal.
	Foreground int
	// Terminal names the controlling terminal, in any stable way; "" if it has none.
	Terminal string
	// Start grows with the time of its start, in any unit.
	Start uint64
	Exe   string // path of the program
	Args  []string
	// Variables are the names of the environment variables that it was started with
	// and that are not empty. Values are nobody's business here.
	Variables []string
}

// Table finds processes.
type Table interface {
	// Process returns a process by its PID, or ErrGone. It must not return an error
	// for what may be missing in a Process.
	Process(pid int) (Process, error)
}

// Errors of tables and Inspect; test for them with errors.Is.
var (
	// ErrGone means that there is no such process, or that it may not be seen.
	ErrGone = errors.New("ancestry: there is no such process, or it may not be seen")
	// ErrDepth means that there are more than MaxDepth ancestors.
	ErrDepth = errors.New("ancestry: too many ancestors")
)

// MaxDepth is how many processes from the program to the first one are looked at.
const MaxDepth = 1000
