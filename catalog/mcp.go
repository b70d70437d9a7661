package catalog

import (
	"fmt"

	"github.com/plangate/plangate"
)

// Server says whose tools/list result is read.
type Server struct {
	Provider string // the name that calls give as provider
	Trust    Trust
}

// Trust says how far a server's annotations of its own tools are believed.
type Trust uint8

// The degrees of trust; the zero value believes nothing.
const (
	// Untrusted makes every tool a resource of high risk.
	Untrusted Trust = iota
	// TrustAnnotations takes kind and risk from the annotations (spec MCP-3).
	// It hands the server the power to let its own tools run unasked.
	TrustAnnotations
)

// ParseMCP reads the result of an MCP tools/list request, bare or in its
// JSON-RPC envelope. Roles are guessed from argument names. The file name
// stands in ranges only.
func ParseMCP(name string, server Server, src []byte) (*Catalog, plangate.Diagnostics) {
	m := mcpReader{decoder: decoder{report: &report{file: name}}, server: server}
	if root := readJSON(m.report, src); root != nil {
		m.list(root)
	}
	return m.finish()
}

type mcpReader struct {
	decoder
	server  Server
	names   []member // of the tools, values unset
	bare    []plangate.Range
	doubted []plangate.Range
}

func (m *mcpReader) list(root *node) {
	if !m.want(object, root, "A tools/list result") {
		return
	}
	result := root
	if inner := root.get("result"); inner != nil && inner.typ == object {
		result = inner
	}
	tools := result.get("tools")
	if tools == nil {
		m.error(codeMissing, result.rng, "No tools", `The result of a tools/list request has the key "tools". Save the answer to that request, whole.`)
		return
	}
	if m.want(array, tools, "tools") {
		for _, tool := range tools.items {
			m.tool(tool)
		}
	}
	m.unique(m.names)
	m.partial(result)
	m.summaries()
}

func (m *mcpReader) tool(n *node) {
	if !m.want(object, n, "A tool") {
		return
	}
	name := n.get("name")
	if name == nil {
		m.missing(n.rng, "A tool", "name")
		return
	}
	if !m.want(text, name, "A tool's name") {
		return
	}
	if name.text == "" {
		m.error(codeValue, name.rng, "Empty name", "A tool must have a name.")
		return
	}
	m.names = append(m.names, member{name: name.text, nameRange: name.rng})
	op := Operation{Provider: m.server.Provider, Name: name.text, Range: name.rng, Shell: defaultShell}
	if description := set(n, "description"); description != nil && m.want(text, description, "description") {
		op.Description = description.text
	}
	m.classify(&op, set(n, "annotations"))
	op.Roles = defaultRoles(shapeOf(m.schema(&op, set(n, "inputSchema", "input_schema"))))
	m.operations = append(m.operations, op)
}

// set returns the first member of one of the names that is not null, or nil.
func set(n *node, names ...string) *node {
	for _, name := range names {
		if value := n.get(name); value != nil && value.typ != null {
			return value
		}
	}
	return nil
}

// classify gives a tool its kind and risk (spec MCP-2, MCP-3). What is not
// said clearly counts as the worse.
func (m *mcpReader) classify(op *Operation, annotations *node) {
	op.Kind, op.Risk = plangate.Resource, plangate.High
	if annotations == nil || !m.annotations(annotations) {
		m.bare = append(m.bare, op.Range)
		return
	}
	readOnly := m.hint(annotations, "readOnlyHint", "read_only_hint")
	destructive := m.hint(annotations, "destructiveHint", "destructive_hint")
	switch {
	case readOnly == unsaid && destructive == unsaid:
		m.bare = append(m.bare, op.Range)
	case readOnly == yes && destructive == yes:
		m.warning(codeBadAnnotation, annotations.rng, "Contradictory annotations",
			fmt.Sprintf("Tool %q says that it only reads and that it destroys. It counts as a resource of high risk.", op.Name))
	case readOnly != yes && destructive != no:
	case m.server.Trust != TrustAnnotations:
		m.doubted = append(m.doubted, op.Range)
	case readOnly == yes && destructive != garbled:
		op.Kind, op.Risk = plangate.DataSource, plangate.ReadOnly
	case destructive == no:
		op.Risk = plangate.Moderate
	}
}

func (m *mcpReader) annotations(n *node) bool {
	if n.typ != object {
		m.warning(codeBadAnnotation, n.rng, "Annotations are not an object",
			fmt.Sprintf("They are %s and say nothing.", n.typ))
	}
	return n.typ == object
}

// hint is what a tool says of itself.
type hint uint8

const (
	unsaid  hint = iota
	yes          // exactly true
	no           // exactly false
	garbled      // not a boolean, or different in its two spellings
)

// hint reads an annotation that goes by several names.
func (m *mcpReader) hint(annotations *node, names ...string) hint {
	result := unsaid
	for _, name := range names {
		value := set(annotations, name)
		if value == nil {
			continue
		}
		says := hintOf(value)
		if says == garbled || (result != unsaid && says != result) {
			m.warning(codeBadAnnotation, value.rng, "Unclear annotation",
				fmt.Sprintf("%s must be true or false and the same in each spelling. It counts as the worse of the two.", name))
			says = garbled
		}
		result = says
	}
	return result
}

func hintOf(n *node) hint {
	switch {
	case n.typ != boolean:
		return garbled
	case n.truth:
		return yes
	default:
		return no
	}
}

func (m *mcpReader) partial(result *node) {
	cursor := set(result, "nextCursor", "next_cursor")
	if cursor != nil && (cursor.typ != text || cursor.text != "") {
		m.warning(codePartial, cursor.rng, "The list goes on",
			"This is one page of the server's tools. Fetch the rest with the cursor and merge the pages.")
	}
}

func (m *mcpReader) summaries() {
	m.summary(codeNoAnnotations, m.bare, "without annotations",
		"They count as resources of high risk. If you know better, state kind and risk in a catalog of your own.")
	m.summary(codeUntrusted, m.doubted, "with claims that are not believed",
		"A server that is not trusted cannot make its own tools harmless: they count as resources of high risk. State kind and risk in a catalog of your own, or trust the server's annotations.")
}

func (m *mcpReader) summary(code string, tools []plangate.Range, what, detail string) {
	if len(tools) == 0 {
		return
	}
	related := make([]plangate.Related, len(tools)-1)
	for i, tool := range tools[1:] {
		related[i] = plangate.Related{Message: "and this one", Range: tool}
	}
	m.add(&plangate.Diagnostic{
		Severity: plangate.SeverityWarning,
		Code:     code,
		Range:    tools[0],
		Summary:  fmt.Sprintf("Tools %s: %d", what, len(tools)),
		Detail:   detail,
		Related:  related,
	})
}
