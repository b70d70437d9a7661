package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate/conformance"
	"github.com/plangate/plangate/internal/errtext"
)

// conformanceRun is one run of the conformance command.
type conformanceRun struct {
	*world
	command string
	pattern string
	timeout time.Duration
	serve   bool
	format  *choice
}

func newConformance(w *world) *cobra.Command {
	c := &conformanceRun{world: w, format: newChoice("human", "json")}
	cmd := &cobra.Command{
		Use:   "conformance",
		Short: "Run the vectors of the specification",
		Long: `Puts the test vectors of the specification to this program or, with --exec, to any
other implementation that speaks the protocol of --serve: one request a line as
JSON on standard input, one response a line on standard output. The names of the
vectors begin with their area: cases, catalog, decision, formats, language, seed.

Formats: human, json.
Exit codes: 0 all passed, 1 some failed, 2 wrong usage or nothing to run.`,
		Example: `  policyctl conformance
  policyctl conformance --exec 'policyctl conformance --serve' --run '^decision/'`,
		Args: noArgs("select vectors with --run: policyctl conformance --run %s"),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run() },
	}
	flags := cmd.Flags()
	flags.StringVar(&c.command, "exec", "", "shell `COMMAND` that starts the implementation")
	flags.StringVar(&c.pattern, "run", "", "run only vectors whose name matches this regular `EXPRESSION`")
	flags.DurationVar(&c.timeout, "timeout", 10*time.Second, "how long --exec may take for one answer")
	flags.BoolVar(&c.serve, "serve", false, "answer requests from standard input")
	c.format.register(cmd, "output format")
	exclusive(cmd, "serve", "exec", "run", "format")
	notEmpty(cmd, "exec")
	return cmd
}

func (c *conformanceRun) run() error {
	if c.serve {
		if err := conformance.Serve(c.stdin, flushed{c.stdout}); err != nil {
			return failed("%s", errtext.Plain(err))
		}
		return nil
	}
	vectors, err := c.vectors()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	report, err := c.put(ctx, vectors)
	if err := c.print(&report); err != nil {
		return err
	}
	switch {
	case errors.Is(err, context.Canceled):
		return failed("interrupted after %d of %d vectors", report.Total, len(vectors))
	case err != nil:
		return failed("%s", errtext.Plain(err))
	case report.Failed > 0:
		return exit(codeFindings)
	default:
		return nil
	}
}

// vectors returns those that --run selects; selecting none is an error.
func (c *conformanceRun) vectors() ([]conformance.Vector, error) {
	all, err := conformance.Vectors()
	if err != nil {
		return nil, err
	}
	pattern, err := regexp.Compile(c.pattern)
	if err != nil {
		return nil, failed("--run: %v", err)
	}
	var selected []conformance.Vector
	for _, vector := range all {
		if pattern.MatchString(vector.Name) {
			selected = append(selected, vector)
		}
	}
	if len(selected) == 0 {
		return nil, failed("filter matched 0 of %d vectors", len(all))
	}
	return selected, nil
}

func (c *conformanceRun) put(ctx context.Context, vectors []conformance.Vector) (conformance.Report, error) {
	if c.command == "" {
		return conformance.Run(ctx, conformance.Library{}, vectors)
	}
	process := conformance.NewProcess([]string{"sh", "-c", c.command}, c.timeout)
	defer process.Close()
	return conformance.Run(ctx, process, vectors)
}

func (c *conformanceRun) print(report *conformance.Report) error {
	if c.format.value == "json" {
		return writeJSON(c.stdout, report)
	}
	for _, failure := range report.Failures {
		fmt.Fprintf(c.stdout, "FAIL %s %v: %s\n", escape(failure.Vector), failure.Covers, escape(failure.About))
		for _, reason := range failure.Reasons {
			fmt.Fprintf(c.stdout, "  %s\n", escape(reason))
		}
	}
	fmt.Fprintf(c.stdout, "%d passed, %d failed of %s\n", report.Passed, report.Failed, plural(report.Total, "vector"))
	return nil
}

// flushed writes through at once, for a reader that waits for each answer.
type flushed struct{ out *bufio.Writer }

// Write implements [io.Writer].
func (f flushed) Write(text []byte) (int, error) {
	n, err := f.out.Write(text)
	if err == nil {
		err = f.out.Flush()
	}
	return n, err
}
