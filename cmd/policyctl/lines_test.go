package main

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestLineReader(t *testing.T) {
	long := strings.Repeat("x", 100)
	tests := map[string]struct {
		text string
		want []string
	}{
		"empty":           {"", nil},
		"one":             {"a\n", []string{"a"}},
		"no end":          {"a\nb", []string{"a", "b"}},
		"blank":           {"\n\na\r\n", []string{"", "", "a\r"}},
		"at the limit":    {long[:40] + "\nb\n", []string{long[:40], "b"}},
		"over the limit":  {long[:41] + "\nb\n", []string{long[:41], "b"}},
		"far over":        {long + long + "\nb", []string{long[:41], "b"}},
		"far over, ends":  {"a\n" + long, []string{"a", long[:41]}},
		"buffer boundary": {long[:15] + "\n" + long[:16] + "\n" + long[:17] + "\n", []string{long[:15], long[:16], long[:17]}},
	}
	for name, test := range tests {
		for way, in := range map[string]io.Reader{
			"whole": strings.NewReader(test.text), "bytes": iotest.OneByteReader(strings.NewReader(test.text)),
		} {
			lines := &lineReader{in: bufio.NewReaderSize(in, 16), limit: 40, idle: func() error { return nil }}
			var got []string
			line, err := lines.next()
			for ; err == nil; line, err = lines.next() {
				got = append(got, string(line))
			}
			if err != io.EOF {
				t.Errorf("%s, %s: %v", name, way, err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s, %s: %s", name, way, diff)
			}
		}
	}
}

// TestLineReaderIdle holds that idle runs before every read that may wait, and
// not between lines that are there already.
func TestLineReaderIdle(t *testing.T) {
	reader, writer := io.Pipe()
	events := make(chan string, 100)
	lines := &lineReader{in: bufio.NewReader(reader), limit: 40, idle: func() error {
		events <- "idle"
		return nil
	}}
	go func() {
		io.WriteString(writer, "a\nb\nc")
		io.WriteString(writer, "c\nd\n")
		writer.Close()
	}()
	for line, err := lines.next(); err == nil; line, err = lines.next() {
		events <- string(line)
	}
	close(events)
	var got []string
	for event := range events {
		got = append(got, event)
	}
	if diff := cmp.Diff([]string{"idle", "a", "b", "idle", "cc", "d", "idle"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLineReaderErrors(t *testing.T) {
	broken := errors.New("broken")
	lines := &lineReader{
		in:    bufio.NewReader(io.MultiReader(strings.NewReader("a"), iotest.ErrReader(broken))),
		limit: 40, idle: func() error { return nil },
	}
	if line, err := lines.next(); !errors.Is(err, broken) {
		t.Errorf("got %q, %v", line, err)
	}
	full := &lineReader{in: bufio.NewReader(strings.NewReader("a\n")), limit: 40, idle: func() error { return broken }}
	if line, err := full.next(); !errors.Is(err, broken) {
		t.Errorf("got %q, %v", line, err)
	}
}
