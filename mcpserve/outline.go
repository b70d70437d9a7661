package mcpserve

import "encoding/json"

// outline is what can be told of a message without reading it as JSON: which request it
// is. So one that is too long, too deep or half JSON still gets its answer, in memory that
// does not grow with it. What it tells is used for refusals only.
type outline struct {
	depth           int
	quoted, escaped bool
	word            []byte    // the beginning of the string or number that is being read
	keys            [2]string // the names in force at depth 1 and 2
	id, method      string    // as they stand, with their quotes
	tool            string
}

// maxWord is how much of a word is kept: no id, method or tool is longer.
const maxWord = 256

func (o *outline) read(text []byte) {
	for _, b := range text {
		o.next(b)
	}
}

func (o *outline) next(b byte) {
	if o.quoted {
		o.keep(b)
		o.quoted = b != '"' || o.escaped
		o.escaped = b == '\\' && !o.escaped
		return
	}
	switch b {
	case '"':
		o.word = o.word[:0]
		o.keep(b)
		o.quoted, o.escaped = true, false
	case ':':
		if o.depth == 1 || o.depth == 2 {
			o.keys[o.depth-1] = string(o.word)
		}
		o.word = o.word[:0]
	case '{', '[':
		o.depth++
		o.word = o.word[:0]
	case '}', ']':
		o.value()
		o.depth--
	case ',':
		o.value()
	case ' ', '\t', '\r', '\n':
	default:
		o.keep(b)
	}
}

func (o *outline) keep(b byte) {
	if len(o.word) < maxWord {
		o.word = append(o.word, b)
	}
}

// value takes note of the word that ends here.
func (o *outline) value() {
	switch word := string(o.word); {
	case word == "":
	case o.depth == 1 && o.keys[0] == `"id"`:
		o.id = word
	case o.depth == 1 && o.keys[0] == `"method"`:
		o.method = word
	case o.depth == 2 && o.keys == [2]string{`"params"`, `"name"`}:
		o.tool = word
	}
	o.word = o.word[:0]
}

// refusal is the answer to a message that cannot be read; nil if it is none that is
// answered, or if it cannot be told which.
func (o *outline) refusal(why string) []byte {
	if o.method == "" || !isID(o.id) {
		return nil
	}
	answer := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result,omitempty"`
		Error   any             `json:"error,omitempty"`
	}{Version: "2.0", ID: json.RawMessage(o.id)}
	if o.method == `"tools/call"` && o.tool == `"`+PromptTool+`"` {
		answer.Result = denied("The policy gate denies this call because it could not read this call: " + why + ".")
	} else {
		answer.Error = map[string]any{"code": parseError, "message": why}
	}
	line, err := json.Marshal(answer)
	if err != nil { // an id that is no JSON after all
		return nil
	}
	return append(line, '\n')
}

// parseError is the code of JSON-RPC for a message that cannot be read.
const parseError = -32700

// isID reports whether a text is what JSON-RPC takes for an id.
func isID(text string) bool {
	if text == "" || len(text) >= maxWord || !json.Valid([]byte(text)) {
		return false
	}
	return text[0] == '"' || text[0] == '-' || '0' <= text[0] && text[0] <= '9'
}
