package hclsource

import (
	"bytes"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/plangate/plangate"
)

// maxSplit is the longest line in bytes that is shown as it should be written;
// of a longer one nobody would read it.
const maxSplit = 400

const (
	splitAdvice = "A block on one line may hold one argument only. Give each argument a line of its own:\n\n"
	splitSample = `guard "name" {
  match  = { kind = "interactive" }
  action = "deny"
}`
)

// splitBlocks shows for each block on one line how that line would be written.
func splitBlocks(src []byte, diags plangate.Diagnostics) {
	for _, d := range diags {
		if d.Code != codeSingleLine {
			continue
		}
		if sample := splitLine(lineAt(src, d.Range.Start.Byte)); sample != "" {
			d.Detail = splitDetail(sample)
		}
	}
}

// splitDetail indents the sample, which leaves it alone when text is wrapped.
func splitDetail(sample string) string {
	return splitAdvice + "  " + strings.ReplaceAll(sample, "\n", "\n  ")
}

func lineAt(src []byte, offset int) []byte {
	offset = min(offset, len(src))
	line := src[bytes.LastIndexByte(src[:offset], '\n')+1:]
	line, _, _ = bytes.Cut(line, []byte("\n"))
	return bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark))
}

// splitLine writes the items of a block on lines of their own, or returns "" if
// the line is not plain enough to tell what is meant.
func splitLine(line []byte) string {
	if len(line) > maxSplit {
		return ""
	}
	tokens, diags := hclsyntax.LexConfig(line, "", hcl.InitialPos)
	if diags.HasErrors() {
		return ""
	}
	var out strings.Builder
	depth, written, items := 0, 0, 0
	breakAt := func(offset int) {
		out.WriteString(strings.TrimRight(string(line[written:offset]), ", ") + "\n")
		written = offset
	}
	for i, token := range tokens {
		switch token.Type {
		case hclsyntax.TokenIdent:
			if depth == 1 && startsItem(tokens[i+1].Type) {
				breakAt(token.Range.Start.Byte)
				items++
			}
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen:
			depth++
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen:
			if depth--; depth == 0 {
				breakAt(token.Range.Start.Byte)
			}
		case hclsyntax.TokenComment:
			return ""
		}
	}
	if items == 0 {
		return ""
	}
	breakAt(len(line))
	return strings.TrimRight(string(hclwrite.Format([]byte(out.String()))), "\n")
}

// startsItem reports whether a name before a token of this type is that of an
// argument or of a block.
func startsItem(next hclsyntax.TokenType) bool {
	return next == hclsyntax.TokenEqual || next == hclsyntax.TokenOBrace
}
