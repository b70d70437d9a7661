package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/suggest"
)

// callBuilder turns the parts of a query into a call.
type callBuilder struct {
	text  string
	call  plangate.Call
	input map[string]any
	given map[string]bool // keys of the call, and "input KEY"
}

func (b *callBuilder) build(parts []*queryPart) error {
	words := slices.IndexFunc(parts, func(p *queryPart) bool { return p.Equal })
	if words < 0 {
		words = len(parts)
	}
	if err := b.words(parts[:words]); err != nil {
		return err
	}
	for _, part := range parts[words:] {
		if err := b.pair(part); err != nil {
			return err
		}
	}
	if b.call.Operation == "" {
		return &queryError{b.text, len(b.text), "which operation? Write PROVIDER.OPERATION or OPERATION"}
	}
	return b.setInput()
}

// words reads what stands before the first pair: kind and name, both optional.
func (b *callBuilder) words(parts []*queryPart) error {
	if len(parts) > 0 && b.isKind(parts) {
		if err := b.setField("kind", parts[0].Left.raw(), parts[0]); err != nil {
			return err
		}
		parts = parts[1:]
	}
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return b.name(parts[0])
	default:
		return b.fail(parts[1], "want KEY=VALUE here; put quotes around text with spaces")
	}
}

// isKind reports whether the first word is a kind: it is one of the words, or
// stands where only a kind can stand.
func (b *callBuilder) isKind(parts []*queryPart) bool {
	if parts[0].Left.quoted() {
		return false
	}
	_, err := plangate.ParseKind(parts[0].Left.raw())
	return err == nil || len(parts) == 2
}

// name reads PROVIDER.OPERATION, split at the first dot outside quotes.
func (b *callBuilder) name(part *queryPart) error {
	var sides [2]strings.Builder
	side := 0
	for _, piece := range part.Left {
		text, err := b.textOf(piece)
		if err != nil {
			return err
		}
		if before, after, found := strings.Cut(text, "."); found && side == 0 && piece.Quoted == nil {
			sides[0].WriteString(before)
			text, side = after, 1
		}
		sides[side].WriteString(text)
	}
	provider, operation := sides[0].String(), sides[1].String()
	if side == 0 {
		provider, operation = "", provider
	} else if provider == "" || operation == "" {
		return b.fail(part, "want PROVIDER.OPERATION; put quotes around a name with a dot")
	}
	b.given["operation"], b.given["provider"] = true, side == 1
	b.call.Provider, b.call.Operation = provider, operation
	return nil
}

func (b *callBuilder) pair(part *queryPart) error {
	if !part.Equal {
		return b.fail(part, "want KEY=VALUE here; put quotes around text with spaces")
	}
	key, err := b.join(part.Left)
	if err != nil {
		return err
	}
	value, err := b.join(part.Right)
	if err != nil {
		return err
	}
	if !part.Left.quoted() && slices.Contains(fieldKeys, key) {
		return b.setField(key, value, part)
	}
	if b.given["input "+key] {
		return b.fail(part, fmt.Sprintf("%.64q stands twice", key))
	}
	b.given["input "+key] = true
	b.input[key] = scalar(value, part.Right.quoted())
	return nil
}

// fieldKeys are the keys that belong to the call and not to its input.
var fieldKeys = []string{"kind", "provider", "operation", "risk", "profile", "cwd", "workspace", "home", "id", "time"}

// setField sets a field of the call from its text.
func (b *callBuilder) setField(key, value string, part *queryPart) error {
	if b.given[key] {
		return b.fail(part, fmt.Sprintf("%q stands twice", key))
	}
	b.given[key] = true
	if err := setCallField(&b.call, key, value); err != nil {
		return b.fail(part, err.Error())
	}
	return nil
}

// setCallField sets a field of a call from its text, with a helpful error.
func setCallField(call *plangate.Call, key, value string) (err error) {
	switch key {
	case "kind":
		if call.Kind, err = plangate.ParseKind(value); err != nil {
			return unknownWord("kind", value, kindWords)
		}
	case "risk":
		if call.Risk, err = plangate.ParseRisk(value); err != nil {
			return unknownWord("risk", value, riskWords)
		}
	case "time":
		if call.Time, err = time.Parse(time.RFC3339, value); err != nil {
			return fmt.Errorf("%.64q is no time; write it like 2030-01-31T12:00:00Z (RFC 3339)", value)
		}
	case "provider":
		call.Provider = value
	case "operation":
		call.Operation = value
	case "profile":
		call.Profile = value
	case "cwd":
		call.Cwd = value
	case "workspace":
		call.Workspace = value
	case "home":
		call.Home = value
	case "id":
		call.ID = value
	}
	return nil
}

var (
	kindWords = []string{"resource", "data_source", "interactive"}
	riskWords = []string{"read_only", "low", "moderate", "high", "critical"}
)

func unknownWord(what, word string, known []string) error {
	return fmt.Errorf("unknown %s %.64q; want one of %s.%s",
		what, word, strings.Join(known, ", "), suggest.DidYouMean(word, known))
}

// setInput makes the input of the arguments that were given.
func (b *callBuilder) setInput() error {
	if len(b.input) == 0 {
		return nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(b.input); err != nil {
		return &queryError{b.text, 0, err.Error()}
	}
	b.call.Input = bytes.TrimSpace(text.Bytes())
	return nil
}

func (b *callBuilder) fail(part *queryPart, message string) error {
	return &queryError{b.text, part.Pos.Offset, message}
}

// join returns the text that pieces stand for.
func (b *callBuilder) join(pieces queryText) (string, error) {
	var joined strings.Builder
	for _, piece := range pieces {
		text, err := b.textOf(piece)
		if err != nil {
			return "", err
		}
		joined.WriteString(text)
	}
	return joined.String(), nil
}

func (b *callBuilder) textOf(piece *queryPiece) (string, error) {
	if piece.Quoted == nil {
		return *piece.Bare, nil
	}
	text, err := strconv.Unquote(*piece.Quoted)
	if err != nil {
		return "", &queryError{b.text, piece.Pos.Offset, `unknown escape in quotes; write \\ for a backslash`}
	}
	if !utf8.ValidString(text) {
		return "", &queryError{b.text, piece.Pos.Offset, "text in quotes is not UTF-8"}
	}
	return text, nil
}

// quoted reports whether any piece is in quotes.
func (t queryText) quoted() bool {
	return slices.ContainsFunc(t, func(p *queryPiece) bool { return p.Quoted != nil })
}

// raw returns the text of pieces without quotes.
func (t queryText) raw() string {
	var joined strings.Builder
	for _, piece := range t {
		joined.WriteString(*piece.Bare)
	}
	return joined.String()
}

// scalar returns the JSON value that a value of a query means.
func scalar(text string, quoted bool) any {
	switch {
	case quoted || text == "":
		return text
	case text == "true" || text == "false":
		return text == "true"
	case strings.ContainsRune("-0123456789", rune(text[0])) && json.Valid([]byte(text)):
		return json.Number(text)
	default:
		return text
	}
}
