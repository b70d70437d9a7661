package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/hclsource"
)

const space = " \t\r\n"

// jsonReader reads JSON into nodes. The tokens come from encoding/json, which
// is strict, and the places from its offsets. HCL's own JSON reader will not
// do: it normalises strings, and names are compared byte for byte (spec DEC-2).
type jsonReader struct {
	*report
	src     []byte
	decoder *json.Decoder
	start   int     // where the decoder's offsets count from
	pos     hcl.Pos // of the furthest byte whose place was asked for
}

// byteOrderMark is skipped; RFC 8259 allows that, and editors write it.
const byteOrderMark = "\ufeff"

// readJSON returns the value that src holds, or nil after an error in its
// encoding or syntax.
func readJSON(r *report, src []byte) *node {
	if r.diags = checkJSON(r.file, src); r.diags.HasErrors() {
		return nil
	}
	reader := &jsonReader{report: r, src: src, pos: hcl.InitialPos}
	if bytes.HasPrefix(src, []byte(byteOrderMark)) {
		reader.start, reader.pos.Byte = len(byteOrderMark), len(byteOrderMark)
	}
	reader.decoder = json.NewDecoder(bytes.NewReader(src[reader.start:]))
	reader.decoder.UseNumber()
	value, err := reader.value()
	if err == nil {
		err = reader.end()
	}
	if err != nil {
		reader.syntaxError(err)
		return nil
	}
	return value
}

// checkJSON bounds size and nesting, whatever the name of the file.
func checkJSON(file string, src []byte) plangate.Diagnostics {
	diags := hclsource.Check("x.json", src)
	for _, d := range diags {
		d.Range.File = file
	}
	return diags
}

func (r *jsonReader) value() (*node, error) {
	start := r.next()
	token, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	n := &node{}
	n.rng.File, n.rng.Start = r.file, start
	switch token := token.(type) {
	case json.Delim:
		err = r.compound(n, token)
	case string:
		n.typ, n.text = text, token
	case json.Number:
		n.typ, n.text = number, token.String()
	case bool:
		n.typ, n.truth = boolean, token
	}
	n.rng.End = r.here()
	return n, err
}

// compound reads the rest of an object or array, up to its closing bracket.
func (r *jsonReader) compound(n *node, open json.Delim) error {
	part := r.member
	n.typ = object
	if open == '[' {
		part = r.item
		n.typ = array
	}
	for r.decoder.More() {
		if err := part(n); err != nil {
			return err
		}
	}
	_, err := r.decoder.Token()
	if err == nil {
		r.unique(n.members)
	}
	return err
}

func (r *jsonReader) member(n *node) error {
	start := r.next()
	key, err := r.decoder.Token()
	if err != nil {
		return err
	}
	m := member{nameRange: plangate.Range{File: r.file, Start: start, End: r.here()}}
	m.name, _ = key.(string) // the decoder lets nothing else be a key
	m.value, err = r.value()
	n.members = append(n.members, m)
	return err
}

func (r *jsonReader) item(n *node) error {
	item, err := r.value()
	n.items = append(n.items, item)
	return err
}

// end reports what stands behind the value.
func (r *jsonReader) end() error {
	if len(bytes.TrimLeft(r.src[r.offset():], space)) > 0 {
		return errors.New("there is text after the value")
	}
	return nil
}

// next returns the place of the next token.
func (r *jsonReader) next() plangate.Pos {
	rest := bytes.TrimLeft(r.src[r.offset():], space+",:")
	return r.at(len(r.src) - len(rest))
}

// here returns the place behind the last token.
func (r *jsonReader) here() plangate.Pos { return r.at(r.offset()) }

func (r *jsonReader) offset() int { return r.start + int(r.decoder.InputOffset()) }

// at moves forward to the given byte and returns its place. Each byte is
// scanned once, however long its line is.
func (r *jsonReader) at(offset int) plangate.Pos {
	if offset > r.pos.Byte {
		r.pos = advance(r.pos, r.src[:offset])
	}
	return plangate.Pos{Line: r.pos.Line, Column: r.pos.Column, Byte: r.pos.Byte}
}

// advance moves pos to the end of src. HCL counts the columns of what is not
// ASCII; it gives up on a cluster of more than 64 KiB, whose column is then
// unimportant, but not its end.
func advance(pos hcl.Pos, src []byte) hcl.Pos {
	for i := pos.Byte; i < len(src); i++ {
		if src[i] >= utf8.RuneSelf {
			scanner := hcl.NewRangeScannerFragment(src, "", pos, wholeText)
			scanner.Scan()
			end := scanner.Range().End
			end.Byte = len(src)
			return end
		}
	}
	for ; pos.Byte < len(src); pos.Byte++ {
		pos.Column++
		if src[pos.Byte] == '\n' {
			pos.Line, pos.Column = pos.Line+1, 1
		}
	}
	return pos
}

func wholeText(data []byte, _ bool) (int, []byte, error) { return len(data), data, nil }

// syntaxError reports err at the token that could not be read.
func (r *jsonReader) syntaxError(err error) {
	rng := plangate.Range{File: r.file, Start: r.next()}
	rng.End = r.at(min(rng.Start.Byte+1, len(r.src)))
	detail := strings.TrimPrefix(err.Error(), "json: ")
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		detail = "the text ends in the middle of a value"
	}
	r.error(codeSyntax, rng, "Invalid JSON", fmt.Sprintf("At or behind this place, %s.", detail))
}
