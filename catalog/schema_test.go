package catalog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plangate/plangate/catalog"
)

const draft07 = `"$schema": "http://json-schema.org/draft-07/schema#", `

// TestSchemaFaults finds the first fault of a schema, at its place (spec CAT-7).
func TestSchemaFaults(t *testing.T) {
	const whole = "" // the fault is in the schema as a whole
	tests := []struct{ schema, want string }{
		{`{"type": null}`, `null`},
		{`{"type": []}`, `[]`},
		{`{"type": ["null", "strng"]}`, `"strng"`},
		{`{"type": ["null", 1]}`, `1`},
		{`{"title": null}`, `null`},
		{`{"uniqueItems": 0}`, `0`},
		{`{"minLength": -1}`, `-1`},
		{`{"minLength": 1.5}`, `1.5`},
		{`{"minLength": 1e3}`, `1e3`},
		{`{"minLength": "1"}`, `"1"`},
		{`{"maxLength": 2147483648}`, `2147483648`},
		{`{"maximum": "1"}`, `"1"`},
		{`{"maximum": 1e400}`, `1e400`},
		{`{"const": 1e400}`, `1e400`},
		{`{"multipleOf": 0}`, `0`},
		{`{"enum": {}}`, `{}`},
		{`{"required": null}`, `null`},
		{`{"required": ["a", "b", "a"], "type": 1}`, `"a"`},
		{`{"dependentRequired": []}`, `[]`},
		{`{"dependentRequired": {"a": ["b", 1]}}`, `1`},
		{`{"$vocabulary": {"a": "true"}}`, `"true"`},
		{`{"$vocabulary": []}`, `[]`},

		{`{"not": null}`, `null`},
		{`{"not": {"not": {"not": {"type": "x"}}}}`, `"x"`},
		{`{"not": {"type": "y"}, "type": "x"}`, `"y"`},
		{`{"allOf": {}}`, `{}`},
		{`{"allOf": []}`, `[]`},
		{`{"allOf": [{}, 1]}`, `1`},
		{`{"properties": []}`, `[]`},
		{`{"properties": {"a": {}, "b": null}}`, `null`},
		{`{"patternProperties": {"a": {}, "(": {}}}`, `"("`},
		{`{"patternProperties": {"a": "a"}}`, `"a"`},
		{`{"pattern": "` + strings.Repeat("x", 4097) + `"}`, `"` + strings.Repeat("x", 4097) + `"`},
		{`{"pattern": 1}`, `1`},
		{`{"dependencies": {"a": ["b"], "c": ["d", 1]}}`, `1`},
		{`{"dependencies": {"a": "b"}}`, `"b"`},
		{`{"items": null}`, `null`},
		{`{"items": [{}]}`, `[{}]`},
		{`{` + draft07 + `"items": []}`, `[]`},
		{`{` + draft07 + `"items": [{}, {"type": "x"}]}`, `"x"`},

		{`{"Required": true}`, `"Required"`},
		{`{"not": {"PATTERN": "("}}`, `"PATTERN"`},
		{`{"item\u017f": {}}`, `"item\u017f"`},

		{`{"$schema": 1}`, `1`},
		{`{"$schema": "http://json-schema.org/draft-04/schema#"}`, whole},
		{`{"$schema": "https://json-schema.org/draft/2019-09/schema"}`, whole},
		{`{"$id": "%zz"}`, `"%zz"`},
		{`{"$id": 1}`, `1`},
		{`{"$id": "a#b"}`, `"a#b"`},
		{`{"$id": "` + strings.Repeat("x", 4097) + `"}`, `"` + strings.Repeat("x", 4097) + `"`},
		{`{"$id": "` + strings.Repeat("x", 4096) + `"}`, `"` + strings.Repeat("x", 4096) + `"`},
		{`{"$id": "a", "not": {"$id": "b", "not": {"$id": "/a"}}}`, `"/a"`},
		{`{"$anchor": "1a"}`, `"1a"`},
		{`{"$anchor": "a/b"}`, `"a/b"`},
		{`{"$anchor": ""}`, `""`},
		{`{"$anchor": "a", "not": {"$dynamicAnchor": "\u0061"}}`, `"\u0061"`},
		{`{` + draft07 + `"if": {"$id": "#a"}, "then": {"$id": "#\u0061"}}`, `"#\u0061"`},

		{`{"$ref": 1}`, `1`},
		{`{"$ref": "%zz"}`, `"%zz"`},
		{`{"$ref": "b#/x"}`, whole},
		{`{"$ref": "#x"}`, whole},
		{`{"$ref": "#/not"}`, whole},
		{`{"$ref": "#/~2", "not": {}}`, whole},
		{`{"$ref": "#/required", "required": ["a"]}`, whole},
		{`{"$ref": "#/x", "x": {}}`, whole},
		{`{"$ref": "#/allOf/1", "allOf": [{}]}`, whole},
		{`{"$ref": "#/allOf/00", "allOf": [{}]}`, whole},
		{`{"$ref": "#/allOf/-", "allOf": [{}]}`, whole},
		{`{"$ref": "#/not", "not": {"$ref": "#/else"}}`, `{"$ref": "#/else"}`},
		{`{"then": {"$dynamicRef": "#x"}}`, `{"$dynamicRef": "#x"}`},
		{`{"$anchor": "a", "not": {"$id": "b", "$ref": "#a"}}`, `{"$id": "b", "$ref": "#a"}`},
		{`{` + draft07 + `"$anchor": "a", "not": {"$ref": "#a"}}`, `{"$ref": "#a"}`},
		{`{` + draft07 + `"not": {"$id": "b", "$ref": "#"}, "else": {"$ref": "b"}}`, `{"$ref": "b"}`},

		{`{"$defs": {}, "definitions": {}}`, whole}, // the library has room for one of them
		{`{"not": {"$vocabulary": {}}}`, whole},     // the library takes it at the root only
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%.80s", test.schema), func(t *testing.T) {
			src := jsonSchema(test.schema)
			_, diags := catalog.Parse("a.json", []byte(src))
			if test.want == whole {
				test.want = test.schema
			}
			if diff := cmp.Diff([]finding{{"catalog_schema", test.want}}, findings(src, diags)); diff != "" {
				t.Errorf("findings (-want +got):\n%s\n%v", diff, diags)
			}
		})
	}
}

