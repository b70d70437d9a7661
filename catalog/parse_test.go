package catalog_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
)

// finding is what tests assert of a diagnostic: never its words.
type finding struct {
	Code string
	Text string // what the range covers
}

func findings(src string, diags plangate.Diagnostics) []finding {
	var found []finding
	for _, d := range diags {
		found = append(found, finding{d.Code, src[d.Range.Start.Byte:d.Range.End.Byte]})
	}
	return found
}

// jsonOperation puts the body of one operation into a catalog.
func jsonOperation(body string) string {
	return `{"providers": {"p": {"operations": {"op": ` + body + `}}}}`
}

func jsonSchema(schema string) string {
	return jsonOperation(`{"kind": "data_source", "risk": "read_only", "input_schema": ` + schema + `}`)
}

func jsonRoles(schema, roles string) string {
	return jsonOperation(`{"kind": "resource", "risk": "high", "input_schema": ` + schema + `, "roles": ` + roles + `}`)
}

func hclOperation(body string) string {
	return "provider \"p\" {\n  operation \"op\" {\n    " + body + "\n  }\n}\n"
}

// TestParseFindings refuses what is no catalog (spec CAT-1, CAT-2, CAT-4, CAT-7).
func TestParseFindings(t *testing.T) {
	tests := []struct {
		name string // ends in .json or .hcl
		src  string
		want []finding
	}{
		{"not an object.json", `[]`, []finding{{"catalog_bad_type", `[]`}}},
		{"no providers.json", `{}`, []finding{{"catalog_missing", `{}`}}},
		{"no providers.hcl", `# nothing`, []finding{{"catalog_missing", ``}}},
		{"empty providers.json", `{"providers": {}}`, nil},
		{"empty provider.hcl", `provider "p" {}`, nil},
		{"providers null.json", `{"providers": null}`, []finding{{"catalog_bad_type", `null`}}},
		{"provider not an object.json", `{"providers": {"p": 1}}`, []finding{{"catalog_bad_type", `1`}}},
		{"no operations.json", `{"providers": {"p": {}}}`, []finding{{"catalog_missing", `"p"`}}},
		{"operations not an object.json", `{"providers": {"p": {"operations": []}}}`, []finding{{"catalog_bad_type", `[]`}}},
		{"operation not an object.json", jsonOperation(`"x"`), []finding{{"catalog_bad_type", `"x"`}}},
		{"empty operation name.json", `{"providers": {"p": {"operations": {"": {}}}}}`, []finding{{"catalog_bad_value", `""`}}},
		{"empty operation name.hcl", `provider "p" {
			operation "" {
				kind = "interactive"
				risk = "read_only"
			}
		}`, []finding{{"catalog_bad_value", `operation ""`}}},

		{"unknown top key.json", `{"provider": {}, "providers": {}}`, []finding{{"catalog_unknown_key", `"provider"`}}},
		{"unknown key.json", jsonOperation(`{"knid": "resource", "kind": "resource", "risk": "low"}`), []finding{{"catalog_unknown_key", `"knid"`}}},
		{"unknown key.hcl", hclOperation("kind = \"resource\"\n risk = \"low\"\n rsk = 1"), []finding{{"catalog_unknown_key", `rsk`}}},
		{"unknown top block.hcl", "providr \"p\" {}\nprovider \"q\" {}", []finding{{"catalog_unknown_key", `providr`}}},
		{"unknown top attribute.hcl", "a = 1\nprovider \"q\" {}", []finding{{"catalog_unknown_key", `a`}}},
		{"unknown block.hcl", hclOperation("kind = \"resource\"\n risk = \"low\"\n roles {}"), []finding{{"catalog_unknown_key", `roles`}}},
		{"unknown role.json", jsonRoles(`{}`, `{"paths": []}`), []finding{{"catalog_unknown_key", `"paths"`}}},
		{"no label.hcl", `provider {}`, []finding{{"catalog_syntax", `provider`}}},
		{"two labels.hcl", `provider "a" "b" {}`, []finding{{"catalog_syntax", `provider "a" "b"`}}},

		{"no kind, no risk.json", jsonOperation(`{}`), []finding{{"catalog_missing", `"op"`}, {"catalog_missing", `"op"`}}},
		{"no risk.hcl", hclOperation(`kind = "resource"`), []finding{{"catalog_missing", `operation "op"`}}},
		{"kind not a string.json", jsonOperation(`{"kind": 1, "risk": "low"}`), []finding{{"catalog_bad_type", `1`}}},
		{"kind misspelt.json", jsonOperation(`{"kind": "resorce", "risk": "low"}`), []finding{{"catalog_bad_value", `"resorce"`}}},
		{"kind in capitals.json", jsonOperation(`{"kind": "Resource", "risk": "low"}`), []finding{{"catalog_bad_value", `"Resource"`}}},
		{"kind unspecified.json", jsonOperation(`{"kind": "unspecified", "risk": "low"}`), []finding{{"catalog_bad_value", `"unspecified"`}}},
		{"risk misspelt.hcl", hclOperation("kind = \"resource\"\n risk = \"hgih\""), []finding{{"catalog_bad_value", `"hgih"`}}},
		{"shell unknown.json", jsonOperation(`{"kind": "resource", "risk": "low", "shell": "fish"}`), []finding{{"catalog_bad_value", `"fish"`}}},
		{"description null.json", jsonOperation(`{"kind": "resource", "risk": "low", "description": null}`), []finding{{"catalog_bad_type", `null`}}},
		{"read_only resource.json", jsonOperation(`{"kind": "resource", "risk": "read_only"}`), []finding{{"catalog_kind_risk", `"read_only"`}}},
		{"risky read.json", jsonOperation(`{"kind": "data_source", "risk": "low"}`), []finding{{"catalog_kind_risk", `"low"`}}},
		{"risky dialogue.hcl", hclOperation("kind = \"interactive\"\n risk = \"critical\""), []finding{{"catalog_kind_risk", `"critical"`}}},

		{"key twice.json", `{"providers": {"p": {"operations": {}}, "p": {"operations": {}}}}`, []finding{{"catalog_duplicate", `"p"`}}},
		{"key twice in a schema.json", jsonSchema(`{"type": "object", "type": "object"}`), []finding{{"catalog_duplicate", `"type"`}}},
		{"provider twice.hcl", "provider \"p\" {}\nprovider \"p\" {}", []finding{{"catalog_duplicate", `provider "p"`}}},
		{"key twice.hcl", hclOperation("kind = \"resource\"\n risk = \"low\"\n roles = { path = [], path = [] }"), []finding{{"catalog_duplicate", `path`}}},

		{"variable.hcl", hclOperation("kind = resource\n risk = \"low\""), []finding{{"catalog_bad_value", `resource`}}},
		{"function.hcl", hclOperation("kind = lower(\"RESOURCE\")\n risk = \"low\""), []finding{{"catalog_bad_value", `lower("RESOURCE")`}}},
		{"interpolation.hcl", hclOperation("kind = \"${1}\"\n risk = \"low\""), []finding{{"catalog_bad_value", `"${1}"`}}},
		{"interpolation in a text.hcl", hclOperation("kind = \"re${source}\"\n risk = \"low\""), []finding{{"catalog_bad_value", `"re${source}"`}}},
		{"computed key.hcl", hclOperation("kind = \"resource\"\n risk = \"low\"\n roles = { (1) = [] }"), []finding{{"catalog_bad_value", `(1)`}}},
		{"number key.hcl", hclOperation("kind = \"resource\"\n risk = \"low\"\n roles = { 1 = [] }"), []finding{{"catalog_bad_type", `1`}}},
		{"for expression.hcl", hclOperation("kind = \"resource\"\n risk = \"low\"\n roles = { path = [for i in [1] : i] }"), []finding{{"catalog_bad_value", `[for i in [1] : i]`}}},

		{"trailing comma.json", `{"providers": {},}`, []finding{{"catalog_syntax", `}`}}},
		{"missing comma.json", `{"providers": {} "x": 1}`, []finding{{"catalog_syntax", `"`}}},
		{"half written.json", `{"providers": {"p": `, []finding{{"catalog_syntax", ``}}},
		{"half written.hcl", `provider "p" {`, []finding{{"syntax", `{`}}},
		{"half a string.json", `{"providers": {"p`, []finding{{"catalog_syntax", `"`}}},
		{"two values.json", `{"providers": {}} {}`, []finding{{"catalog_syntax", `{`}}},
		{"white space only.json", "  \n", []finding{{"catalog_syntax", ``}}},
		{"key is a number.json", `{1: 2}`, []finding{{"catalog_syntax", `1`}}},
		{"bare word.json", `{"providers": nope}`, []finding{{"catalog_syntax", `n`}}},

		{"schema not an object.json", jsonSchema(`true`), []finding{{"catalog_bad_type", `true`}}},
		{"schema with an unknown type.json", jsonSchema(`{"properties": {"a": {"type": "strng"}}}`), []finding{{"catalog_schema", `"strng"`}}},
		{"schema with a bad item.json", jsonSchema(`{"required": ["a", 2]}`), []finding{{"catalog_schema", `2`}}},
		{"schema with a bad pattern.json", jsonSchema(`{"properties": {"a": {"pattern": "("}}}`), []finding{{"catalog_schema", `"("`}}},
		{"schema with a huge repetition.json", jsonSchema(`{"properties": {"a": {"pattern": "((a{1000}){1000}){1000}"}}}`), []finding{{"catalog_schema", `"((a{1000}){1000}){1000}"`}}},
		{"schema from a file.json", jsonSchema(`{"$ref": "file:///etc/hostname"}`), []finding{{"catalog_schema", `{"$ref": "file:///etc/hostname"}`}}},
		{"schema from a server.json", jsonSchema(`{"$ref": "http://localhost/x"}`), []finding{{"catalog_schema", `{"$ref": "http://localhost/x"}`}}},
		{"schema with a foreign metaschema.json", jsonSchema(`{"$schema": "http://localhost/x"}`), []finding{{"catalog_schema", `{"$schema": "http://localhost/x"}`}}},
		{"schema with a dangling reference.json", jsonSchema(`{"$ref": "#/$defs/x"}`), []finding{{"catalog_schema", `{"$ref": "#/$defs/x"}`}}},
		{"schema with a huge number.json", jsonSchema(`{"maximum": 1e999999999}`), []finding{{"catalog_schema", `1e999999999`}}},
		{"schema with a long number.json", jsonSchema(`{"maximum": ` + strings.Repeat("9", 41) + `}`), []finding{{"catalog_schema", strings.Repeat("9", 41)}}},
		{"schema in draft 7.json", jsonSchema(`{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {}}`), nil},
		{"schema that refers to itself.json", jsonSchema(`{"properties": {"a": {"$ref": "#"}}}`), nil},
		{"schema.hcl", hclOperation("kind = \"resource\"\n risk = \"low\"\n input_schema = { type = \"objct\" }"), []finding{{"catalog_schema", `"objct"`}}},

		{"roles not an object.json", jsonRoles(`{}`, `[]`), []finding{{"catalog_bad_type", `[]`}}},
		{"role not a list.json", jsonRoles(`{}`, `{"path": "/path"}`), []finding{{"catalog_bad_type", `"/path"`}}},
		{"pointer not a string.json", jsonRoles(`{}`, `{"path": [1]}`), []finding{{"catalog_bad_type", `1`}}},
		{"pointer without slash.json", jsonRoles(`{}`, `{"path": ["path", "/ok"]}`), []finding{{"catalog_role", `"path"`}}},
		{"pointer to the whole input.json", jsonRoles(`{}`, `{"path": [""]}`), []finding{{"catalog_role", `""`}}},
		{"pointer with a bad escape.json", jsonRoles(`{}`, `{"path": ["/a~2b"]}`), []finding{{"catalog_role", `"/a~2b"`}}},
		{"pointer with a tilde at its end.json", jsonRoles(`{}`, `{"path": ["/a~"]}`), []finding{{"catalog_role", `"/a~"`}}},
		{"pointer into a closed schema.json", jsonRoles(`{"properties": {"a": {}}, "additionalProperties": false}`, `{"path": ["/b", "/a"]}`), []finding{{"catalog_role", `"/b"`}}},
		{"pointer into an open schema.json", jsonRoles(`{"properties": {"a": {}}}`, `{"path": ["/b"]}`), nil},
		{"pointer into patterns.json", jsonRoles(`{"patternProperties": {"^b": {}}, "additionalProperties": false}`, `{"path": ["/b"]}`), nil},
		{"pointer into a text.json", jsonRoles(`{"properties": {"a": {"type": "string"}}}`, `{"path": ["/a/b", "/a/*"]}`), []finding{{"catalog_role", `"/a/b"`}, {"catalog_role", `"/a/*"`}}},
		{"pointer into items.json", jsonRoles(`{"properties": {"a": {"items": {"properties": {"b": {}}, "additionalProperties": false}}}}`, `{"path": ["/a/*/b", "/a/*/c"]}`), []finding{{"catalog_role", `"/a/*/c"`}}},
		{"role.hcl", hclOperation("kind = \"resource\"\n risk = \"low\"\n roles = { url = [\"x\"] }"), []finding{{"catalog_role", `"x"`}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, diags := catalog.Parse(test.name, []byte(test.src))
			if diff := cmp.Diff(test.want, findings(test.src, diags)); diff != "" {
				t.Errorf("findings (-want +got):\n%s\n%v", diff, diags)
			}
		})
	}
}

