package catalog_test

import (
	"encoding/json"
	"net/url"
	"os"
	"path"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/plangate/plangate/catalog"
)

// TestMetaschema holds what is accepted to the metaschema of draft 2020-12, for
// each of its keywords with each of many values: a schema passes if it is valid
// and the library can use it.
func TestMetaschema(t *testing.T) {
	meta := metaschema(t)
	// What the metaschema does not say of these is in TestSchemaFaults.
	apart := []string{"$schema", "$recursiveRef", "$vocabulary", "additionalItems"}
	for _, keyword := range keywordWords {
		if slices.Contains(apart, keyword) {
			continue
		}
		for _, value := range keywordValues {
			text := `{"` + keyword + `":` + value + `}`
			_, diags := catalog.Parse("a.json", []byte(jsonSchema(text)))
			valid := meta.Validate(decode(t, text)) == nil
			if want := valid && usable(text); want == diags.HasErrors() {
				t.Errorf("%s: valid %v, accepted %v: %v", text, valid, !want, diags)
			}
		}
	}
}

var keywordValues = []string{
	`null`, `true`, `false`, `0`, `1`, `-1`, `1.0`, `0.5`, `1e2`, `3000000000`,
	`""`, `"a"`, `"string"`, `"#"`, `"a#b"`, `"("`, `"^a+$"`, `"%zz"`, `"_a.b-c"`, `"é"`,
	`[]`, `[null]`, `[1, 1]`, `["a"]`, `["a", "b"]`, `["a", "a"]`, `["string"]`, `["string", "string"]`,
	`["array", "boolean", "integer", "null", "number", "object", "string"]`, `["array", "any"]`,
	`[{}]`, `[true, {}]`, `[{}, null]`, `[[]]`, `[{"type": "strng"}]`,
	`{}`, `{"a": {}}`, `{"a": true}`, `{"a": null}`, `{"a": 1}`, `{"a": []}`, `{"a": ["b"]}`, `{"a": ["b", "b"]}`, `{"a": ["b", 1]}`,
	`{"(": {}}`, `{"a": {"type": "strng"}}`, `{"type": "string"}`, `{"type": "strng"}`, `{"type": {}}`,
}

func metaschema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	load := func(uri *url.URL) (*jsonschema.Schema, error) {
		text, err := os.ReadFile("testdata/metaschema/" + path.Base(uri.Path) + ".json")
		if err != nil {
			return nil, err
		}
		var schema jsonschema.Schema
		return &schema, json.Unmarshal(text, &schema)
	}
	root, err := load(&url.URL{Path: "schema"})
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := root.Resolve(&jsonschema.ResolveOptions{Loader: load})
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func usable(text string) bool {
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		return false
	}
	_, err := schema.Resolve(&jsonschema.ResolveOptions{BaseURI: "catalog:///input_schema"})
	return err == nil
}

func decode(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}
