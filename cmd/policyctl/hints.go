package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/plangate/plangate"
)

// hintImport says what to do with files that are no catalogs but lists of tools
// as an MCP server sends them.
func (w *world) hintImport(texts *catalogTexts) {
	for _, name := range slices.Sorted(maps.Keys(texts.sources)) {
		if isToolList(texts.sources[name]) {
			fmt.Fprintf(w.stderr, "policyctl: %s looks like the result of an MCP tools/list request; make a catalog of it first:\n"+
				"  policyctl catalog import --mcp %s --provider NAME > NAME.catalog.json\n", escape(name), escape(shellWord(name)))
		}
	}
}

// isToolList reports whether text is a tools/list result, bare or in its
// JSON-RPC envelope.
func isToolList(text []byte) bool {
	type list struct{ Tools []json.RawMessage }
	var answer struct {
		list
		Result list
	}
	return json.Unmarshal(text, &answer) == nil && (answer.Tools != nil || answer.Result.Tools != nil)
}

// hintTrust names the flag that the finding about annotations, which does not
// know this program, can only describe.
func (w *world) hintTrust(diags plangate.Diagnostics) {
	untrusted := func(d *plangate.Diagnostic) bool { return d.Code == "mcp_untrusted_annotation" }
	if slices.ContainsFunc(diags, untrusted) {
		fmt.Fprintln(w.stderr, "policyctl: to believe what the server says of its tools, give --trust-annotations")
	}
}
