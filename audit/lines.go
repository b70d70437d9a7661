package audit

import (
	"bufio"
	"errors"
	"io"
	"strconv"
)

// line is a line of a log.
type line struct {
	number int   // from 1
	offset int64 // of its first byte
	text   []byte
	size   int64 // with its line feed
	long   bool  // it has more than MaxLineBytes and text is not all of it
	torn   bool  // it is the last one and has no line feed
}

// lineReader reads lines and never holds more than one.
type lineReader struct {
	in  *bufio.Reader
	now line
	buf []byte
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next line, which is valid until the next call, or io.EOF.
func (l *lineReader) next() (*line, error) {
	l.now = line{number: l.now.number + 1, offset: l.now.offset + l.now.size}
	l.buf = l.buf[:0]
	for {
		piece, err := l.in.ReadSlice('\n')
		l.now.size += int64(len(piece))
		room := MaxLineBytes + 1 - len(l.buf)
		l.now.long = l.now.long || len(piece) > room
		l.buf = append(l.buf, piece[:min(len(piece), room)]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && l.now.size > 0:
			l.now.torn = true
		case err != nil:
			return nil, err
		}
		l.now.text = l.buf
		if !l.now.torn && !l.now.long {
			l.now.text = l.buf[:len(l.buf)-1]
		}
		return &l.now, nil
	}
}

// record reads the record on the line.
func (l *line) record() (Record, error) {
	switch {
	case l.long:
		return Record{}, errTooLong
	case l.torn:
		return Record{}, errTorn
	default:
		return ParseLine(l.text)
	}
}

var (
	errTooLong = errors.New("audit: longer than any record")
	errTorn    = errors.New("audit: half-written: the line does not end")
)

// parseSeq reads a sequence number in its only spelling.
func parseSeq(text string) (uint64, error) {
	number, err := strconv.ParseUint(text, 10, 64)
	if err == nil && strconv.FormatUint(number, 10) != text {
		err = strconv.ErrSyntax
	}
	return number, err
}

// seqOf reads the sequence number of a line without reading all of it.
func seqOf(text []byte) (uint64, bool) {
	rest, ok := cutPrefix(text, `{"version":1,"seq":`)
	if !ok {
		return 0, false
	}
	end := 0
	for end < len(rest) && isDigit(rest[end]) {
		end++
	}
	seq, err := parseSeq(string(rest[:end]))
	return seq, err == nil
}

func cutPrefix(text []byte, prefix string) ([]byte, bool) {
	if len(text) < len(prefix) || string(text[:len(prefix)]) != prefix {
		return nil, false
	}
	return text[len(prefix):], true
}
