package mcpserve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plangate/plangate"
)

const explainSchema = `{
	"type": "object",
	"properties": {
		"operation": {"type": "string", "description": "name of the tool, such as Bash"},
		"provider": {"type": "string", "description": "name of the MCP server; none for the CLI's own tools"},
		"input": {"type": "object", "description": "the tool's arguments"},
		"profile": {"type": "string"}
	},
	"required": ["operation"],
	"additionalProperties": false
}`

// MaxPending is how many waiting calls are listed at most.
const MaxPending = 100

const pendingSchema = `{
	"type": "object",
	"properties": {"limit": {"type": "integer", "minimum": 1, "maximum": 100}},
	"additionalProperties": false
}`

// explain answers with the story of one call.
func (s *Server) explain(ctx context.Context, arguments json.RawMessage) (result *mcp.CallToolResult) {
	defer recovered(&result)
	var asked struct {
		Operation string          `json:"operation"`
		Provider  string          `json:"provider"`
		Input     json.RawMessage `json:"input"`
		Profile   string          `json:"profile"`
	}
	if err := read(arguments, &asked); err != nil {
		return failure("%v", err)
	}
	switch {
	case asked.Operation == "":
		return failure("operation is missing")
	case len(asked.Input) > 0 && asked.Input[0] != '{':
		return failure("input is not an object")
	}
	story, err := s.opts.Explain(ctx, plangate.Call{
		ID: ExplainTool, Operation: asked.Operation, Provider: asked.Provider, Input: asked.Input, Profile: asked.Profile,
	})
	if err != nil {
		return failure("%v", err)
	}
	return text(story)
}

// pending answers with the calls that wait.
func (s *Server) pending(ctx context.Context, arguments json.RawMessage) (result *mcp.CallToolResult) {
	defer recovered(&result)
	asked := struct {
		Limit int `json:"limit"`
	}{MaxPending}
	if err := read(arguments, &asked); err != nil {
		return failure("%v", err)
	}
	if asked.Limit < 1 || asked.Limit > MaxPending {
		return failure("limit is %d; it is 1 to %d", asked.Limit, MaxPending)
	}
	items, err := s.opts.Pending(ctx, asked.Limit)
	if err != nil {
		return failure("%v", err)
	}
	list, err := json.Marshal(items)
	if err != nil {
		return failure("%v", err)
	}
	return text(string(list))
}

// recovered makes a failure of a defect.
func recovered(result **mcp.CallToolResult) {
	if defect := recover(); defect != nil {
		*result = failure("internal error")
	}
}

// read reads arguments strictly; none at all are an empty object.
func read(arguments json.RawMessage, into any) error {
	if len(arguments) == 0 {
		return nil
	}
	if err := plangate.CheckJSON(arguments); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("arguments: %s is of type %s, which does not fit", cmp.Or(wrong.Field, "the whole"), wrong.Value)
	}
	if err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	return nil
}
