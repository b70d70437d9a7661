package harness

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/plangate/plangate"
)

// own returns the call of a CLI's own tool as one operation.
func own(cli, operation string, input json.RawMessage) plangate.Call {
	kind, risk := classify(operation)
	return plangate.Call{Provider: cli, Operation: operation, Kind: kind, Risk: risk, Input: input}
}

// several returns the calls of a tool that is several operations at once.
func several(cli string, input json.RawMessage, operations ...string) []plangate.Call {
	calls := make([]plangate.Call, len(operations))
	for i, operation := range operations {
		calls[i] = own(cli, operation, input)
	}
	return calls
}

// stranger returns the call of a tool that nobody knows: a resource of high risk under
// the name that the CLI gives it, whatever that name is elsewhere.
func stranger(provider, operation string, input json.RawMessage) plangate.Call {
	return plangate.Call{Provider: provider, Operation: operation, Kind: plangate.Resource, Risk: plangate.High, Input: input}
}

// patched returns the calls of a patch in the form of apply_patch: it writes and edits
// (spec HRN-6), and deletes if it says so. A patch in which no file can be found keeps
// its arguments as they are, so that what it touches is unknown.
func patched(cli string, input json.RawMessage, patch string, also ...string) []plangate.Call {
	paths, deletes := patchPaths(patch)
	operations := slices.Concat(also, []string{"write_file", "edit_file"})
	if deletes {
		operations = append(operations, "delete_file")
	}
	if len(paths) > 0 {
		if rewritten, err := json.Marshal(map[string]any{"paths": paths, "patch": patch}); err == nil {
			input = rewritten
		}
	}
	return several(cli, input, operations...)
}

// patchPaths returns the files that a patch names.
func patchPaths(patch string) (paths []string, deletes bool) {
	for line := range strings.Lines(patch) {
		for _, mark := range [...]string{"Add File: ", "Update File: ", "Delete File: ", "Move to: "} {
			name, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "*** "+mark)
			if name = strings.TrimSpace(name); !ok || name == "" {
				continue
			}
			deletes = deletes || mark == "Delete File: " || mark == "Move to: "
			if !slices.Contains(paths, name) {
				paths = append(paths, name)
			}
		}
	}
	return paths, deletes
}

// patchText returns the argument that holds a patch, or "".
func patchText(input json.RawMessage, names ...string) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(input, &members) != nil {
		return ""
	}
	for _, name := range names {
		var text string
		if json.Unmarshal(members[name], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// Server and tool of a name that joins both: each way to split it gives a call, because
// a rule about either reading may be meant (spec HRN-8). Servers are those known; if
// they leave one way, that is it.
func mcpCalls(rest, separator string, servers []string, input json.RawMessage) []plangate.Call {
	var all, known []plangate.Call
	for from := 0; ; {
		i := strings.Index(rest[from:], separator)
		if i < 0 {
			break
		}
		at := from + i
		from = at + 1
		server, tool := rest[:at], rest[at+len(separator):]
		if server == "" || tool == "" {
			continue
		}
		all = append(all, stranger(server, tool, input))
		for _, name := range servers {
			if sanitised(name) == server || name == server {
				known = append(known, stranger(name, tool, input))
			}
		}
	}
	if len(known) > 0 {
		return known
	}
	return all
}

// sanitised is how CLIs write a server's name in the name of a tool.
func sanitised(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}

const mcpPrefix = "mcp__"

// doubled returns the calls of a tool spelled mcp__server__tool, or nil.
func doubled(tool string, servers []string, input json.RawMessage) []plangate.Call {
	rest, ok := strings.CutPrefix(tool, mcpPrefix)
	if !ok {
		return nil
	}
	return mcpCalls(rest, "__", servers, input)
}

// resolve returns the calls of a tool: an operation of the CLI's own if it is not "", else
// a tool of an MCP server, else an unknown one.
func resolve(cli, operation string, mcp []plangate.Call, req *Request) []plangate.Call {
	switch {
	case operation != "":
		return []plangate.Call{own(cli, operation, req.Input)}
	case len(mcp) > 0:
		req.MCP = true
		return mcp
	default:
		return []plangate.Call{stranger(cli, req.Tool, req.Input)}
	}
}
