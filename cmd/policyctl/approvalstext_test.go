package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/gate"
)

func printed(text string, full bool) (lines string, left int) {
	var out strings.Builder
	left = passageOf(text, passageWidth).write(&out, "", full)
	return out.String(), left
}

func TestPassage(t *testing.T) {
	many := strings.Repeat("l\n", headLines+tailLines+2)
	tests := []struct{ name, text, want string }{
		{"empty", "", ""},
		{"one line", "make test", "| make test\n"},
		{"last line feed begins no line", "a\nb\n", "| a\n| b\n"},
		{"appr-20 carriage return and escape", "curl x|sh\r\x1b[2K command: ls", "| curl x|sh\\r\\x1b[2K command: ls\n"},
		{"appr-20 zero-width and bidi", "r\u200bm \u202efr- /", "| r\\u200bm \\u202efr- /\n"},
		{"appr-20 spaces push nothing out of sight", "ls" + strings.Repeat(" ", 3000) + "; rm x", "| ls[3000 spaces]; rm x\n"},
		{"appr-20 code fence", "```\nls\n```\n| x", "| ```\n| ls\n| ```\n| | x\n"},
		{"empty lines push nothing out of sight", "ls\n" + strings.Repeat("\n", 400) + "rm x", "| ls\n| [400 empty lines]\n| rm x\n"},
		{"few spaces and lines stay", "a    b\n\n\nc", "| a    b\n|\n|\n| c\n"},
		{"tab", "a\tb", "| a    b\n"},
		{"not UTF-8", "a\xff", "| a\\xff\n"},
		{"long line goes on", strings.Repeat("x", passageWidth+1), "| " + strings.Repeat("x", passageWidth) + "\n: x\n"},
		{"head and tail", "first\n" + many + "last", "| first\n" + strings.Repeat("| l\n", headLines-1) +
			"~ 8 bytes of 86 left out here; see them with --full\n" + strings.Repeat("| l\n", tailLines-1) + "| last\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, _ := printed(test.text, false)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPassageCountsHidden(t *testing.T) {
	if got := passageOf("a\r\x1bb\u200b\xff é\n\t", passageWidth).hidden; got != 4 {
		t.Errorf("%d hidden characters, want 4", got)
	}
}

func TestPassageBoundsCharactersWithoutWidth(t *testing.T) {
	for _, line := range passageOf("a"+strings.Repeat("\u0301", 5000), passageWidth).lines {
		if len(line.text) > passageBytes+utf8.UTFMax {
			t.Errorf("a line of %d bytes", len(line.text))
		}
	}
}

// checkSafe fails if a terminal would obey or hide something in a text.
func checkSafe(t *testing.T, text string) {
	t.Helper()
	for i, r := range text {
		if r != '\n' && !visible(r) || r == utf8.RuneError && text[i] != "�"[0] {
			t.Fatalf("%q at %d is not safe in %.200q", r, i, text)
		}
	}
}

func FuzzPassage(f *testing.F) {
	f.Add("curl x|sh\r\x1b[2K\n\n\n" + strings.Repeat(" ", 40) + "\u202e\xff")
	f.Fuzz(func(t *testing.T, text string) {
		p := passageOf(text, passageWidth)
		sum := 0
		for _, line := range p.lines {
			sum += line.bytes
			if columns(line.text) > passageWidth+16 {
				t.Errorf("%d columns", columns(line.text))
			}
		}
		if sum != len(text) {
			t.Errorf("%d bytes in lines of a text of %d", sum, len(text))
		}
		full, left := printed(text, true)
		if left != 0 {
			t.Errorf("%d bytes left out of all", left)
		}
		checkSafe(t, full)
		for line := range strings.Lines(full) {
			if line[0] != '|' && line[0] != ':' {
				t.Errorf("a line without a gutter: %q", line)
			}
		}
		cut, _ := printed(text, false)
		if strings.Count(cut, "\n") > headLines+tailLines+1 {
			t.Errorf("%d lines", strings.Count(cut, "\n"))
		}
		checkSafe(t, oneLine(text, 60))
	})
}

func TestOneLine(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"short", "ls -la", "ls -la"},
		{"line feeds", "a\nb", `a\nb`},
		{"large", "start" + strings.Repeat("\xff", 1<<20) + "end", `start\xff…[1048584 bytes]…end`},
		{"large and nothing to see", strings.Repeat(" ", 1<<20), "…[1048576 bytes]…"},
		{"appr-20 head and tail", strings.Repeat("a", 1000) + "; rm x", "aaaaaaaaaaaaaa…[1006 bytes]…; rm x"},
		{"no escape is cut", strings.Repeat("\u200b", 10), `\u200b\u200b…[30 bytes]…\u200b`},
	}
	for _, test := range tests {
		if got := oneLine(test.text, 34); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestArgumentsLine(t *testing.T) {
	tests := []struct{ input, want string }{
		{`{"command":"ls","description":"x"}`, "ls"},
		{`{"path":"a","n":[1, 2]}`, `path="a" n=[1, 2]`},
		{`{}`, ""},
		{``, ""},
		{`[1]`, "[1]"},
		{`{"a":`, `{"a":`},
	}
	for _, test := range tests {
		if got := argumentsLine(json.RawMessage(test.input), 60); got != test.want {
			t.Errorf("%s: %q, want %q", test.input, got, test.want)
		}
	}
}

func TestVisibleJSONIsTheSameDocument(t *testing.T) {
	in := map[string]json.RawMessage{"a": json.RawMessage("\"\u202e\u200b\x7f\u0085 é 日 \U000e0001\"")}
	var out bytes.Buffer
	w := &world{stdout: bufio.NewWriter(&out)}
	if err := writeVisibleJSON(w, in, ""); err != nil {
		t.Fatal(err)
	}
	if err := w.stdout.Flush(); err != nil {
		t.Fatal(err)
	}
	checkSafe(t, out.String())
	var want, got string
	var back map[string]json.RawMessage
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if json.Unmarshal(in["a"], &want) != nil || json.Unmarshal(back["a"], &got) != nil || got != want {
		t.Errorf("%q became %q", want, got)
	}
}

func TestCardShowsWhatOthersSay(t *testing.T) { // audit-12
	item := gate.Item{
		ID: "a", State: gate.Waiting, Channel: "#ops\x1b", Prompt: "Really?\r\n  Digest       sha256:0",
		Preview: json.RawMessage(`{"rows":"3\u202e"}`), Description: strings.Repeat("d", 1000), Risk: plangate.Critical,
		OnExpire: eval.ExpireCancelTurn, Call: plangate.Call{Operation: "x", Input: json.RawMessage(`{}`)},
	}
	c := &card{}
	c.item(&item)
	text := c.String()
	checkSafe(t, text)
	wantIn(t, text, `  Channel      #ops\x1b`, `    | Really?\r`+"\n", "    |   Digest       sha256:0\n", `"rows": "3\u202e"`, "risk critical",
		"744 bytes of 1000 left out", "and the turn ends", "Arguments\n    | {}\n")
	if c.left != 744 {
		t.Errorf("%d bytes left out", c.left)
	}
	for line := range strings.Lines(text) {
		if columns(line) > passageWidth+8 && !strings.Contains(line, "Digest") {
			t.Errorf("a terminal would break: %s", line)
		}
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 119 * time.Second: "119s", 2 * time.Minute: "2m", 2 * time.Hour: "2h", 48 * time.Hour: "2d",
	} {
		if got := ago(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}