func TestSchemaWithoutFault(t *testing.T) {
	for _, schema := range []string{
		`{"not": true, "allOf": [false, {}], "properties": {"a": true}, "items": false}`,
		`{"type": ["string", "null"], "minLength": 1.0, "maxLength": 2147483647, "minItems": -0, "multipleOf": 1e-9}`,
		`{"const": null, "default": null, "enum": [], "examples": [null, null]}`,
		`{"properties": {"Type": {}, "PATTERN": {"title": "("}}, "x-Type": 1, "x": {"type": "strng"}}`,
		`{"dependencies": {"a": ["b"], "c": {}, "d": true}, "dependentRequired": {"a": []}}`,
		`{"$vocabulary": {"urn:a": true}}`,

		`{"$schema": "https://json-schema.org/draft/2020-12/schema#"}`,
		`{"$schema": "http://json-schema.org/draft-07/schema", "items": [{}, true]}`,
		`{"$schema": "https://json-schema.org/draft-07/schema#", "items": [{}], "additionalItems": {}}`,
		`{"properties": {"a": {"$schema": "urn:unheard-of"}}}`,

		`{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#"}}}`,
		`{"$ref": "#/$defs/a~1b%20c/allOf/0", "$defs": {"a/b c": {"allOf": [true]}}}`,
		`{"$ref": "catalog:///input_schema#/not", "not": {}}`,
		`{"$ref": "#a", "not": {"$anchor": "a"}}`,
		`{"$ref": "#%61", "not": {"$anchor": "a", "$dynamicAnchor": "a"}}`,
		`{"$dynamicRef": "#a", "$dynamicAnchor": "a"}`,
		`{"$id": "urn:x:y", "$ref": "urn:x:y#a", "not": {"$anchor": "a", "then": {"$id": "z", "$anchor": "a"}}}`,
		`{"$id": "http://x/a/b#", "$ref": "c/d", "not": {"$id": "c/", "not": {"$id": "d"}}}`,
		`{"$id": "catalog:///input_schema"}`,

		`{` + draft07 + `"$ref": "#/definitions/a", "definitions": {"a": {}}}`,
		`{` + draft07 + `"$ref": "#a", "not": {"$id": "#a"}}`,
		`{` + draft07 + `"if": {"$id": "a", "$ref": "#"}, "then": {"$id": "a"}}`,
		`{` + draft07 + `"if": {"$anchor": "a"}, "then": {"$anchor": "a"}}`,
	} {
		t.Run(schema, func(t *testing.T) {
			mustParse(t, "a.json", jsonSchema(schema))
		})
	}
}