func TestRangesCountLinesAndColumns(t *testing.T) {
	src := "{\"providers\": {\r\n  \"p\": {\"operations\": {\n    \"e\u0301e\u0301\": {\"kind\": 1, \"risk\": \"low\"}}}}}"
	_, diags := catalog.Parse("a.json", []byte(src))
	want := plangate.Range{
		File:  "a.json",
		Start: plangate.Pos{Line: 3, Column: 20, Byte: strings.Index(src, "1,")},
		End:   plangate.Pos{Line: 3, Column: 21, Byte: strings.Index(src, "1,") + 1},
	}
	if len(diags) != 1 || diags[0].Range != want {
		t.Errorf("got %v, want one at %v", diags, want)
	}
}

func TestSuggestions(t *testing.T) {
	_, diags := catalog.Parse("a.json", []byte(jsonOperation(`{"kind": "resource", "risk": "low", "role": {}}`)))
	if len(diags) != 1 || !strings.Contains(diags[0].Detail, `"roles"`) {
		t.Errorf("got %v, want a suggestion of roles", diags)
	}
}

func TestDuplicateNamesBothPlaces(t *testing.T) {
	_, diags := catalog.Parse("a.hcl", []byte("provider \"p\" {}\n\nprovider \"p\" {}\n"))
	if len(diags) != 1 || diags[0].Range.Start.Line != 3 || len(diags[0].Related) != 1 || diags[0].Related[0].Range.Start.Line != 1 {
		t.Errorf("got %v, want line 3 with related line 1", diags)
	}
}

