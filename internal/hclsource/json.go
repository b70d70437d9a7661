package hclsource

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/apparentlymart/go-textseg/v15/textseg"

	"github.com/plangate/plangate"
)

// checkJSON walks a file in JSON syntax.
func checkJSON(src []byte) *problem {
	var open []byte
	tokens := 0
	for i := 0; i < len(src); {
		start := i
		i++
		switch c := src[start]; c {
		case ' ', '\t', '\r', '\n':
			continue
		case '{', '[':
			if open = append(open, c); len(open) > MaxDepth {
				return (&scanner{}).tooDeep(start, 1)
			}
		case '}', ']':
			// In ASCII a closing bracket comes two after its opening one.
			if n := len(open) - 1; n >= 0 && open[n] == c-2 {
				open = open[:n]
			}
		case '"':
			i = jsonStringEnd(src, start)
			if p := checkJSONString(src, start, i); p != nil {
				return p
			}
		case ',', ':', '=':
		default:
			i = jsonWordEnd(src, start)
			if i-start > MaxDigits {
				return &problem{
					code:    codeSyntax,
					summary: "Number or word is too long",
					detail:  fmt.Sprintf("A number may have %d digits.", MaxDigits),
					start:   start, end: i,
				}
			}
		}
		if tokens++; tokens > MaxTokens {
			return (&scanner{pos: start}).tooManyTokens()
		}
	}
	return nil
}

func jsonWordEnd(src []byte, i int) int {
	n := bytes.IndexAny(src[i:], "{}[],:=\" \t\r\n")
	if n < 0 {
		return len(src)
	}
	return i + n
}

// jsonStringEnd returns the end of the string that opens at i, as HCL sees it:
// past the closing quote, or at a control character. HCL goes by grapheme
// clusters, and there are characters (U+0600 and others of the class Prepend)
// that take a quote after them into their cluster.
func jsonStringEnd(src []byte, i int) int {
	escaping := false
	for i++; i < len(src); {
		switch c := src[i]; {
		case c == '\\':
			escaping = !escaping
			i++
		case c == '"':
			i++
			if !escaping {
				return i
			}
			escaping = false
		case c < ' ':
			return i
		case c < utf8.RuneSelf:
			escaping = false
			i++
		default:
			escaping = false
			n, _, _ := textseg.ScanGraphemeClusters(src[i:], true)
			i += n
		}
	}
	return i
}

// checkJSONString refuses half a surrogate pair, which the decoder would
// replace in silence, and walks the string as a template if it may be one.
func checkJSONString(src []byte, start, end int) *problem {
	quoted := src[start:end]
	if !bytes.Contains(quoted, []byte(`\u`)) &&
		!bytes.Contains(quoted, []byte("${")) && !bytes.Contains(quoted, []byte("%{")) {
		return nil
	}
	if half := plangate.HalfSurrogate(quoted); half >= 0 {
		return &problem{
			code:    codeSyntax,
			summary: "Half a surrogate pair",
			detail:  "This escape is half a character. Write both halves, or the character itself.",
			start:   start + half, end: start + half + 6,
		}
	}
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return nil
	}
	p := checkTemplate([]byte(text))
	if p != nil {
		p.start, p.end = start, end
	}
	return p
}
