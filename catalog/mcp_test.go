package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
)

// TestAnnotations holds both degrees of trust to what a tool says of itself
// (spec MCP-2, MCP-3, MCP-4).
func TestAnnotations(t *testing.T) {
	high, moderate, read := "resource/high", "resource/moderate", "data_source/read_only"
	tests := []struct {
		annotations string
		trusted     string
		code        string // of the one warning, when trusted
	}{
		{`null`, high, "mcp_no_annotations"},
		{`{}`, high, "mcp_no_annotations"},
		{`{"title": "x", "openWorldHint": false}`, high, "mcp_no_annotations"},
		{`{"readOnlyHint": true}`, read, ""},
		{`{"read_only_hint": true}`, read, ""},
		{`{"readOnlyHint": true, "read_only_hint": true}`, read, ""},
		{`{"readOnlyHint": true, "read_only_hint": false}`, high, "mcp_bad_annotation"},
		{`{"readOnlyHint": false, "read_only_hint": true}`, high, "mcp_bad_annotation"},
		{`{"readOnlyHint": "true"}`, high, "mcp_bad_annotation"},
		{`{"readOnlyHint": 1}`, high, "mcp_bad_annotation"},
		{`{"readOnlyHint": null}`, high, "mcp_no_annotations"},
		{`{"readOnlyHint": null, "destructiveHint": false}`, moderate, ""},
		{`{"readonlyhint": true}`, high, "mcp_no_annotations"},
		{`{"readOnlyHint": false}`, high, ""},
		{`{"readOnlyHint": false, "destructiveHint": false}`, moderate, ""},
		{`{"destructiveHint": false}`, moderate, ""},
		{`{"destructive_hint": false}`, moderate, ""},
		{`{"destructiveHint": false, "destructive_hint": true}`, high, "mcp_bad_annotation"},
		{`{"destructiveHint": "false"}`, high, "mcp_bad_annotation"},
		{`{"destructiveHint": true}`, high, ""},
		{`{"readOnlyHint": true, "destructiveHint": false}`, read, ""},
		{`{"readOnlyHint": true, "destructiveHint": true}`, high, "mcp_bad_annotation"},
		{`{"readOnlyHint": true, "destructiveHint": 0}`, high, "mcp_bad_annotation"},
		{`"readOnly"`, high, "mcp_bad_annotation"},
	}
	for _, test := range tests {
		t.Run(test.annotations, func(t *testing.T) {
			src := `{"tools": [{"name": "get_and_delete", "annotations": ` + test.annotations + `}]}`
			if got, _ := classify(t, catalog.Untrusted, src); got != high {
				t.Errorf("untrusted: got %s, want %s", got, high)
			}
			got, codes := classify(t, catalog.TrustAnnotations, src)
			if got != test.trusted {
				t.Errorf("trusted: got %s, want %s", got, test.trusted)
			}
			if !strings.Contains(codes, test.code) || (test.code == "") != (codes == "") {
				t.Errorf("trusted: got codes %q, want %q", codes, test.code)
			}
		})
	}
}

// classify returns kind and risk of the one tool, and the codes of the findings.
func classify(t *testing.T, trust catalog.Trust, src string) (class, codes string) {
	t.Helper()
	c, diags := catalog.ParseMCP("tools.json", catalog.Server{Provider: "srv", Trust: trust}, []byte(src))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	op, ok := c.Find("srv", "get_and_delete")
	if !ok {
		t.Fatal("the tool is missing")
	}
	for _, d := range diags {
		codes += d.Code + " "
	}
	return fmt.Sprintf("%s/%s", op.Kind, op.Risk), codes
}

