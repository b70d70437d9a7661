package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate/audit"
)

// followEvery is how often a log that is followed is looked at.
const followEvery = time.Second

// logTail is one run of log tail.
type logTail struct {
	*world
	count  int
	follow bool
}

func newLogTail(w *world) *cobra.Command {
	t := &logTail{world: w}
	cmd := &cobra.Command{
		Use:   "tail [file | -]",
		Short: "Show the last records of the audit log",
		Long: `Shows the last records of the log, one a line: time, number, event, decision,
operation, the block that decided, and what else there is. With --follow it goes
on with records that are appended, until it is interrupted.

Format: human; see log query for JSON.
Exit codes: 0 fine, 1 a line is no record, 2 wrong usage or a file that cannot be read.`,
		Example: `  policyctl log tail
  policyctl log tail -n 100 -f audit.jsonl`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error { return t.run(args) },
	}
	flags := cmd.Flags()
	flags.IntVarP(&t.count, "lines", "n", 20, "how many records")
	complete(cmd, "lines")
	flags.BoolVarP(&t.follow, "follow", "f", false, "go on with what is appended")
	return cmd
}

func (t *logTail) run(args []string) error {
	if t.count < 0 {
		return fmt.Errorf("--lines: %d is less than nothing", t.count)
	}
	in, err := openLog(t.world, args)
	if err != nil {
		return err
	}
	defer in.close()
	size, regular := in.size()
	switch {
	case !regular && t.follow:
		return failed("%s is not a regular file, so it cannot be followed", in.name)
	case !regular:
		return t.lastOf(in)
	}
	offset, err := offsetOf(in.file, size, t.count)
	if err != nil {
		return problemWith(in.name, err)
	}
	err = t.show(in.name, io.NewSectionReader(in.file, offset, size-offset))
	if !t.follow {
		return err
	}
	if whole, ok := errors.AsType[*exitError](err); err != nil && (!ok || whole.code != codeFindings) {
		return err
	}
	end, err := wholeLines(in.file, size)
	if err != nil {
		return problemWith(in.name, err)
	}
	return t.goOn(in, end)
}

func offsetOf(file io.ReaderAt, size int64, count int) (int64, error) {
	if count == 0 {
		return size, nil
	}
	return audit.TailOffset(file, size, count)
}

// lastOf shows the last records of what can only be read from its beginning.
func (t *logTail) lastOf(in *logInput) error {
	var last []audit.Record
	err := showRecords(t.world, in.name, audit.Query(in, audit.Filter{}), func(record audit.Record) error {
		if last = append(last, record); len(last) > t.count {
			last = last[1:]
		}
		return nil
	})
	for _, record := range last {
		fmt.Fprintln(t.stdout, recordLine(style{t.colour}, record))
	}
	return err
}

func (t *logTail) show(name string, r io.Reader) error {
	return showRecords(t.world, name, audit.Query(r, audit.Filter{}), func(record audit.Record) error {
		_, err := fmt.Fprintln(t.stdout, recordLine(style{t.colour}, record))
		return written(err)
	})
}

// wholeLines returns where the last line that has ended ends.
func wholeLines(file io.ReaderAt, size int64) (int64, error) {
	if size == 0 {
		return 0, nil
	}
	var last [1]byte
	if _, err := file.ReadAt(last[:], size-1); err != nil || last[0] == '\n' {
		return size, err
	}
	return audit.TailOffset(file, size, 1)
}

// goOn shows what is appended after an offset. A file that takes the place of
// the log, or that became shorter, is shown from its beginning.
func (t *logTail) goOn(in *logInput, offset int64) error {
	for {
		if err := t.stdout.Flush(); err != nil {
			return written(err)
		}
		time.Sleep(followEvery)
		if replaced(in) {
			next, err := openLog(t.world, []string{in.name})
			if err != nil {
				continue // it is being moved away
			}
			in.close()
			*in, offset = *next, 0
		}
		size, _ := in.size()
		if size < offset {
			fmt.Fprintf(t.stderr, "policyctl: %s became shorter; showing it from its beginning\n", escape(in.name))
			offset = 0
		}
		end, err := wholeLines(in.file, size)
		if err != nil {
			return problemWith(in.name, err)
		}
		if end <= offset {
			continue
		}
		err = t.show(in.name, io.NewSectionReader(in.file, offset, end-offset))
		if bad, ok := errors.AsType[*exitError](err); err != nil && (!ok || bad.code != codeFindings) {
			return err
		}
		offset = end
	}
}

// replaced reports whether another file has the name of the log.
func replaced(in *logInput) bool {
	had, err := in.file.Stat()
	if err != nil {
		return false
	}
	has, err := os.Stat(in.name)
	return err == nil && !os.SameFile(had, has)
}
