package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lineReader reads lines and never holds more than limit bytes of one.
type lineReader struct {
	in    *bufio.Reader
	limit int
	// idle is called before a read that may wait for more input.
	idle func() error
}

// next returns the next line without its line feed. Of a longer line it returns
// limit+1 bytes and drains the rest. At the end it returns io.EOF, after a last
// line without a line feed. The line is valid until the next call.
func (l *lineReader) next() ([]byte, error) {
	if buffered, _ := l.in.Peek(l.in.Buffered()); bytes.IndexByte(buffered, '\n') < 0 {
		if err := l.idle(); err != nil {
			return nil, err
		}
	}
	var line []byte
	for {
		piece, err := l.in.ReadSlice('\n')
		if err == nil && line == nil {
			return bytes.TrimSuffix(piece, []byte("\n")), nil
		}
		line = append(line, piece[:min(len(piece), l.limit+1-len(line))]...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
