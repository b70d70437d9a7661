package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/layers"
)

// auditFile is the name of the audit log in the state directory.
const auditFile = "audit.jsonl"

func newLog(w *world) *cobra.Command {
	cmd := group("log", "Check and read the audit log")
	cmd.Long = `Works with the audit log: one record for every decision and every step of an
approval's life, chained by hashes. Without a file it is the one that PLANGATE_LOG
names, else audit.jsonl beside the trust file: in $XDG_STATE_HOME/plangate or
~/.local/state/plangate.`
	cmd.Example = `  policyctl log verify
  policyctl log tail -f
  policyctl log query --decision deny --since 24h`
	cmd.AddCommand(newLogVerify(w), newLogTail(w), newLogQuery(w))
	return cmd
}

// logName returns the file that a log command is about.
func logName(w *world, args []string) (string, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	switch name := w.getenv("PLANGATE_LOG"); name {
	case "":
	case "none":
		return "", failed("PLANGATE_LOG is none, so there is no audit log; give a file")
	default:
		return name, nil
	}
	trust := layers.DefaultPlaces(w.getenv).Trust
	if trust == "" {
		return "", failed("there is no place for an audit log; give a file, " +
			"or set HOME to the absolute path of a directory that exists, or XDG_STATE_HOME to an absolute path")
	}
	return filepath.Join(filepath.Dir(trust), auditFile), nil
}

// logInput is an audit log that is being read.
type logInput struct {
	io.Reader
	name   string
	file   *os.File  // nil for standard input and a store
	closer io.Closer // of a store, else nil
}

// openLog opens the log that a command is about; "-" is standard input. It never
// waits for somebody to open the other end of a pipe.
func openLog(w *world, args []string) (*logInput, error) {
	name, err := logName(w, args)
	if err != nil {
		return nil, err
	}
	if name == "-" {
		return &logInput{Reader: w.stdin, name: stdinName}, nil
	}
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, problemWith(name, err)
	}
	return &logInput{Reader: file, name: name, file: file}, nil
}

// size returns the size of a regular file, and whether it is one.
func (l *logInput) size() (int64, bool) {
	if l.file == nil {
		return 0, false
	}
	info, err := l.file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

func (l *logInput) close() {
	if l.file != nil {
		_ = l.file.Close()
	}
	if l.closer != nil {
		_ = l.closer.Close()
	}
}

func newLogVerify(w *world) *cobra.Command {
	format := newChoice("human", "json")
	var heads []string
	var store string
	cmd := &cobra.Command{
		Use:   "verify [file | -]",
		Short: "Check the chain of the audit log",
		Long: `Checks every record of the log and names the first that was changed, removed,
repeated or moved. What a crash left half-written at the end is told and is no
break. Somebody who may write the file can cut records off its end or write all
of it anew; to notice that, keep the head that is printed elsewhere and give it
back with --head. The store has a chain of its own, which --store checks.

Formats: human, json.
Exit codes: 0 whole, 1 broken, 2 wrong usage or a file that cannot be read.`,
		Example: `  policyctl log verify
  policyctl log verify --head 120:sha256:… audit.jsonl
  policyctl log verify --store ~/.local/state/plangate/gate.db`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			return verifyLog(w, logSource{store, args}, heads, format.value)
		},
	}
	registerStore(cmd, &store)
	cmd.Flags().StringArrayVar(&heads, "head", nil, "`SEQ:HASH` that the log is known to have; may be repeated")
	complete(cmd, "head")
	format.register(cmd, "output format")
	return cmd
}

// logReport is what `log verify --format json` prints.
type logReport struct {
	File  string `json:"file"`
	Whole bool   `json:"whole"`
	audit.Report
}

// logSource is what a log command reads.
type logSource struct {
	store string
	args  []string
}

func verifyLog(w *world, source logSource, heads []string, format string) error {
	var known []audit.Head
	for _, text := range heads {
		head, err := audit.ParseHead(text)
		if err != nil {
			return failed("--head: %s", withoutAudit(err))
		}
		known = append(known, head)
	}
	in, err := openRecords(w, source)
	if err != nil {
		return err
	}
	defer in.close()
	report, err := audit.Verify(in, known...)
	if err == nil && report.Records == 0 && report.Whole() && report.TornBytes == 0 {
		if _, regular := in.size(); !regular && in.file != nil {
			err = errSilent
		}
	}
	if err != nil {
		return problemWith(in.name, err)
	}
	if format == "json" {
		err = writeJSON(w.stdout, logReport{in.name, report.Whole(), report})
	} else {
		printLogReport(w, in.name, report)
	}
	if err == nil && !report.Whole() {
		err = exit(codeFindings)
	}
	return err
}

func printLogReport(w *world, name string, report audit.Report) {
	paint := style{w.colour}.paint
	if report.Break != nil {
		fmt.Fprintf(w.stdout, "%s: %s line %d: %s [%s]\n", paint(red+bold, "Broken"), escape(name), report.Break.Line,
			escape(report.Break.Reason), report.Break.Kind)
		fmt.Fprintf(w.stdout, "%s before it whole, the last is %s\n", isOrAre(report.Records), report.Head)
	} else {
		fmt.Fprintf(w.stdout, "ok: %s with %s, the last is %s\n", escape(name), plural(int(report.Records), "record"), report.Head) //nolint:gosec // a count of lines
	}
	if report.TornBytes > 0 {
		fmt.Fprintf(w.stdout, "The last %s half-written, as after a crash, and no record. The next append moves them to a file with .torn in its name.\n",
			pluralAre(report.TornBytes, "byte"))
	}
}

func isOrAre(records uint64) string { return pluralAre(int64(records), "record") } //nolint:gosec // a count of lines

func pluralAre(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return fmt.Sprintf("%d %ss are", n, noun)
}

// withoutAudit returns the text of an error of package audit without its name.
func withoutAudit(err error) string {
	const prefix = "audit: "
	text := err.Error()
	if len(text) > len(prefix) && text[:len(prefix)] == prefix {
		return text[len(prefix):]
	}
	return text
}

// showRecords prints records from wherever they come. A line that is no record
// is told on standard error and makes the command end with 1; one that a crash
// left half-written is told only.
func showRecords(w *world, name string, records iter.Seq2[audit.Record, error], show func(audit.Record) error) error {
	code := codeFine
	for record, err := range records {
		if err == nil {
			if err := show(record); err != nil {
				return err
			}
			continue
		}
		bad, ok := errors.AsType[*audit.LineError](err)
		if !ok {
			return problemWith(name, err)
		}
		fmt.Fprintf(w.stderr, "policyctl: %s: %s\n", escape(name), escape(withoutAudit(bad)))
		if !bad.Torn {
			code = codeFindings
		}
	}
	return exit(code)
}
