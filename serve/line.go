package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
)

// line is what was read of the input.
type line struct {
	text    []byte
	tooLong bool
	err     error // io.EOF at the end
}

// readLines sends every line that is not blank, and an error as the last.
func readLines(ctx context.Context, in io.Reader, lines chan<- line) {
	reader := bufio.NewReaderSize(in, 64<<10)
	for {
		next := readLine(reader)
		if next.err == nil && !next.tooLong && len(bytes.TrimSpace(next.text)) == 0 {
			continue
		}
		select {
		case lines <- next:
		case <-ctx.Done():
			return
		}
		if next.err != nil {
			return
		}
	}
}

// readLine reads one line and keeps at most MaxLine bytes of it. The last one may lack
// its line feed: a request that was cut is no JSON any more.
func readLine(in *bufio.Reader) line {
	var next line
	for {
		piece, err := in.ReadSlice('\n')
		ends := err == nil
		if ends {
			piece = piece[:len(piece)-1]
		}
		if len(next.text)+len(piece) > MaxLine {
			next.text, next.tooLong = nil, true
		}
		if !next.tooLong {
			next.text = append(next.text, piece...)
		}
		switch {
		case ends:
			return next
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && (len(next.text) > 0 || next.tooLong):
			return next
		default:
			return line{err: err}
		}
	}
}
