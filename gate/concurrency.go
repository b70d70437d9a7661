package gate

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/plangate/plangate"
)

// ConcurrencySpec is what a provider declares about running an operation more than
// once at a time. The zero value declares nothing, which means one at a time with
// everything else of the provider.
type ConcurrencySpec struct {
	// Safe says that calls may run side by side if the values of their key fields
	// differ. Without key fields they always may.
	Safe      bool
	KeyFields []string // names of top-level arguments
}

// concurrencyKey returns the key of an item (spec GAT-10). Interactive items have one
// key for all, whatever a provider declares: a human is asked one thing at a time.
func (g *Gate) concurrencyKey(item *Item) string {
	if item.Kind == plangate.Interactive {
		return "interactive"
	}
	var spec ConcurrencySpec
	if g.config.Concurrency != nil {
		spec = g.config.Concurrency(item.Call.Provider, item.Call.Operation)
	}
	switch {
	case !spec.Safe:
		return fmt.Sprintf("provider:%q", item.Call.Provider)
	case len(spec.KeyFields) == 0:
		return "item:" + item.ID
	}
	var key strings.Builder
	fmt.Fprintf(&key, "operation:%q:%q", item.Call.Provider, item.Call.Operation)
	var input map[string]json.RawMessage
	_ = json.Unmarshal(item.Call.Input, &input) // was checked; absent fields count as one value
	for _, field := range spec.KeyFields {
		fmt.Fprintf(&key, ":%s", canonicalValue(input[field]))
	}
	return key.String()
}

// canonicalValue writes a value so that equal ones are equal texts.
func canonicalValue(value json.RawMessage) string {
	if value == nil {
		return "absent"
	}
	object, err := json.Marshal(map[string]json.RawMessage{"": value})
	if err != nil {
		return "invalid"
	}
	text, err := canonical(object)
	if err != nil {
		return "invalid"
	}
	return fmt.Sprintf("%q", text)
}
