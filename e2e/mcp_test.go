package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

// mcpRole is the first argument that turns the test binary into the MCP server, and
// mcpServer the server's name in every CLI.
const (
	mcpRole   = "e2e-mcp-server"
	mcpServer = "box"
)

type mcpMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		ProtocolVersion string `json:"protocolVersion"`
		Name            string `json:"name"`
	} `json:"params"`
}

// serveMCP is an MCP server on standard input and output with two tools, put and wipe.
// Each leaves a file of its name, mcp-put or mcp-wipe, in dir.
func serveMCP(dir string, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	encoder := json.NewEncoder(out)
	for lines.Scan() {
		var message mcpMessage
		if json.Unmarshal(lines.Bytes(), &message) != nil || message.ID == nil {
			continue // a notification
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": message.ID}
		if result := mcpResult(dir, &message); result != nil {
			answer["result"] = result
		} else {
			answer["error"] = map[string]any{"code": -32601, "message": "no such method"}
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

func mcpResult(dir string, message *mcpMessage) any {
	tool := func(name string) map[string]any {
		return map[string]any{
			"name": name, "description": name + " something",
			"inputSchema": map[string]any{
				"type": "object", "properties": map[string]any{"what": map[string]any{"type": "string"}}, "required": []string{"what"},
			},
			"annotations": map[string]any{"readOnlyHint": false, "destructiveHint": name == "wipe"},
		}
	}
	switch message.Method {
	case "initialize":
		version := message.Params.ProtocolVersion
		if version == "" {
			version = "2024-11-05"
		}
		return map[string]any{
			"protocolVersion": version, "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": mcpServer, "version": "1"},
		}
	case "tools/list":
		return map[string]any{"tools": []any{tool("put"), tool("wipe")}}
	case "tools/call":
		text := message.Params.Name + " done"
		if err := os.WriteFile(filepath.Join(dir, "mcp-"+filepath.Base(message.Params.Name)), nil, 0o600); err != nil {
			text = err.Error()
		}
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}
	case "ping":
		return map[string]any{}
	default:
		return nil
	}
}
