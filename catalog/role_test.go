package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate/catalog"
)

// TestDefaultRoles finds arguments by their names (spec CAT-5, CAT-6).
func TestDefaultRoles(t *testing.T) {
	const required = `"kind": "resource", "risk": "high"`
	all := catalog.Roles{
		Command: []string{"/cmd", "/command", "/script"},
		Path:    []string{"/file_path", "/notebook_path", "/path", "/paths/*"},
		URL:     []string{"/uri", "/url"},
		Cwd:     []string{"/cwd", "/workdir", "/working_directory"},
	}
	path := func(pointers ...string) catalog.Roles { return catalog.Roles{Path: pointers} }
	tests := []struct {
		name string
		body string
		want catalog.Roles
	}{
		{"no schema: all names", `{}`, all},
		{"schema that names nothing", `{"input_schema": {"type": "object"}}`, all},
		{"closed schema that names nothing", `{"input_schema": {"additionalProperties": false}}`, catalog.Roles{}},
		{"schema of something else", `{"input_schema": {"properties": {"query": {}}}}`, catalog.Roles{}},
		{"names of the schema", `{"input_schema": {"properties": {"cmd": {}, "url": {}, "other": {}}}}`,
			catalog.Roles{Command: []string{"/cmd"}, URL: []string{"/url"}}},
		{"names count in their own case", `{"input_schema": {"properties": {"Path": {}, "filePath": {}}}}`, catalog.Roles{}},
		{"text", `{"input_schema": {"properties": {"path": {"type": "string"}}}}`, path("/path")},
		{"array", `{"input_schema": {"properties": {"path": {"type": "array"}}}}`, path("/path/*")},
		{"text or array", `{"input_schema": {"properties": {"path": {"type": ["string", "array"]}}}}`, path("/path", "/path/*")},
		{"neither", `{"input_schema": {"properties": {"path": {"type": "integer"}}}}`, catalog.Roles{}},
		{"paths", `{"input_schema": {"properties": {"paths": {}}}}`, path("/paths/*")},
		{"paths that is a text", `{"input_schema": {"properties": {"paths": {"type": "string"}}}}`, path("/paths")},
		{"optional array", `{"input_schema": {"properties": {"paths": {"anyOf": [{"type": "array"}, {"type": "null"}]}}}}`, path("/paths/*")},
		{"reference", `{"input_schema": {"properties": {"path": {"$ref": "#/$defs/list"}}, "$defs": {"list": {"type": "array"}}}}`, path("/path/*")},
		{"reference to an anchor says nothing", `{"input_schema": {"properties": {"path": {"$ref": "#list"}}, "$defs": {"list": {"$anchor": "list", "type": "array"}}}}`, path("/path")},
		{"reference to itself", `{"input_schema": {"properties": {"path": {"anyOf": [{"$ref": "#/properties/path"}, {"type": "array"}]}}}}`, path("/path/*")},
		{"names in alternatives", `{"input_schema": {"oneOf": [{"properties": {"path": {"type": "string"}}}, {"properties": {"path": {"type": "array"}}}]}}`, path("/path", "/path/*")},
		{"names behind a reference", `{"input_schema": {"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"path": {}}}}}}`, path("/path")},
		{"a command in an array is not split", `{"input_schema": {"properties": {"command": {"type": "array"}}}}`, catalog.Roles{Command: []string{"/command"}}},
		{"declared roles replace the conventional", `{"roles": {"url": ["/link"]}}`, catalog.Roles{URL: []string{"/link"}}},
		{"declared to have none", `{"roles": {}}`, catalog.Roles{}},
		{"declared roles are sorted and unique", `{"roles": {"path": ["/b", "/a", "/b"]}}`, path("/a", "/b")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body := "{" + required + "}"
			if test.body != "{}" {
				body = "{" + required + ", " + test.body[1:]
			}
			c := mustParse(t, "a.json", jsonOperation(body))
			op, _ := c.Find("p", "op")
			if diff := cmp.Diff(test.want, op.Roles); diff != "" {
				t.Errorf("roles (-want +got):\n%s", diff)
			}
			again := mustParse(t, "b.json", string(c.JSON()))
			if c.Digest() != again.Digest() {
				t.Errorf("another reading gives other roles:\n%s", again.JSON())
			}
		})
	}
}