func TestMCPFindings(t *testing.T) {
	tests := []struct {
		name string
		src  string
		want []finding
	}{
		{"not an object", `[]`, []finding{{"catalog_bad_type", `[]`}}},
		{"an error answer", `{"jsonrpc": "2.0", "id": 1, "error": {"code": 1}}`, []finding{{"catalog_missing", `{"jsonrpc": "2.0", "id": 1, "error": {"code": 1}}`}}},
		{"no tools in the envelope", `{"result": {}}`, []finding{{"catalog_missing", `{}`}}},
		{"tools not an array", `{"tools": {}}`, []finding{{"catalog_bad_type", `{}`}}},
		{"no tools", `{"tools": []}`, nil},
		{"tool not an object", `{"tools": [1]}`, []finding{{"catalog_bad_type", `1`}}},
		{"no name", `{"tools": [{}]}`, []finding{{"catalog_missing", `{}`}}},
		{"name not a string", `{"tools": [{"name": 1}]}`, []finding{{"catalog_bad_type", `1`}}},
		{"empty name", `{"tools": [{"name": ""}]}`, []finding{{"catalog_bad_value", `""`}}},
		{"description not a string", `{"tools": [{"name": "a", "description": 1}]}`, []finding{{"mcp_no_annotations", `"a"`}, {"catalog_bad_type", `1`}}},
		{"name twice", `{"tools": [{"name": "a"}, {"name": "a"}]}`, []finding{{"mcp_no_annotations", `"a"`}, {"catalog_duplicate", `"a"`}}},
		{"key twice", `{"tools": [], "tools": []}`, []finding{{"catalog_duplicate", `"tools"`}}},
		{"bad schema", `{"tools": [{"name": "a", "inputSchema": {"type": 1}}]}`, []finding{{"mcp_no_annotations", `"a"`}, {"catalog_schema", `1`}}},
		{"schema not an object", `{"tools": [{"name": "a", "inputSchema": []}]}`, []finding{{"mcp_no_annotations", `"a"`}, {"catalog_bad_type", `[]`}}},
		{"one page", `{"tools": [], "nextCursor": "x"}`, []finding{{"mcp_partial", `"x"`}}},
		{"last page", `{"tools": [], "nextCursor": null}`, nil},
		{"one page in an envelope", `{"result": {"tools": [], "nextCursor": "x"}}`, []finding{{"mcp_partial", `"x"`}}},
		{"claims", `{"tools": [{"name": "a", "annotations": {"readOnlyHint": true}}, {"name": "b", "annotations": {"destructiveHint": false}}]}`, []finding{{"mcp_untrusted_annotation", `"a"`}}},
		{"half written", `{"tools": [`, []finding{{"catalog_syntax", ``}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, diags := catalog.ParseMCP("tools", catalog.Server{Provider: "srv"}, []byte(test.src))
			if diff := cmp.Diff(test.want, findings(test.src, diags)); diff != "" {
				t.Errorf("findings (-want +got):\n%s\n%v", diff, diags)
			}
		})
	}
}

func TestMCPSummaryNamesEveryTool(t *testing.T) {
	_, diags := catalog.ParseMCP("tools.json", catalog.Server{}, []byte(`{"tools": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}`))
	if len(diags) != 1 || diags[0].Severity != plangate.SeverityWarning || len(diags[0].Related) != 2 {
		t.Errorf("got %v, want one warning with two related places", diags)
	}
}

// TestMCPResult reads a whole answer, with what a real server sends besides
// (spec MCP-1).
func TestMCPResult(t *testing.T) {
	const src = `{"jsonrpc": "2.0", "id": 2, "result": {"tools": [
		{"name": "fetch", "title": "Fetch", "description": "Gets <a> page & more", "icons": [],
		 "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"], "$schema": "http://json-schema.org/draft-07/schema#"},
		 "outputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "openWorldHint": true}, "_meta": {"x": 1}}
	]}}`
	c, diags := catalog.ParseMCP("tools.json", catalog.Server{Provider: "web", Trust: catalog.TrustAnnotations}, []byte(src))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	want := mustParse(t, "want.json", `{"providers": {"web": {"operations": {"fetch": {
		"kind": "data_source", "risk": "read_only", "description": "Gets <a> page & more",
		"input_schema": {"$schema": "http://json-schema.org/draft-07/schema#", "required": ["url"], "properties": {"url": {"type": "string"}}, "type": "object"},
		"roles": {"url": ["/url"]}}}}}}`)
	if diff := cmp.Diff(string(want.JSON()), string(c.JSON())); diff != "" {
		t.Errorf("catalog (-want +got):\n%s", diff)
	}
}
