package e2e

import (
	"encoding/json"
	"io"
	"net/http"
)

// chatProtocol is the Chat Completions API.
type chatProtocol struct{}

type chatRequest struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []struct {
		Role       string `json:"role"`
		Content    any    `json:"content"`
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID string `json:"id"`
		} `json:"tool_calls"`
	} `json:"messages"`
}

func (chatProtocol) read(body []byte) (conversation, error) {
	var request chatRequest
	if err := json.Unmarshal(body, &request); err != nil {
		return conversation{}, err
	}
	c := conversation{tools: len(request.Tools) > 0, offered: offers(request.Tools), callIDs: []string{}}
	for _, message := range request.Messages {
		switch message.Role {
		case "user":
			c.user += flatten(message.Content) + "\n"
		case "tool":
			c.results = append(c.results, toolResult{message.ToolCallID, flatten(message.Content)})
		}
		for _, call := range message.ToolCalls {
			c.callIDs = append(c.callIDs, call.ID)
		}
	}
	return c, nil
}

func (chatProtocol) write(w http.ResponseWriter, body []byte, answer turn, ids []string) {
	var request chatRequest
	_ = json.Unmarshal(body, &request) // it was read before
	message := map[string]any{"role": "assistant", "content": answer.Text}
	stop := "stop"
	if len(answer.Calls) > 0 {
		stop = "tool_calls"
		var calls []any
		for i, call := range answer.Calls {
			calls = append(calls, map[string]any{
				"index": i, "id": ids[i], "type": "function",
				"function": map[string]any{"name": call.Name, "arguments": marshal(call.Args)},
			})
		}
		message["tool_calls"] = calls
	}
	usage := map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	base := func(kind string, choice map[string]any) map[string]any {
		return map[string]any{
			"id": "chatcmpl-fake", "created": 1, "model": request.Model, "object": kind,
			"usage": usage, "choices": []any{choice},
		}
	}
	if !request.Stream {
		writeJSON(w, base("chat.completion", map[string]any{"index": 0, "message": message, "finish_reason": stop}))
		return
	}
	events := newSSE(w)
	events.send(base("chat.completion.chunk", map[string]any{"index": 0, "delta": message, "finish_reason": nil}))
	events.send(base("chat.completion.chunk", map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": stop}))
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}
