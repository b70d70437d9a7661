package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/plangate/plangate/ancestry"
	"github.com/plangate/plangate/internal/errtext"
)

// human is how a person is told from a program.
type human struct {
	// look looks for signs of an agent around this process.
	look func() (ancestry.Sign, error)
	// terminal opens the terminal of the person, or says why there is none.
	terminal func() (*terminal, error)
}

// personAt returns how it is done outside of tests.
func personAt(w *world) human {
	return human{
		look: func() (ancestry.Sign, error) { return ancestry.Inspect(ancestry.System(), os.Getpid()) },
		terminal: func() (*terminal, error) {
			for name, stream := range map[string]any{"standard input": w.stdin, "standard output": os.Stdout} {
				if file, ok := stream.(*os.File); !ok || !term.IsTerminal(int(file.Fd())) {
					return nil, fmt.Errorf("%s is no terminal", name)
				}
			}
			file, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
			if err != nil {
				return nil, fmt.Errorf("there is no controlling terminal: %w", withoutName(err))
			}
			return newTerminal(file), nil
		},
	}
}

// The codes of a refusal to take an answer from here.
const (
	refusedAgent    = "agent_process"
	refusedTerminal = "no_terminal"
	refusedToken    = "bad_token"
)

// notAPerson is why no answer is taken from here.
type notAPerson struct{ code, reason string }

func (r *notAPerson) Error() string {
	return fmt.Sprintf("[%s] answering is refused: %s. A person answers in a terminal of their own, a program with --token-file.", r.code, r.reason)
}

// person returns the terminal of a person. The error is a notAPerson.
func (h human) person() (*terminal, error) {
	sign, err := h.look()
	if err != nil {
		return nil, &notAPerson{refusedAgent, "the processes above this one cannot be looked at (" + errtext.Plain(err) + ")"}
	}
	if sign.Kind != ancestry.None {
		return nil, &notAPerson{refusedAgent, sign.String()}
	}
	terminal, err := h.terminal()
	if err != nil {
		return nil, &notAPerson{refusedTerminal, err.Error()}
	}
	return terminal, nil
}

// refused turns a refusal into the error that ends the command.
func refused(err error) error {
	if r, ok := errors.AsType[*notAPerson](err); ok {
		return &exitError{code: codeFindings, message: r.Error()}
	}
	return err
}

// maxAnswerBytes bounds a line that somebody types.
const maxAnswerBytes = 16 << 10

// terminal is where a person is asked. It is used by one goroutine.
type terminal struct {
	file  *os.File
	lines chan string // closed at the end of input
	begun bool
}

func newTerminal(file *os.File) *terminal { return &terminal{file: file, lines: make(chan string)} }

// typed returns the lines that come, each without its end.
func (t *terminal) typed() <-chan string {
	if !t.begun {
		t.begun = true
		go t.read()
	}
	return t.lines
}

// read hands on lines until the terminal is gone.
func (t *terminal) read() {
	defer close(t.lines)
	lines := &lineReader{
		in: bufio.NewReader(t.file), limit: maxAnswerBytes,
		idle: func() error { return nil },
	}
	for {
		line, err := lines.next()
		if err != nil {
			return
		}
		t.lines <- strings.TrimSuffix(string(line), "\r")
	}
}

// forget drops what was typed before a question was there to be read.
func (t *terminal) forget() {
	dropInput(t.file)
	for {
		select {
		case _, open := <-t.typed():
			if !open {
				return
			}
		default:
			return
		}
	}
}

// ask asks a question and returns the answer. The error is io.EOF if the terminal is
// gone or its input ended, or that of the context.
func (t *terminal) ask(ctx context.Context, question string) (string, error) {
	t.forget()
	if _, err := t.file.WriteString(question); err != nil {
		return "", io.EOF
	}
	select {
	case line, open := <-t.typed():
		if !open {
			return "", io.EOF
		}
		return strings.TrimSpace(line), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// close closes the terminal, which ends reading where the system can do that.
func (t *terminal) close() { _ = t.file.Close() }
