package main

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
)

// printer shows diagnostics to people, in the manner of HCL and Terraform.
// Whatever comes from files is escaped.
type printer struct {
	out     io.Writer
	style   style
	sources map[string][]byte
	files   map[string]*dsl.File // for the block around a place; may lack files

	prepared map[string]*source
	blocks   map[*dsl.File][]block
}

func (p *printer) printAll(diags plangate.Diagnostics) {
	for _, diag := range diags {
		p.print(diag)
	}
}

func (p *printer) print(d *plangate.Diagnostic) {
	title := p.style.paint(red+bold, "Error")
	if d.Severity == plangate.SeverityWarning {
		title = p.style.paint(yellow+bold, "Warning")
	}
	fmt.Fprintf(p.out, "%s: %s [%s]\n\n", title, p.style.paint(bold, escape(d.Summary)), escape(d.Code))
	p.place("on ", d.Range, "")
	p.text(detailOf(d))
	for _, related := range d.Related {
		p.place("see ", related.Range, related.Message)
	}
	if d.Witness != nil {
		fmt.Fprintf(p.out, "  For example the call: %s\n\n", escape(describe(*d.Witness)))
	}
}

// place prints a range with its source line.
func (p *printer) place(intro string, r plangate.Range, message string) {
	if r.File == "" {
		return
	}
	fmt.Fprintf(p.out, "  %s%s", intro, escape(r.File))
	if r.Start.Line > 0 {
		fmt.Fprintf(p.out, " line %d", r.Start.Line)
	}
	if block := p.blockAt(r); block != "" {
		fmt.Fprintf(p.out, ", in %s", escape(block))
	}
	if message != "" {
		fmt.Fprintf(p.out, ": %s", escape(strings.TrimSuffix(message, ".")))
	}
	fmt.Fprintln(p.out, ":")
	if s, ok := p.sourceOf(r.File).snippet(r); ok {
		number := fmt.Sprintf("%4d: ", r.Start.Line)
		fmt.Fprintf(p.out, "%s%s\n", number, s.line())
		fmt.Fprintf(p.out, "%*s%s\n", len(number), "", p.style.paint(red, s.underline()))
	}
	fmt.Fprintln(p.out)
}

// blockAt returns the header of the block around a place, unless the place is
// the header itself.
func (p *printer) blockAt(r plangate.Range) string {
	file := p.files[r.File]
	if file == nil {
		return ""
	}
	blocks := p.sortedBlocks(file) // which do not overlap
	after := sort.Search(len(blocks), func(i int) bool { return blocks[i].whole.Start.Byte > r.Start.Byte })
	if after == 0 {
		return ""
	}
	if around := blocks[after-1]; holds(around.whole, r) && !holds(around.header, r) {
		return around.title
	}
	return ""
}

// detailOf returns the detail with the names of files made safe: a line break in
// one is not a line break of the detail.
func detailOf(d *plangate.Diagnostic) string {
	detail := d.Detail
	names := []string{d.Range.File}
	for _, related := range d.Related {
		names = append(names, related.Range.File)
	}
	for _, name := range names {
		if strings.Contains(name, "\n") {
			detail = strings.ReplaceAll(detail, name, escape(name))
		}
	}
	return detail
}

// text prints sentences wrapped, and leaves lines alone that are indented.
func (p *printer) text(text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		parts := []string{escape(line)}
		if line != "" && !strings.HasPrefix(line, " ") {
			parts = wrap(escape(line))
		}
		for _, part := range parts {
			fmt.Fprintln(p.out, strings.TrimRight("  "+part, " "))
		}
	}
	fmt.Fprintln(p.out)
}
