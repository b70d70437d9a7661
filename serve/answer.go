package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
)

// answer is a line out.
type answer struct {
	ID     json.RawMessage `json:"id"` // null if the request has none
	Result any             `json:"result,omitempty"`
	Error  *wireError      `json:"error,omitempty"`
}

// wireError is an error on the wire. Data depends on the code (spec SRV-9).
type wireError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Error implements error.
func (e *wireError) Error() string { return e.Message }

func fault(code, format string, args ...any) error {
	return &wireError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// errWrite is the cause of the end of a connection that cannot be written to.
var errWrite = errors.New("serve: cannot write an answer")

// maxMessage bounds the message of an error.
const maxMessage = 4 << 10

// answer writes one line. Without a result and an error the result is {}.
func (s *server) answer(id json.RawMessage, result any, err error) {
	line := answer{ID: id, Result: result}
	if err != nil {
		line.Result, line.Error = nil, onWire(err)
	} else if result == nil {
		line.Result = struct{}{}
	}
	text, err := encode(&line)
	if err != nil { // a value that is no JSON: a defect
		s.opts.Report(fmt.Errorf("serve: %w", err))
		text, _ = encode(&answer{ID: id, Error: &wireError{Code: CodeInternal, Message: "the answer cannot be written as JSON"}})
	}
	s.write.Lock()
	defer s.write.Unlock()
	if _, err := s.out.Write(text); err != nil {
		s.stop(fmt.Errorf("%w: %w", errWrite, err))
	}
}

func encode(line *answer) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(line) // ends with a line feed and has none within
	return text.Bytes(), err
}

// onWire returns an error with what its code promises.
func onWire(err error) *wireError {
	if own, ok := errors.AsType[*wireError](err); ok {
		return own
	}
	text := strings.ToValidUTF8(strings.TrimPrefix(err.Error(), "gate: "), "\uFFFD")
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return &wireError{Code: gate.Code(err), Message: text, Data: dataOf(err)}
}

type answeredData struct {
	Decision plangate.Action `json:"decision"`
	Actor    string          `json:"actor"`
	At       time.Time       `json:"at"`
}

type atData struct {
	At time.Time `json:"at"`
}

// dataOf returns the data that goes with the code of an error, or nil. The same error
// decides that gives the code.
func dataOf(err error) any {
	coder, ok := errors.AsType[gate.Coder](err)
	if !ok {
		return nil
	}
	switch e := coder.(type) {
	case *gate.AlreadyAnswered:
		return answeredData{e.Decision, e.Actor, e.At}
	case *gate.Superseded:
		return atData{e.At}
	case *gate.Expired:
		return atData{e.At}
	case *gate.InvalidCorrection:
		return map[string]string{"reason": e.Reason}
	case *gate.PolicyDenies:
		return map[string]any{"decision": e.Decision}
	case *gate.NotReady:
		return map[string]gate.State{"state": e.State}
	default:
		return nil
	}
}
