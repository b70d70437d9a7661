package e2e

import (
	"encoding/json"
	"maps"
	"net/http"
)

// anthropicProtocol is the Messages API.
type anthropicProtocol struct{}

type anthropicRequest struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	} `json:"messages"`
}

func (anthropicProtocol) read(body []byte) (conversation, error) {
	var request anthropicRequest
	if err := json.Unmarshal(body, &request); err != nil {
		return conversation{}, err
	}
	c := conversation{tools: len(request.Tools) > 0, offered: offers(request.Tools), callIDs: []string{}}
	for _, message := range request.Messages {
		parts, isList := message.Content.([]any)
		if !isList {
			parts = []any{map[string]any{"type": "text", "text": message.Content}}
		}
		for _, part := range parts {
			part, ok := part.(map[string]any)
			if !ok {
				continue
			}
			switch part["type"] {
			case "text":
				if message.Role == "user" {
					c.user += flatten(part) + "\n"
				}
			case "tool_use":
				c.callIDs = append(c.callIDs, flatten(part["id"]))
			case "tool_result":
				c.results = append(c.results, toolResult{flatten(part["tool_use_id"]), flatten(part["content"])})
			}
		}
	}
	return c, nil
}

func (anthropicProtocol) write(w http.ResponseWriter, body []byte, answer turn, ids []string) {
	var request anthropicRequest
	_ = json.Unmarshal(body, &request) // it was read before
	var blocks []map[string]any
	if answer.Text != "" {
		blocks = append(blocks, map[string]any{"type": "text", "text": answer.Text})
	}
	stop := "end_turn"
	for i, call := range answer.Calls {
		stop = "tool_use"
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": ids[i], "name": call.Name, "input": call.Args})
	}
	message := map[string]any{
		"id": "msg_fake", "type": "message", "role": "assistant", "model": request.Model, "content": blocks,
		"stop_reason": stop, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 10, "output_tokens": 5},
	}
	if !request.Stream {
		writeJSON(w, message)
		return
	}
	message["content"], message["stop_reason"] = []any{}, nil
	events := newNamedSSE(w)
	events.send(map[string]any{"type": "message_start", "message": message})
	for i, block := range blocks {
		anthropicBlock(events, i, block)
	}
	events.send(map[string]any{
		"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": 5},
	})
	events.send(map[string]any{"type": "message_stop"})
}

func anthropicBlock(events *sse, index int, block map[string]any) {
	start := maps.Clone(block)
	var delta map[string]any
	if block["type"] == "text" {
		start["text"] = ""
		delta = map[string]any{"type": "text_delta", "text": block["text"]}
	} else {
		start["input"] = map[string]any{}
		delta = map[string]any{"type": "input_json_delta", "partial_json": marshal(block["input"])}
	}
	events.send(map[string]any{"type": "content_block_start", "index": index, "content_block": start})
	events.send(map[string]any{"type": "content_block_delta", "index": index, "delta": delta})
	events.send(map[string]any{"type": "content_block_stop", "index": index})
}
