package dsl

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/hclsource"
	"github.com/plangate/plangate/internal/suggest"
)

// attribute is an attribute of either syntax, with its value unread.
type attribute struct {
	name string
	rng  plangate.Range // of the name
	expr hcl.Expression
}

// block is a block of either syntax.
type block struct {
	typ    string
	at     plangate.Range // of the type
	labels []Lit[string]
	header plangate.Range // type and labels; in JSON the innermost key
	rng    plangate.Range
	attrs  []attribute   // in no order; no name twice
	nested []Lit[string] // types of the blocks inside
}

// attr returns an attribute, or nil.
func (b *block) attr(name string) *attribute {
	for i := range b.attrs {
		if b.attrs[i].name == name {
			return &b.attrs[i]
		}
	}
	return nil
}

// misspells reports whether the block has something that was most likely meant
// to be the named attribute, and is reported as that.
func (b *block) misspells(name string, known []string) bool {
	for _, a := range b.attrs {
		if !slices.Contains(known, a.name) && suggest.Nearest(a.name, known) == name {
			return true
		}
	}
	return slices.ContainsFunc(b.nested, func(inner Lit[string]) bool {
		return suggest.Nearest(inner.Value, known) == name
	})
}

func nativeBlock(from *hclsyntax.Block) *block {
	b := &block{typ: from.Type, at: hclsource.Range(from.TypeRange)}
	b.header = b.at
	for i, label := range from.Labels {
		rng := hclsource.Range(from.LabelRanges[i])
		b.labels = append(b.labels, Lit[string]{label, rng})
		b.header = join(b.at, rng)
	}
	b.rng = join(b.at, hclsource.Range(from.CloseBraceRange))
	return b
}

// readNative fills in the attributes and the nested blocks.
func (b *block) readNative(body *hclsyntax.Body) {
	b.attrs = make([]attribute, 0, len(body.Attributes))
	for name, a := range body.Attributes {
		b.attrs = append(b.attrs, attribute{name, hclsource.Range(a.NameRange), a.Expr})
	}
	for _, inner := range body.Blocks {
		b.nested = append(b.nested, Lit[string]{inner.Type, hclsource.Range(inner.TypeRange)})
	}
}

// parseNative reads the blocks that no syntax error touches: in the others HCL
// has guessed, and what is missing there is a consequence of the error.
func (p *parser) parseNative() {
	parsed, diags := hclsource.Parse(p.file.Name, p.file.Source)
	if p.deceives(diags) {
		return
	}
	p.add(diags...)
	if parsed == nil {
		return
	}
	broken := brokenLines(diags)
	body, ok := parsed.Body.(*hclsyntax.Body)
	if !ok {
		return
	}
	for name, a := range body.Attributes {
		if rng := hclsource.Range(a.SrcRange); !touches(rng, broken) {
			p.strayAttribute(name, hclsource.Range(a.NameRange))
		}
	}
	for _, from := range body.Blocks {
		b := nativeBlock(from)
		if touches(b.rng, broken) {
			continue
		}
		if isOurs(b.typ) {
			b.readNative(from.Body)
		}
		p.block(b)
	}
}

func brokenLines(diags plangate.Diagnostics) (lines []int) {
	for _, d := range diags {
		if d.Code == codeSyntax || d.Code == codeSingleLine {
			lines = append(lines, d.Range.Start.Line)
		}
	}
	return lines
}

func touches(r plangate.Range, lines []int) bool {
	for _, line := range lines {
		if r.Start.Line <= line && line <= r.End.Line {
			return true
		}
	}
	return false
}
