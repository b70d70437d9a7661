package ancestry

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// variableNames returns the names of variables that have a value.
func variableNames(environ []string) []string {
	var names []string
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && value != "" {
			names = append(names, name)
		}
	}
	return names
}

var errStat = errors.New("it is no process status")

// parseStat reads /proc/PID/stat (proc_pid_stat(5)). The second field is the name of
// the program in parentheses, which may contain anything; the last parenthesis ends it.
func parseStat(text []byte) (Process, error) {
	pid, _, ok := bytes.Cut(text, []byte(" ("))
	end := bytes.LastIndexByte(text, ')')
	if !ok || end < 0 {
		return Process{}, errStat
	}
	fields := strings.Fields(string(text[end+1:])) // from the third on
	if len(fields) < 20 {
		return Process{}, errStat
	}
	var p Process
	numbers := []*int{&p.PID, &p.Parent, &p.Group, &p.Session, nil, &p.Foreground}
	for i, word := range append([]string{string(pid)}, fields[1:6]...) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return Process{}, errStat
		}
		if numbers[i] != nil {
			*numbers[i] = n
		}
	}
	if terminal := fields[4]; terminal != "0" {
		p.Terminal = terminal
	}
	start, err := strconv.ParseUint(fields[19], 10, 64)
	if err != nil || p.PID <= 0 || p.Parent < 0 {
		return Process{}, errStat
	}
	p.Start = start
	return p, nil
}

// parsePS reads the columns pid, ppid, pgid, tpgid, tty and command of ps. Lines that are none of that are
// passed over. ps joins arguments with blanks, so those that contain one fall apart.
func parsePS(text string) map[int]Process {
	processes := map[int]Process{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 5 {
			continue
		}
		var p Process
		bad := false
		for i, to := range []*int{&p.PID, &p.Parent, &p.Group, &p.Foreground} {
			n, err := strconv.Atoi(words[i])
			*to, bad = n, bad || err != nil
		}
		if bad || p.PID <= 0 || p.Parent < 0 {
			continue
		}
		if terminal := words[4]; strings.Trim(terminal, "?-") != "" {
			p.Terminal = terminal
		}
		p.Args = words[5:]
		processes[p.PID] = p
	}
	return processes
}
