package catalog_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/plangate/plangate/catalog"
)

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
		"not", "if", "then", "else", "format", "pattern", "minLength", "maximum", "exclusiveMaximum", "multipleOf",
		"unevaluatedProperties", "unevaluatedItems", "contentEncoding", "contentMediaType", "contentSchema", "default",
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
