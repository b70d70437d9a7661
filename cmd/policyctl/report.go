package main

import (
	"fmt"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
)

// report is what check found.
type report struct {
	Version     int                                 `json:"version"`
	Files       int                                 `json:"files"`
	Policies    int                                 `json:"policies"`
	Guards      int                                 `json:"guards"`
	Diagnostics plangate.List[*plangate.Diagnostic] `json:"diagnostics"`

	sources map[string][]byte
	files   map[string]*dsl.File
	names   string // what to say of names that no catalog was there to check
}

func newReport() *report {
	return &report{Version: 1, sources: map[string][]byte{}, files: map[string]*dsl.File{}}
}

// add counts what is in a file.
func (r *report) add(file *dsl.File) {
	r.Policies += len(file.Policies)
	r.Guards += len(file.Guards)
	r.sources[file.Name] = file.Source
	r.files[file.Name] = file
}

func (r *report) count(severity plangate.Severity) int {
	n := 0
	for _, diag := range r.Diagnostics {
		if diag.Severity == severity {
			n++
		}
	}
	return n
}

// summary is the last line for people.
func (r *report) summary() string {
	checked := fmt.Sprintf("%s with %s and %s", plural(r.Files, "file"), plural(r.Policies, "policy"), plural(r.Guards, "guard"))
	errors, warnings := r.count(plangate.SeverityError), r.count(plangate.SeverityWarning)
	switch {
	case r.Files == 0 && errors+warnings == 0:
		return "nothing checked: found 0 policy files"
	case errors > 0 && warnings > 0:
		return fmt.Sprintf("%s and %s in %s", plural(errors, "error"), plural(warnings, "warning"), checked)
	case errors > 0:
		return fmt.Sprintf("%s in %s", plural(errors, "error"), checked)
	case warnings > 0:
		return fmt.Sprintf("%s in %s%s", plural(warnings, "warning"), checked, r.names)
	default:
		return "ok: " + checked + r.names
	}
}

// plural counts things in English, as far as the words here need it.
func plural(n int, noun string) string {
	stem, y := strings.CutSuffix(noun, "policy")
	switch {
	case n == 1:
		return "1 " + noun
	case y:
		return fmt.Sprintf("%d %spolicies", n, stem)
	default:
		return fmt.Sprintf("%d %ss", n, noun)
	}
}

// printReport writes a report for people. Quiet leaves out warnings and the
// summary, so that a clean run says nothing.
func printReport(w *world, r *report, quiet bool) {
	p := &printer{out: w.stdout, style: style{w.colour}, sources: r.sources, files: r.files}
	for _, diag := range r.Diagnostics {
		if !quiet || diag.Severity == plangate.SeverityError {
			p.print(diag)
		}
	}
	if !quiet {
		fmt.Fprintln(w.stdout, r.summary())
	}
}
