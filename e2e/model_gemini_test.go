package e2e

import (
	"encoding/json"
	"net/http"
)

// geminiProtocol is generateContent, streamed or not.
type geminiProtocol struct{ stream bool }

type geminiRequest struct {
	Tools    []json.RawMessage `json:"tools"`
	Contents []struct {
		Role  string `json:"role"`
		Parts []struct {
			Text         string `json:"text"`
			FunctionCall *struct {
				ID string `json:"id"`
			} `json:"functionCall"`
			FunctionResponse *struct {
				ID       string `json:"id"`
				Response any    `json:"response"`
			} `json:"functionResponse"`
		} `json:"parts"`
	} `json:"contents"`
}

func (geminiProtocol) read(body []byte) (conversation, error) {
	var request geminiRequest
	if err := json.Unmarshal(body, &request); err != nil {
		return conversation{}, err
	}
	c := conversation{tools: len(request.Tools) > 0, offered: offers(request.Tools)}
	for _, content := range request.Contents {
		called := false
		for _, part := range content.Parts {
			if content.Role == "user" {
				c.user += part.Text + "\n"
			}
			if part.FunctionCall != nil {
				called = true
				if part.FunctionCall.ID != "" {
					c.callIDs = append(c.callIDs, part.FunctionCall.ID)
				}
			}
			if r := part.FunctionResponse; r != nil {
				c.results = append(c.results, toolResult{r.ID, flatten(r.Response)})
			}
		}
		if called {
			c.turns++
		}
	}
	return c, nil
}

func (p geminiProtocol) write(w http.ResponseWriter, _ []byte, answer turn, ids []string) {
	var parts []any
	if answer.Text != "" {
		parts = append(parts, map[string]any{"text": answer.Text})
	}
	for i, call := range answer.Calls {
		parts = append(parts, map[string]any{
			"functionCall":     map[string]any{"id": ids[i], "name": call.Name, "args": call.Args},
			"thoughtSignature": "c2ln",
		})
	}
	response := map[string]any{
		"candidates": []any{map[string]any{
			"content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0,
		}},
		"usageMetadata": map[string]any{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
		"modelVersion":  modelName,
	}
	if p.stream {
		newSSE(w).send(response)
		return
	}
	writeJSON(w, response)
}
