package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/plangate/plangate"
)

// printGitHub writes diagnostics as workflow commands of GitHub Actions, which
// shows them at their lines.
func printGitHub(out io.Writer, diags []*plangate.Diagnostic) {
	for _, diag := range diags {
		fmt.Fprintf(out, "::%s %s::%s\n", diag.Severity, strings.Join(githubProperties(diag), ","),
			githubData.Replace(escapeLines(diag.Detail)))
	}
}

func githubProperties(diag *plangate.Diagnostic) []string {
	var properties []string
	add := func(key string, value any) {
		text := githubProperty.Replace(escape(fmt.Sprint(value)))
		properties = append(properties, key+"="+text)
	}
	r := diag.Range
	if r.File != "" {
		add("file", r.File)
	}
	if r.Start.Line > 0 {
		add("line", r.Start.Line)
		add("endLine", r.End.Line)
		// Columns are only understood within one line.
		if r.Start.Line == r.End.Line {
			add("col", r.Start.Column)
			add("endColumn", r.End.Column)
		}
	}
	add("title", fmt.Sprintf("%s [%s]", diag.Summary, diag.Code))
	return properties
}

// isGitHubCommand reports whether GitHub Actions would obey a line of output. Only
// printGitHub may print such a line.
func isGitHubCommand(line string) bool {
	line = strings.TrimLeft(line, " ")
	return strings.HasPrefix(line, "::") || strings.HasPrefix(line, "##[")
}

// The characters that end a part of a workflow command.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
