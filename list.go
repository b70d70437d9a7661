package plangate

import (
	"bytes"
	"encoding/json"
)

// List is a slice that is [] in JSON when it is empty, never null (spec FMT-3).
// A plain slice can be assigned to it and the other way round.
type List[T any] []T

// MarshalJSON implements [json.Marshaler]. It leaves the escaping of HTML
// characters to the encoder that called it.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if len(l) == 0 {
		return []byte("[]"), nil
	}
	return marshal([]T(l))
}

// marshal is json.Marshal without the escapes for HTML. Inside a MarshalJSON
// method those would stay whatever the calling encoder was told.
func marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
