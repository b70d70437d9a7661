package hclsource

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// deepestByHCL computes from the tokens of HCL what the scanner computes from
// bytes. cut says that the lexer gave up before the end.
func deepestByHCL(tokens hclsyntax.Tokens, end int) (deepest int, cut bool) {
	var open []hclsyntax.TokenType
	depth := 0
	counts := func(t hclsyntax.TokenType) int {
		if t == hclsyntax.TokenOQuote || t == hclsyntax.TokenOHeredoc {
			return 0
		}
		return 1
	}
	pop := func() {
		depth -= counts(open[len(open)-1])
		open = open[:len(open)-1]
	}
	for _, token := range tokens {
		switch token.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenOQuote,
			hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			open = append(open, token.Type)
			depth += counts(token.Type)
			deepest = max(deepest, depth)
		case hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
			pop()
		case hclsyntax.TokenCParen:
			if n := len(open); n > 0 && open[n-1] == hclsyntax.TokenOParen {
				pop()
			}
		case hclsyntax.TokenCBrack:
			if n := len(open); n > 0 && open[n-1] == hclsyntax.TokenOBrack {
				pop()
			}
		case hclsyntax.TokenCBrace, hclsyntax.TokenTemplateSeqEnd:
			i := len(open) - 1
			for i >= 0 && (open[i] == hclsyntax.TokenOParen || open[i] == hclsyntax.TokenOBrack) {
				i--
			}
			for i >= 0 && len(open) > i {
				pop()
			}
		case hclsyntax.TokenInvalid:
			cut = cut || token.Range.End.Byte == end
		}
	}
	return deepest, cut
}

func compareWithHCL(t *testing.T, src string) {
	t.Helper()
	if checkText([]byte(src)) != nil {
		return
	}
	tokens, _ := hclsyntax.LexConfig([]byte(src), "", hcl.InitialPos)
	want, cut := deepestByHCL(tokens, len(src))
	s := newScanner([]byte(src), fileFrame)
	if s.run() != nil {
		return
	}
	if s.deepest != want && !(cut && s.deepest > want) {
		t.Errorf("%q: depth %d, HCL sees %d", src, s.deepest, want)
	}
}

// TestScannerAgreesWithLexer runs random texts made of everything that changes
// the lexer's state through both lexers.
func TestScannerAgreesWithLexer(t *testing.T) {
	parts := []string{
		`"`, `"`, `"`, "${", "${", "%{", "}", "}", "~}", "{", "(", ")", "[", "]", "$", "%", "~", `\`, "\n", "\n", "\r", "\r\n",
		"<<E\n", "<<-E\n", "<<E\r\n", "E\n", " E \n", "E", "<", "<<", "-", "#", "//", "/*", "*/", "/", "*", "a", " ", "=", "é", "\u0600", "1", ".", "for ",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 300_000 {
		var b strings.Builder
		for range 1 + random.IntN(14) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		compareWithHCL(t, b.String())
	}
}

func FuzzScannerAgreesWithLexer(f *testing.F) {
	f.Add("a = \"x${\"y\"}\"\nb = <<E\n%$\n$${\n${[1]}\nE\n")
	f.Fuzz(compareWithHCL)
}