// TestBothForms holds the HCL form to the JSON form (spec CAT-1).
func TestBothForms(t *testing.T) {
	fromJSON := mustParse(t, "a.json", `{"providers": {"files": {"operations": {
		"write": {"kind": "resource", "risk": "moderate", "description": "two\nlines", "shell": "none",
			"input_schema": {"type": "object", "properties": {"to": {"type": "string", "minLength": 1}, "n": {"minimum": -0.5}}, "additionalProperties": false},
			"roles": {"path": ["/to"]}},
		"ask": {"kind": "interactive", "risk": "read_only"}}}}}`)
	fromHCL := mustParse(t, "a.hcl", `
		provider "files" {
		  operation "write" {
		    kind         = "resource"
		    risk         = "moderate"
		    description  = "two\nlines"
		    shell        = "none"
		    roles        = { path = ["/to"] }
		    input_schema = {
		      type                   = "object"
		      "additionalProperties" = false
		      properties             = { to = { type = "string", minLength = 01 }, n = { minimum = -0.5 } }
		    }
		  }
		  operation "ask" {
		    kind = "interactive"
		    risk = "read_only"
		  }
		}`)
	if diff := cmp.Diff(string(fromJSON.JSON()), string(fromHCL.JSON())); diff != "" {
		t.Errorf("the two forms differ (-json +hcl):\n%s", diff)
	}
	if fromJSON.Digest() != fromHCL.Digest() {
		t.Error("digests differ")
	}
}

