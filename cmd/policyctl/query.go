package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/plangate/plangate"
)

// queryHelp documents the grammar; it is part of the help of explain.
const queryHelp = `A query is words: an optional kind (resource, data_source, interactive), the
operation as PROVIDER.OPERATION or OPERATION, then KEY=VALUE pairs.

  - The first dot outside quotes splits provider and operation. A name that has
    a dot, a space or a quote itself is written in quotes: "a.b"."do it".
  - The keys kind, provider, operation, risk, profile, cwd, id and time belong
    to the call. Any other key is an argument of its input, and so is one in
    quotes: "id"=7 is an argument, id=7 the call's id.
  - A value without quotes is a number if it looks like one, true or false, else
    a string. In quotes it is a string, with the escapes \" \\ \n \t \u1234.`

// query is the grammar of a call in words. White space counts: key=value and
// "a.b".c are one part each.
type query struct {
	Parts []*queryPart `parser:"Space? ( @@ ( Space @@ )* )?"`
}

// queryPart is a word (kind or name) or, with Equal, a pair.
type queryPart struct {
	Pos   lexer.Position
	Left  queryText `parser:"( (?! Equal) @@ )+"`
	Equal bool      `parser:"( @Equal"`
	Right queryText `parser:"  @@* )?"`
}

// queryText is pieces without white space between them, as in a shell.
type queryText []*queryPiece

// queryPiece is text in quotes or not. Exactly one field is set.
type queryPiece struct {
	Pos    lexer.Position
	Quoted *string `parser:"  @String"`
	Bare   *string `parser:"| @( Word | Equal )"`
}

// queryError is what is wrong with a query and where.
type queryError struct {
	text    string // the query
	offset  int    // in bytes
	message string
}

// Error shows the query with a caret below the place.
func (e *queryError) Error() string {
	offset := min(e.offset, len(e.text))
	before, after := lastColumns(e.text[:offset], beforeWidth), firstColumns(e.text[offset:], subjectWidth)
	return fmt.Sprintf("query, column %d: %s\n  %s%s\n  %*s^",
		columns(plainLine(e.text[:offset]))+1, e.message, before, after, columns(before), "")
}

// parseQuery reads a call in words. Errors are of type *queryError.
func parseQuery(text string) (plangate.Call, error) {
	if len(text) > plangate.MaxJSONBytes {
		return plangate.Call{}, &queryError{message: fmt.Sprintf("longer than %d bytes", plangate.MaxJSONBytes)}
	}
	if i := invalidUTF8(text); i >= 0 {
		return plangate.Call{}, &queryError{text, i, "the text is not UTF-8"}
	}
	parsed, err := newQueryParser().ParseString("", strings.TrimRight(text, " \t\r\n"))
	if err != nil {
		return plangate.Call{}, syntaxError(text, err)
	}
	b := callBuilder{text: text, input: map[string]any{}, given: map[string]bool{}}
	if err := b.build(parsed.Parts); err != nil {
		return plangate.Call{}, err
	}
	return b.call, nil
}

// newQueryParser builds the parser. Only explain needs it, so it is not kept
// in a variable that every start of the program would pay for.
func newQueryParser() *participle.Parser[query] {
	tokens := lexer.MustSimple([]lexer.SimpleRule{
		{Name: "String", Pattern: `"(\\.|[^"\\\n])*"`},
		{Name: "Unclosed", Pattern: `"`},
		{Name: "Equal", Pattern: `=`},
		{Name: "Space", Pattern: `\s+`},
		{Name: "Word", Pattern: `[^\s="]+`},
	})
	return participle.MustBuild[query](participle.Lexer(tokens), participle.UseLookahead(2))
}

func syntaxError(text string, err error) error {
	unexpected, ok := errors.AsType[*participle.UnexpectedTokenError](err)
	if !ok {
		return &queryError{text, len(text), err.Error()}
	}
	message := "want a word or KEY=VALUE"
	if unexpected.Unexpected.Value == `"` {
		message = `text in quotes does not end on its line; write \n for a line break and \" for a quote`
	}
	return &queryError{text, unexpected.Unexpected.Pos.Offset, message}
}

func invalidUTF8(text string) int {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
	}
	return -1
}

// joinQuery makes one query of several arguments, in which a shell has used up
// the quotes: a value with white space gets them back.
func joinQuery(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	parts := make([]string, len(args))
	for i, arg := range args {
		parts[i] = arg
		if key, value, ok := strings.Cut(arg, "="); ok {
			parts[i] = key + "=" + requote(value)
		} else if !ok {
			parts[i] = requote(arg)
		}
	}
	return strings.Join(parts, " ")
}

func requote(text string) string {
	if strings.HasPrefix(text, `"`) || !strings.ContainsAny(text, " \t\r\n\"") {
		return text
	}
	return quote(text)
}