// TestSchemaUnreadable says nothing of a schema that has been complained about.
func TestSchemaUnreadable(t *testing.T) {
	src := hclOperation("kind = \"resource\"\n risk = \"low\"\n input_schema = { type = string, required = 1 }")
	_, diags := catalog.Parse("a.hcl", []byte(src))
	if diff := cmp.Diff([]finding{{"catalog_bad_value", "string"}}, findings(src, diags)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// TestRandomSchemas writes the keywords of all drafts with values that fit and
// values that do not. No such schema may do worse than being refused.
func TestRandomSchemas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema, err := json.Marshal(randomSchema(3).Draw(t, "schema"))
		if err != nil {
			t.Fatal(err)
		}
		src := jsonSchema(string(schema))
		c, diags := catalog.Parse("a.json", []byte(src))
		for _, found := range findings(src, diags) {
			if found.Code != "catalog_schema" {
				t.Fatalf("code %s for %s", found.Code, src)
			}
		}
		if again, _ := catalog.Parse("b.json", c.JSON()); !diags.HasErrors() && again.Digest() != c.Digest() {
			t.Fatalf("not read back: %s", src)
		}
	})
}

var (
	keywordWords = []string{
		"$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$ref", "$dynamicRef", "$recursiveRef",
		"$vocabulary", "$comment", "$defs", "definitions", "type", "enum", "const", "properties", "patternProperties",
		"additionalProperties", "propertyNames", "required", "dependencies", "dependentRequired", "dependentSchemas",
		"items", "prefixItems", "additionalItems", "contains", "minContains", "uniqueItems", "allOf", "anyOf", "oneOf",
		"not", "if", "then", "else", "format", "pattern", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
		"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "maxContains",
		"unevaluatedProperties", "unevaluatedItems", "contentEncoding", "contentMediaType", "contentSchema",
		"title", "description", "default", "examples", "readOnly", "writeOnly", "deprecated",
	}
	valueWords = []string{
		"", "#", "#/$defs/path", "#a", "a", "b/c", "path", "paths", "string", "object", "array", "regex", "(", "^a+$", "~", "%zz",
		"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#",
		"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema",
		"file:///etc/hostname", "catalog:///input_schema", "urn:x:y", "://",
	}
)

func randomSchema(depth int) *rapid.Generator[map[string]any] {
	keys := rapid.OneOf(rapid.SampledFrom(keywordWords), rapid.SampledFrom(valueWords))
	return rapid.MapOfN(keys, randomValue(depth), 0, 4)
}

func randomValue(depth int) *rapid.Generator[any] {
	words := rapid.SampledFrom(valueWords).AsAny()
	scalars := rapid.OneOf(words, rapid.Bool().AsAny(), rapid.IntRange(-2, 5).AsAny(), rapid.Just[any](nil), rapid.Just[any](0.0))
	if depth == 0 {
		return scalars
	}
	return rapid.OneOf(scalars, rapid.SliceOfN(randomValue(depth-1), 0, 3).AsAny(), randomSchema(depth-1).AsAny())
}