// TestNamesKeepTheirBytes looks for names that differ in normal form only (spec CAT-3).
func TestNamesKeepTheirBytes(t *testing.T) {
	decomposed, composed := "e\u0301", "\u00e9"
	for name, src := range map[string]string{
		"a.json": `{"providers": {"p": {"operations": {"` + decomposed + `": {"kind": "interactive", "risk": "read_only"}}}}}`,
		"a.hcl":  "provider \"p\" {\n operation \"" + decomposed + "\" {\n kind = \"interactive\"\n risk = \"read_only\"\n }\n}",
	} {
		c := mustParse(t, name, src)
		if _, ok := c.Find("p", decomposed); !ok {
			t.Errorf("%s: the name was normalised", name)
		}
		if _, ok := c.Find("p", composed); ok {
			t.Errorf("%s: the normalised name is found too", name)
		}
	}
}

func TestFind(t *testing.T) {
	c := mustParse(t, "catalog.json", readExample(t))
	op, ok := c.Find("filesystem", "write_file")
	if !ok || op.Kind != plangate.Resource || op.Risk != plangate.Moderate {
		t.Errorf("write_file: got %+v, %v", op, ok)
	}
	for _, name := range []string{"Write_file", "write_fil", "", "write_file "} {
		if _, ok := c.Find("filesystem", name); ok {
			t.Errorf("%q was found", name)
		}
	}
	if _, ok := new(catalog.Catalog).Find("", ""); ok {
		t.Error("found something in an empty catalog")
	}
}

