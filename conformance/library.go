package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
)

// Library is this module as an [Implementation].
type Library struct{}

// Answer compiles the policy and decides the calls. The only errors are
// requests that name a file they do not bring.
func (Library) Answer(_ context.Context, request Request) (Response, error) {
	return answerBy(&request, func(l *loaded) (decider, error) { return l.table.Decide, nil })
}

// decider is a way to decide calls.
type decider func(plangate.Call) plangate.Decision

func answerBy(request *Request, pick func(*loaded) (decider, error)) (Response, error) {
	response := Response{ID: request.ID}
	l, err := load(request)
	if err != nil {
		return response, err
	}
	decide, err := pick(&l)
	if err != nil {
		return response, err
	}
	for _, d := range l.diags {
		if response.Diagnostics, err = appendJSON(response.Diagnostics, d); err != nil {
			return response, err
		}
	}
	for _, call := range request.Calls {
		if response.Decisions, err = appendJSON(response.Decisions, decide.text(call)); err != nil {
			return response, err
		}
	}
	return response, nil
}

func appendJSON(list []json.RawMessage, value any) ([]json.RawMessage, error) {
	text, err := encode(value)
	return append(list, text), err
}

// text decides a call that is still text. One that cannot be read is denied.
func (decide decider) text(text []byte) plangate.Decision {
	call, err := plangate.ParseCall(text)
	if err == nil {
		return decide(call)
	}
	return plangate.InvalidCall(call.ID, err)
}

// loaded is a request after parsing and compiling.
type loaded struct {
	input compile.Input
	table *eval.Table // denies everything if there are errors
	diags plangate.Diagnostics
}

func load(request *Request) (loaded, error) {
	l := loaded{input: compile.Input{Now: request.Now, Protect: compile.Protection{On: true}}}
	if err := l.parseCatalogs(request); err != nil {
		return l, err
	}
	if err := l.parseLayers(request); err != nil {
		return l, err
	}
	if !l.diags.HasErrors() {
		table, diags := compile.Compile(l.input)
		l.table, l.diags = table, append(l.diags, diags...)
	}
	l.diags.Sort()
	if l.diags.HasErrors() {
		l.table = denyAll(l.diags)
	}
	return l, nil
}

func (l *loaded) parseCatalogs(request *Request) error {
	var all []*catalog.Catalog
	for _, c := range request.Catalogs {
		text, ok := request.source(c.File)
		if !ok {
			return fmt.Errorf("conformance: the request has no catalog file %q", c.File)
		}
		parsed, diags := parseCatalog(c, text)
		l.diags = append(l.diags, diags...)
		all = append(all, parsed)
	}
	merged, diags := catalog.Merge(all...)
	l.input.Catalog, l.diags = merged, append(l.diags, diags...)
	return nil
}

func parseCatalog(c Catalog, text []byte) (*catalog.Catalog, plangate.Diagnostics) {
	if c.Provider == "" {
		return catalog.Parse(c.File, text)
	}
	server := catalog.Server{Provider: c.Provider}
	if c.TrustAnnotations {
		server.Trust = catalog.TrustAnnotations
	}
	return catalog.ParseMCP(c.File, server, text)
}

func (l *loaded) parseLayers(request *Request) error {
	for _, layer := range request.Layers {
		text, ok := request.source(layer.File)
		if !ok {
			return fmt.Errorf("conformance: the request has no policy file %q", layer.File)
		}
		file, diags := dsl.Parse(layer.File, text)
		l.diags = append(l.diags, diags...)
		l.input.Layers = append(l.input.Layers, compile.LayerFile{
			Layer: layer.Layer, File: file, Trusted: layer.Trusted,
		})
	}
	return nil
}

// denyAll is the table of a policy with errors (spec LAY-3). It names the first.
func denyAll(diags plangate.Diagnostics) *eval.Table {
	d := firstError(diags)
	return eval.DenyAll(d.Error(), plangate.Rule{File: d.Range.File, Line: d.Range.Start.Line}, nil)
}

// firstError returns nil if there is none.
func firstError(diags plangate.Diagnostics) *plangate.Diagnostic {
	for _, d := range diags {
		if d.Severity == plangate.SeverityError {
			return d
		}
	}
	return nil
}

// encode writes JSON without the escapes for HTML and without a line feed.
func encode(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}
