package main

import (
	"bytes"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/internal/errtext"
	"github.com/plangate/plangate/layers"
)

// fmtRun is one run of the fmt command.
type fmtRun struct {
	*world
	check   bool
	diff    bool
	changed []string // files that are or were not formatted
	code    int
}

func newFmt(w *world) *cobra.Command {
	f := &fmtRun{world: w}
	cmd := &cobra.Command{
		Use:   "fmt [path...]",
		Short: "Format policy files",
		Long: `Rewrites policy files in the canonical format of HCL and lists those that changed;
only white space is touched. A directory, by default the current one, stands for
all agent.hcl files below it that are no links, "-" formats standard input to
standard output.

With -check nothing is written and files that are not formatted are listed; with
-diff the changes are printed instead of written. Files with syntax errors are
reported and left alone.

Exit codes: 0 fine, 1 with -check: some file is not formatted, 2 wrong usage, no
policy file found, or a file that cannot be read or written or has syntax errors;
of other errors fmt says nothing, see check.`,
		Example: `  policyctl fmt agent.hcl
  policyctl fmt -check -diff .`,
		RunE: func(_ *cobra.Command, args []string) error { return f.run(args) },
	}
	cmd.Flags().BoolVar(&f.check, "check", false, "write nothing; exit with 1 if a file is not formatted")
	cmd.Flags().BoolVar(&f.diff, "diff", false, "write nothing; print the changes as a unified diff")
	return cmd
}

func (f *fmtRun) run(args []string) error {
	if len(args) == 0 {
		args = []string{"."}
	}
	files := findOwn(args, layers.FileName)
	for _, problem := range files.problems {
		f.complain(problem)
	}
	for _, dir := range files.empty {
		f.complain(failed("found 0 policy files in %s", dir))
	}
	for _, name := range files.names {
		if err := f.file(name); err != nil {
			f.complain(err)
		}
	}
	if f.check && len(f.changed) > 0 {
		f.code = max(f.code, codeFindings)
		f.listUnformatted()
	}
	return exit(f.code)
}

func (f *fmtRun) complain(err error) {
	if text := err.Error(); text != "" {
		fmt.Fprintf(f.stderr, "policyctl: %s\n", escape(text))
	}
	f.code = codeUsage
}

func (f *fmtRun) listUnformatted() {
	fmt.Fprintf(f.stderr, "policyctl: not formatted: %s\n", plural(len(f.changed), "file"))
	for _, name := range f.changed {
		fmt.Fprintf(f.stderr, "  %s\n", listed(name))
	}
	fmt.Fprintln(f.stderr, "Run 'policyctl fmt' on them.")
}

// listed returns a name safe to stand in a line of its own.
func listed(name string) string {
	if isGitHubCommand(name) {
		name = "./" + name
	}
	return escape(name)
}

// file formats one file. Nothing is written unless the whole of it is known to
// be right.
func (f *fmtRun) file(name string) error {
	shown, src, err := f.read(name, dsl.MaxBytes)
	if err != nil {
		return err
	}
	formatted, diags := dsl.Format(shown, src)
	if diags.HasErrors() {
		return f.shownError(diags, map[string][]byte{shown: src})
	}
	same := bytes.Equal(src, formatted)
	if !same {
		f.changed = append(f.changed, shown)
	}
	switch {
	case f.diff:
		f.printDiff(shown, src, formatted)
	case f.check:
	case name == "-":
		_, err := f.stdout.Write(formatted)
		return written(err)
	case !same:
		return f.rewrite(name, src, formatted)
	}
	return nil
}

func (f *fmtRun) printDiff(name string, src, formatted []byte) {
	name = escape(name)
	text := diff.Diff(name+".orig", src, name, formatted)
	for line := range bytes.Lines(text) {
		fmt.Fprintln(f.stdout, escape(string(bytes.TrimSuffix(line, []byte("\n")))))
	}
}

// rewrite replaces a file and lists it. One that was trusted stays so, since the new content
// says the same.
func (f *fmtRun) rewrite(name string, src, formatted []byte) error {
	places := layers.DefaultPlaces(f.getenv)
	trusted, path := trustedAs(places, name, src)
	if err := replace(name, formatted); err != nil {
		return err
	}
	fmt.Fprintln(f.stdout, listed(name))
	if !trusted {
		return nil
	}
	if _, err := layers.TrustDigest(places, path, digestOf(formatted)); err != nil {
		return failed("%s is formatted but no longer trusted: %s", name, errtext.Plain(err))
	}
	return nil
}