func TestAllCanStop(t *testing.T) {
	seen := 0
	for op := range mustParse(t, "catalog.json", readExample(t)).All() {
		if seen++; op.Name == "" || seen == 2 {
			break
		}
	}
	if seen != 2 {
		t.Errorf("saw %d operations, want 2", seen)
	}
}

func TestNames(t *testing.T) {
	c := mustParse(t, "catalog.json", readExample(t))
	want := []string{"agents", "filesystem", "shell", "tasks", "ui", "web"}
	if diff := cmp.Diff(want, c.Providers()); diff != "" {
		t.Errorf("providers (-want +got):\n%s", diff)
	}
	if names := c.OperationNames(); len(names) != c.Len() || names[0] != "ask_user" {
		t.Errorf("operation names: got %q, want %d", names, c.Len())
	}
}

func TestExampleIsCanonicallyRead(t *testing.T) {
	c := mustParse(t, "catalog.json", readExample(t))
	again := mustParse(t, "again.json", string(c.JSON()))
	if diff := cmp.Diff(string(c.JSON()), string(again.JSON())); diff != "" {
		t.Errorf("reading what was written (-first +second):\n%s", diff)
	}
	if c.Len() != 13 {
		t.Errorf("got %d operations, want 13", c.Len())
	}
}

func mustParse(t *testing.T, name, src string) *catalog.Catalog {
	t.Helper()
	c, diags := catalog.Parse(name, []byte(src))
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

func readExample(t *testing.T) string {
	t.Helper()
	src, err := os.ReadFile("../examples/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

func ExampleParse() {
	c, diags := catalog.Parse("catalog.hcl", []byte(`
provider "filesystem" {
  operation "write_file" {
    kind        = "resource"
    risk        = "moderate"
    description = "Create or overwrite a file."
    roles       = { path = ["/path"] }
  }
}
`))
	if diags.HasErrors() {
		fmt.Println(diags)
		return
	}
	op, _ := c.Find("filesystem", "write_file")
	fmt.Println(op.Kind, op.Risk, op.Roles.Path)
	// Output: resource moderate [/path]
}
