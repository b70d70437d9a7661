package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Serve answers the protocol with [Library]: a [Request] a line in, a
// [Response] a line out, each written before the next line is read. A line that
// is not a request gets a Response whose Error says why. Serve returns nil at
// the end of the input, else the error of reading or writing; a line longer
// than [MaxLineBytes] is one.
func Serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	for {
		line, err := readLine(lines)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("conformance: cannot read a request: %w", err)
		case len(bytes.TrimSpace(line)) == 0:
			continue
		}
		text, err := encode(serveLine(line))
		if err != nil {
			return err
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return fmt.Errorf("conformance: cannot write an answer: %w", err)
		}
	}
}

func serveLine(line []byte) Response {
	request, err := parseRequest(line)
	if err != nil {
		return Response{ID: request.ID, Error: err.Error()}
	}
	response, err := Library{}.Answer(context.Background(), request)
	if err != nil {
		return Response{ID: request.ID, Error: err.Error()}
	}
	return response
}

func parseRequest(line []byte) (Request, error) {
	var request Request
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&request); err != nil {
		return request, fmt.Errorf("not a request: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return request, errors.New("not a request: more than one JSON value in the line")
	}
	return request, nil
}
