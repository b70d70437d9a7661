package ancestry

import (
	"errors"
	"fmt"
	"slices"
)

// Kind is a sort of sign.
type Kind string

// The kinds of signs. None means that nothing was seen.
const (
	None         Kind = ""
	Agent        Kind = "agent"         // an ancestor is named like an agent
	Variable     Kind = "variable"      // a variable is set that an agent sets
	Hook         Kind = "hook"          // an ancestor is a hook of policyctl
	Detached     Kind = "detached"      // the leader of its session is no ancestor
	Background   Kind = "background"    // it is not in the foreground of its terminal
	FakeTerminal Kind = "fake_terminal" // the terminal was made by a program without one
)

// Sign says why a program seems not to be started by a person.
type Sign struct {
	Kind  Kind
	Agent string // name for people, if an agent is known
	PID   int    // of the process that shows it
	// Mark is what shows it: a name or path of a program, or the name of a variable. It
	// comes from outside: escape before showing.
	Mark string
}

// String says it in half a sentence. It contains text from outside.
func (s Sign) String() string {
	switch s.Kind {
	case None:
		return "nothing points to an agent"
	case Agent:
		return fmt.Sprintf("process %d above it is %s (%s)", s.PID, s.Agent, s.Mark)
	case Variable:
		return fmt.Sprintf("%s is set in process %d, as %s does", s.Mark, s.PID, s.Agent)
	case Hook:
		return fmt.Sprintf("process %d above it is a hook of policyctl", s.PID)
	case Detached:
		return "it is cut off from the shell of its terminal"
	case Background:
		return "it runs in the background of its terminal"
	default:
		return fmt.Sprintf("its terminal was made by process %d (%s), which has none itself", s.PID, s.Mark)
	}
}

// attempts is how often the tree is read if it changes meanwhile.
const attempts = 3

// Inspect looks for signs around the process with this PID, its own first. It returns
// the first sign, the zero Sign if there is none, and an error if the ancestors
// cannot be read.
func Inspect(table Table, pid int) (Sign, error) {
	var chain []Process
	err := ErrGone
	for range attempts {
		if chain, err = ancestors(table, pid); !errors.Is(err, ErrGone) {
			break // a parent that ends while we look leaves its children to another
		}
	}
	if err != nil {
		return Sign{}, err
	}
	for _, look := range []func([]Process) Sign{programs, variables, detached, background, fakeTerminal} {
		if sign := look(chain); sign.Kind != None {
			return sign, nil
		}
	}
	return Sign{}, nil
}

// ancestors returns a process and those above it.
func ancestors(table Table, pid int) ([]Process, error) {
	if pid <= 0 {
		return nil, fmt.Errorf("process %d: %w", pid, ErrGone)
	}
	var chain []Process
	for pid > 0 {
		if len(chain) == MaxDepth {
			return nil, ErrDepth
		}
		process, err := table.Process(pid)
		if err != nil {
			return nil, fmt.Errorf("process %d: %w", pid, err)
		}
		if len(chain) > 0 && isYounger(&process, &chain[len(chain)-1]) {
			return nil, fmt.Errorf("process %d: %w", pid, ErrGone)
		}
		chain = append(chain, process)
		pid = process.Parent
	}
	return chain, nil
}

// isYounger reports whether what has the parent's PID began after the child, and so
// cannot be its parent: the number was given to another process.
func isYounger(parent, child *Process) bool {
	return parent.Start != 0 && child.Start != 0 && parent.Start > child.Start
}

func programs(chain []Process) Sign {
	for i := range chain[1:] {
		process := &chain[i+1]
		if agent, mark := agentOf(process); agent != "" {
			return Sign{Kind: Agent, Agent: agent, PID: process.PID, Mark: mark}
		}
		if isHook(process) {
			return Sign{Kind: Hook, PID: process.PID, Mark: process.Args[0]}
		}
	}
	return Sign{}
}

func variables(chain []Process) Sign {
	for _, process := range chain {
		for _, name := range process.Variables {
			if agent := agentThatSets(name); agent != "" {
				return Sign{Kind: Variable, Agent: agent, PID: process.PID, Mark: name}
			}
		}
	}
	return Sign{}
}

// detached finds a program that left the tree of its terminal by letting its parent
// end. A person's program is below the leader of its session, which is their shell,
// or is the leader itself.
func detached(chain []Process) Sign {
	self := &chain[0]
	isLeader := func(p Process) bool { return p.PID == self.Session }
	if self.Session == 0 || slices.ContainsFunc(chain, isLeader) {
		return Sign{}
	}
	return Sign{Kind: Detached, PID: self.PID}
}

// background finds a program that a terminal does not listen to. A terminal has one
// foreground, and it is the person's.
func background(chain []Process) Sign {
	self := &chain[0]
	if self.Terminal == "" || self.Foreground <= 0 || self.Group == 0 || self.Foreground == self.Group {
		return Sign{}
	}
	return Sign{Kind: Background, PID: self.PID}
}

// fakeTerminal finds a leader whose terminal was made by a program that is for that
// and has no terminal itself. With one it is a person who records a session.
func fakeTerminal(chain []Process) Sign {
	for i := range chain[1:] {
		leader, maker := &chain[i], &chain[i+1]
		if leader.PID == leader.Session && leader.Terminal != "" && maker.Terminal == "" && makesTerminals(maker) {
			return Sign{Kind: FakeTerminal, PID: maker.PID, Mark: maker.Args[0]}
		}
	}
	return Sign{}
}
