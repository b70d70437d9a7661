package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
)

// responsesProtocol is the Responses API.
type responsesProtocol struct{}

type responsesRequest struct {
	Model  string            `json:"model"`
	Stream bool              `json:"stream"`
	Tools  []json.RawMessage `json:"tools"`
	Input  any               `json:"input"`
}

func (responsesProtocol) read(body []byte) (conversation, error) {
	var request responsesRequest
	if err := json.Unmarshal(body, &request); err != nil {
		return conversation{}, err
	}
	items, isList := request.Input.([]any)
	if !isList {
		items = []any{map[string]any{"role": "user", "content": request.Input}}
	}
	c := conversation{tools: len(request.Tools) > 0, offered: offers(request.Tools), callIDs: []string{}}
	for _, item := range items {
		item, ok := item.(map[string]any)
		if !ok {
			continue
		}
		kind, _ := item["type"].(string)
		switch {
		case kind == "additional_tools", kind == "tool_search_output":
			c.tools = true
			c.offered = append(c.offered, offers(rawList(item["tools"]))...)
		case kind == "agent_message", (kind == "" || kind == "message") && item["role"] == "user":
			c.user += flatten(item["content"]) + "\n"
		case strings.HasSuffix(kind, "_call"):
			c.callIDs = append(c.callIDs, flatten(item["call_id"]))
		case strings.HasSuffix(kind, "_call_output"):
			c.results = append(c.results, toolResult{flatten(item["call_id"]), flatten(item["output"])})
		}
	}
	return c, nil
}

func (responsesProtocol) write(w http.ResponseWriter, body []byte, answer turn, ids []string) {
	var request responsesRequest
	_ = json.Unmarshal(body, &request) // it was read before
	items := responsesItems(answer, ids)
	response := map[string]any{
		"id": "resp_fake", "object": "response", "created_at": 1, "model": request.Model, "status": "completed", "output": items,
		"usage": map[string]any{
			"input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
			"input_tokens_details":  map[string]any{"cached_tokens": 0},
			"output_tokens_details": map[string]any{"reasoning_tokens": 0},
		},
	}
	if !request.Stream {
		writeJSON(w, response)
		return
	}
	events := newNamedSSE(w)
	events.send(map[string]any{"type": "response.created", "response": map[string]any{
		"id": "resp_fake", "object": "response", "created_at": 1, "model": request.Model, "status": "in_progress", "output": []any{},
	}})
	for i, item := range items {
		events.send(map[string]any{"type": "response.output_item.added", "output_index": i, "item": item})
		if item["type"] == "message" {
			events.send(map[string]any{
				"type": "response.output_text.delta", "item_id": item["id"], "output_index": i, "content_index": 0, "delta": answer.Text,
			})
		}
		events.send(map[string]any{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	events.send(map[string]any{"type": "response.completed", "response": response})
}

func responsesItems(answer turn, ids []string) []map[string]any {
	var items []map[string]any
	if answer.Text != "" {
		items = append(items, map[string]any{
			"type": "message", "id": "msg_fake", "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": answer.Text, "annotations": []any{}}},
		})
	}
	for i, call := range answer.Calls {
		item := map[string]any{"id": "item_" + ids[i], "call_id": ids[i], "name": call.Name, "status": "completed"}
		if call.Namespace != "" {
			item["namespace"] = call.Namespace
		}
		text, free := call.Args.(string)
		switch {
		case free:
			item["type"], item["input"] = "custom_tool_call", text
		case call.Name == "tool_search": // the CLI runs it, but it is no function
			item["type"], item["arguments"], item["execution"] = "tool_search_call", call.Args, "client"
		default:
			item["type"], item["arguments"] = "function_call", marshal(call.Args)
		}
		items = append(items, item)
	}
	return items
}
