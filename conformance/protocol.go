package conformance

import (
	"context"
	"encoding/json"
	"time"

	"github.com/plangate/plangate"
)

// Request is one vector without its expectations: a line of the protocol.
type Request struct {
	ID    string            `json:"id"`
	Files map[string]string `json:"files"`
	// Binary holds the files whose bytes are not UTF-8 (base64 in JSON).
	Binary   map[string][]byte `json:"binary,omitempty"`
	Layers   []Layer           `json:"layers"`
	Catalogs []Catalog         `json:"catalogs"`
	// Now is when the policy is loaded; zero if it does not matter.
	Now   time.Time         `json:"now,omitzero"`
	Calls []json.RawMessage `json:"calls"`
}

// Layer says which of the files is which layer of the policy.
type Layer struct {
	Layer   plangate.Layer `json:"layer"`
	File    string         `json:"file"`
	Trusted bool           `json:"trusted"`
}

// Catalog names a catalog file. Several are merged in order.
type Catalog struct {
	File string `json:"file"`
	// Provider is set if the file is the result of an MCP tools/list request:
	// the name under which its tools are known.
	Provider string `json:"provider,omitempty"`
	// TrustAnnotations says that what the MCP server claims of its tools is
	// believed.
	TrustAnnotations bool `json:"trust_annotations,omitempty"`
}

// Response is the answer to a [Request]: a line of the protocol. Decisions has
// one JSON object for each call, in order.
type Response struct {
	ID          string                         `json:"id"`
	Diagnostics plangate.List[json.RawMessage] `json:"diagnostics"`
	Decisions   plangate.List[json.RawMessage] `json:"decisions"`
	// Error says why the request could not be answered at all. A policy with
	// errors is not such a reason: it has diagnostics and denies every call.
	Error string `json:"error,omitempty"`
}

// Implementation answers requests. An error means that there is no answer; it
// fails the vector and no other.
type Implementation interface {
	Answer(ctx context.Context, request Request) (Response, error)
}

// source returns the bytes of a file of the request.
func (r *Request) source(name string) ([]byte, bool) {
	if text, ok := r.Files[name]; ok {
		return []byte(text), true
	}
	raw, ok := r.Binary[name]
	return raw, ok
}
