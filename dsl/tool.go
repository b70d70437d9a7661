package dsl

import (
	"strings"
	"unicode"
)

const mcpPrefix = "mcp__"

// mcpName is one way to read mcp__SERVER__TOOL.
type mcpName struct{ server, tool string }

// mcpSplits returns every way to split an MCP tool name (spec DEC-6).
func mcpSplits(name string) (ways []mcpName) {
	rest, found := strings.CutPrefix(name, mcpPrefix)
	if !found {
		return nil
	}
	for i := 1; i+2 < len(rest); i++ {
		if rest[i:i+2] == "__" {
			ways = append(ways, mcpName{rest[:i], rest[i+2:]})
		}
	}
	return ways
}

// toolName checks an entry of allowed_tools and deny_tools, which is an exact
// name: a pattern that nobody expands would allow or deny nothing (spec LNG-32).
func (p *parser) toolName(s Lit[string]) bool {
	switch {
	case strings.Contains(s.Value, "("):
		bare, _, _ := strings.Cut(s.Value, "(")
		p.error(codeToolNameRule, s.Range, "A rule, not a tool",
			quote(s.Value)+" is a permission rule, not a tool name. List the bare tool "+quote(strings.TrimSpace(bare))+
				", and write a policy with a command or path for the rest.")
	case strings.HasPrefix(s.Value, mcpPrefix):
		return p.mcpToolName(s)
	case !isToolName(s.Value):
		p.error(codeToolName, s.Range, "Not a tool name",
			quote(s.Value)+" is not a tool name. An entry is an exact name: a letter, then letters, digits, _ and -; no patterns."+
				otherSpelling(s.Value))
	default:
		return true
	}
	return false
}

// otherSpelling tells how to list what is written as PROVIDER.OPERATION elsewhere.
func otherSpelling(name string) string {
	provider, operation, found := strings.Cut(name, ".")
	if !found || !isToolName(operation) || len(mcpSplits(mcpPrefix+provider+"__"+operation)) != 1 {
		return ""
	}
	return " Write " + quote(operation) + ", or " + quote(mcpPrefix+provider+"__"+operation) + " for that provider alone."
}

func (p *parser) mcpToolName(s Lit[string]) bool {
	ways := mcpSplits(s.Value)
	plain := strings.IndexFunc(s.Value, func(c rune) bool {
		return strings.ContainsRune("*?[]{}),", c) || !unicode.IsGraphic(c) || unicode.IsSpace(c)
	}) < 0
	if len(ways) == 1 && plain {
		return true
	}
	detail := quote(s.Value) + " is not an exact MCP tool name. Write mcp__SERVER__TOOL, one entry for each tool."
	if len(ways) > 1 {
		detail = quote(s.Value) + " can be split into server and tool in several ways. " +
			"Use a policy that names provider and operation instead."
	}
	p.error(codeToolNameMCP, s.Range, "Not an exact MCP tool name", detail)
	return false
}

func isToolName(name string) bool {
	for i, c := range []byte(name) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c != '_' && c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return name != ""
}
