package ancestry

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// maxProcBytes bounds what is read of one file of a process.
const maxProcBytes = 4 << 20

// System returns the processes of this machine.
func System() Table { return procTable{root: "/proc"} }

// procTable reads a proc file system.
type procTable struct{ root string }

// Process implements [Table].
func (t procTable) Process(pid int) (Process, error) {
	dir := filepath.Join(t.root, strconv.Itoa(pid))
	stat, err := readSome(filepath.Join(dir, "stat"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return Process{}, fmt.Errorf("%w (%s)", ErrGone, dir)
	}
	if err != nil {
		return Process{}, fmt.Errorf("ancestry: %w", err)
	}
	process, err := parseStat(stat)
	if err != nil {
		return Process{}, fmt.Errorf("ancestry: %s: %w", filepath.Join(dir, "stat"), err)
	}
	// What follows may be another account's, or gone by now, and is then unknown.
	if line, err := readSome(filepath.Join(dir, "cmdline")); err == nil {
		process.Args = fields(line)
	}
	if environ, err := readSome(filepath.Join(dir, "environ")); err == nil {
		process.Variables = variableNames(fields(environ))
	}
	if exe, err := os.Readlink(filepath.Join(dir, "exe")); err == nil {
		process.Exe = exe
	}
	return process, nil
}

func readSome(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, maxProcBytes))
}

// fields splits what is joined with NUL, as the kernel shows arguments.
func fields(text []byte) []string {
	var out []string
	for field := range bytes.SplitSeq(bytes.TrimRight(text, "\x00"), []byte{0}) {
		out = append(out, string(field))
	}
	return out
}
