package when

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/internal/hclsource"
)

// Limits of an expression (spec/when.md §2). MaxNodes counts operators, calls,
// literals and steps; MaxDepth is how deep they nest.
const (
	MaxBytes = 4096
	MaxDepth = 50
	MaxNodes = 200
)

// The codes of the findings made here (spec/when.md §7). Text that HCL cannot
// read has those of package internal/hclsource.
const (
	codeUnknownVariable = "when_unknown_variable"
	codeUnknownFunction = "when_unknown_function"
	codeBadArgument     = "when_bad_argument"
	codeBadRegex        = "when_bad_regex"
	codeBadText         = "when_bad_text"
	codeTooComplex      = "when_too_complex"
	codeWrongType       = "when_wrong_type"
	codeUnknownArgument = "when_unknown_argument"
)

// Expr is an expression that is ready to be judged. It is immutable and safe
// for concurrent use. The zero value is always unknown.
type Expr struct {
	root node // nil if the text had errors
}

// Parse compiles an expression as it stands in agent.hcl. file and start say
// where the text begins; ranges of findings are in that file.
//
// It reports all that is wrong by itself, whatever the call: text that is no
// expression, unknown variables and functions, syntax that is not offered,
// types that can never fit, and size. The expression is never nil; with errors
// it is unknown for every call. Parse may be called concurrently.
func Parse(text, file string, start plangate.Pos) (*Expr, plangate.Diagnostics) {
	p := &parser{text: text, file: file, start: start}
	root := p.parse()
	if !p.diags.HasErrors() && root != nil {
		p.diags = append(p.diags, check(root, nil)...)
	}
	p.diags.Sort()
	if p.diags.HasErrors() {
		return &Expr{}, p.diags
	}
	return &Expr{root: root}, p.diags
}

// Test judges the expression for a call: yes if it is certainly true, no if it
// is certainly false, else unknown, which a result that is no boolean is too.
// vars may be used by one goroutine at a time.
func (e *Expr) Test(vars *Vars) eval.Truth {
	if e.root == nil {
		return eval.Unknown
	}
	r := run{vars: vars, left: maxWork}
	return truthOf(r.eval(e.root))
}

// parser turns text into nodes.
type parser struct {
	text  string
	file  string
	start plangate.Pos
	diags plangate.Diagnostics

	nodes, depth int
	full         bool   // a limit was reported
	looping      bool   // inside of a loop
	keyName      string // of the for expression, may be empty
	itemName     string
}

func (p *parser) report(code string, at plangate.Range, words ...string) {
	p.diags = append(p.diags, &plangate.Diagnostic{Code: code, Range: at, Summary: words[0], Detail: words[1]})
}

// parse returns nil if the text cannot be read.
func (p *parser) parse() node {
	if len(p.text) > MaxBytes {
		p.report(codeTooComplex, plangate.Range{File: p.file, Start: p.start, End: p.start}, "Expression is too long",
			fmt.Sprintf("It has %d bytes; at most %d are read. Split it into several rules.", len(p.text), MaxBytes))
		return nil
	}
	// The name says how the text is read: what stands here is never JSON.
	if found := hclsource.Check("", []byte(p.text)); found != nil {
		p.diags = p.shifted(found)
		return nil
	}
	start := hcl.Pos{Line: p.start.Line, Column: p.start.Column, Byte: p.start.Byte}
	tokens, _ := hclsyntax.LexExpression([]byte(p.text), p.file, start)
	if p.tokens(tokens); p.diags.HasErrors() {
		return nil
	}
	expr, diags := hclsyntax.ParseExpression([]byte(p.text), p.file, start)
	if diags.HasErrors() {
		p.diags = hclsource.Diagnostics(diags)
		return nil
	}
	return p.build(expr)
}

// shifted moves findings from a text of its own to where the text stands.
func (p *parser) shifted(found plangate.Diagnostics) plangate.Diagnostics {
	for _, d := range found {
		d.Range = plangate.Range{File: p.file, Start: p.moved(d.Range.Start), End: p.moved(d.Range.End)}
	}
	return found
}

func (p *parser) moved(pos plangate.Pos) plangate.Pos {
	if pos.Line <= 1 {
		pos.Column += p.start.Column - 1
	}
	pos.Line += p.start.Line - 1
	pos.Byte += p.start.Byte
	return pos
}

// escapes are the ways to write a character by its number, and, so that it does
// not count, the backslash that is escaped itself.
var escapes = regexp.MustCompile(`\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}|\\\\`)

// tokens refuses what is not offered and is better seen before HCL makes values
// of it: it composes the text of strings.
func (p *parser) tokens(tokens hclsyntax.Tokens) {
	for _, token := range tokens {
		at := hclsource.Range(token.Range)
		switch token.Type {
		case hclsyntax.TokenTemplateControl:
			p.report(codeTooComplex, at, "Template directive", "Conditions and loops inside of strings are not offered. "+
				`Take ? : outside of the string, and write %%{ for the characters %{.`)
		case hclsyntax.TokenOHeredoc:
			p.report(codeTooComplex, at, "Here-document", "Here-documents are not offered. Write a string in quotes.")
		case hclsyntax.TokenQuotedLit, hclsyntax.TokenIdent, hclsyntax.TokenStringLit:
			if !normal(escapes.ReplaceAllStringFunc(string(token.Bytes), character)) {
				p.report(codeBadText, at, "Text is not composed", "Composition (NFC) would change this text, so that it shows "+
					"the same as text that it is not equal to. Write the composed characters.")
			}
		}
	}
}

// character returns what an escape stands for, or the escape if it stands for
// nothing.
func character(escape string) string {
	number, err := strconv.ParseUint(strings.TrimLeft(escape, `\uU`), 16, 32)
	if err != nil || number > 0x10ffff {
		return escape
	}
	return string(rune(number))
}
