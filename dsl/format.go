package dsl

import (
	"bytes"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/hclsource"
)

// formatRounds is how often the layout is applied to reach a fixed point.
const formatRounds = 4

var byteOrderMark = []byte("\ufeff")

// Format returns a file in the canonical layout of HCL: indentation, spaces
// and the alignment of equals signs and comments. It keeps a byte order mark
// and the prevailing style of line ends, and ends the file in exactly one line
// end. Semantic mistakes do not matter; a file with syntax errors, one in JSON
// (format_json), or one that would come out changed in more than white space
// (format_unsafe) is returned as it was, with diagnostics.
func Format(name string, src []byte) ([]byte, plangate.Diagnostics) {
	if hclsource.IsJSON(name) {
		return src, refusal(name, codeFormatJSON, "JSON is not formatted", "Only native syntax has a canonical layout. Use a JSON formatter.")
	}
	if _, diags := hclsource.Parse(name, src); syntaxErrors(diags) {
		return src, diags
	}
	out, ok := layout(src)
	if !ok || !sameTokens(src, out) {
		return src, refusal(name, codeFormatUnsafe, "File cannot be formatted",
			"Its layout does not come out stable, or more than white space would change. The file was left alone.")
	}
	if _, diags := hclsource.Parse(name, out); syntaxErrors(diags) {
		return src, refusal(name, codeFormatUnsafe, "File cannot be formatted",
			"It would not parse any more. The file was left alone.")
	}
	return out, nil
}

func refusal(name, code, summary, detail string) plangate.Diagnostics {
	start := plangate.Pos{Line: 1, Column: 1}
	return plangate.Diagnostics{{
		Code: code, Summary: summary, Detail: detail,
		Range: plangate.Range{File: name, Start: start, End: start},
	}}
}

// syntaxErrors leaves out attributes given twice: those parse.
func syntaxErrors(diags plangate.Diagnostics) bool {
	return slices.ContainsFunc(diags, func(d *plangate.Diagnostic) bool { return d.Code != codeDuplicateAttr })
}

// layout applies the canonical layout until it changes nothing. It is not ok
// if that never happens.
func layout(src []byte) (out []byte, ok bool) {
	text := bytes.TrimPrefix(src, byteOrderMark)
	mark := src[:len(src)-len(text)]
	end := lineEnd(text)
	for range formatRounds {
		next := straighten(hclwrite.Format(text), end)
		if bytes.Equal(next, text) {
			return slices.Concat(mark, next), true
		}
		text = next
	}
	return nil, false
}

// lineEnd returns the style of line ends that prevails.
func lineEnd(text []byte) []byte {
	all, crlf := bytes.Count(text, []byte("\n")), bytes.Count(text, []byte("\r\n"))
	if 2*crlf > all {
		return []byte("\r\n")
	}
	return []byte("\n")
}

// straighten gives every line the same end, except inside here-documents,
// where it is part of a value, and inside comments of several lines. It cuts
// off empty lines at the end of the file.
func straighten(text, end []byte) []byte {
	tokens := lex(text)
	last := len(tokens) - 1
	for last >= 0 && (tokens[last].Type == hclsyntax.TokenEOF || tokens[last].Type == hclsyntax.TokenNewline) {
		last--
	}
	out := make([]byte, 0, len(text)+len(end))
	at := 0
	for i, token := range tokens[:last+1] {
		out = append(out, text[at:token.Range.Start.Byte]...)
		at = token.Range.End.Byte
		body, broken := cutLineEnd(token)
		out = append(out, body...)
		if broken || i == last {
			out = append(out, end...)
		}
	}
	return out
}

// cutLineEnd takes the line end off a token that is one or ends in one.
func cutLineEnd(token hclsyntax.Token) (body []byte, broken bool) {
	if token.Type != hclsyntax.TokenNewline && token.Type != hclsyntax.TokenComment {
		return token.Bytes, false
	}
	body = bytes.TrimRight(token.Bytes, "\r\n")
	return body, len(body) < len(token.Bytes)
}

func lex(text []byte) hclsyntax.Tokens {
	tokens, _ := hclsyntax.LexConfig(text, "", hcl.InitialPos)
	return tokens
}

// sameTokens reports whether two texts differ in nothing but the white space
// between tokens, the style of line ends, and line ends at the end of the file.
func sameTokens(a, b []byte) bool {
	return slices.EqualFunc(significant(a), significant(b), func(x, y hclsyntax.Token) bool {
		xBody, xBroken := cutLineEnd(x)
		yBody, yBroken := cutLineEnd(y)
		return x.Type == y.Type && xBroken == yBroken && bytes.Equal(xBody, yBody)
	})
}

// significant returns the tokens without line ends at the end of the file. A
// comment there counts as if it had one.
func significant(text []byte) hclsyntax.Tokens {
	tokens := lex(text)
	tokens = tokens[:len(tokens)-1]
	for len(tokens) > 0 && tokens[len(tokens)-1].Type == hclsyntax.TokenNewline {
		tokens = tokens[:len(tokens)-1]
	}
	if n := len(tokens); n > 0 && tokens[n-1].Type == hclsyntax.TokenComment {
		last := tokens[n-1]
		last.Bytes = slices.Concat(last.Bytes, []byte("\n"))
		tokens[n-1] = last
	}
	return tokens
}
