package catalog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
)

// TestHostileBytes feeds what is no catalog to both parsers: an error with a
// place in the file, and no more.
func TestHostileBytes(t *testing.T) {
	deep := 200_000
	tests := map[string]string{
		"empty":         "",
		"NUL":           "{\"providers\":\x00{}}",
		"not UTF-8":     "{\"providers\": {\"\xff\": {}}}",
		"UTF-16":        "{\x00}\x00",
		"deep arrays":   strings.Repeat("[", deep),
		"deep objects":  strings.Repeat(`{"a":`, deep),
		"deep schema":   jsonSchema(strings.Repeat(`{"not":`, deep) + "{}" + strings.Repeat("}", deep)),
		"control bytes": "{\"a\x01\": 1}",
	}
	for name, src := range tests {
		t.Run(name, func(t *testing.T) {
			_, diags := catalog.Parse("a.json", []byte(src))
			wantOneError(t, diags, "a.json")
			_, diags = catalog.ParseMCP("-", catalog.Server{}, []byte(src))
			wantOneError(t, diags, "-")
		})
	}
}

func wantOneError(t *testing.T, diags plangate.Diagnostics, file string) {
	t.Helper()
	if len(diags) != 1 || !diags.HasErrors() || diags[0].Range.File != file {
		t.Errorf("got %v, want one error in %s", diags, file)
	}
}

func TestByteOrderMark(t *testing.T) {
	src := "\ufeff" + operations("p", strings.Replace(write, "moderate", "moderat", 1))
	_, diags := catalog.Parse("a.json", []byte(src))
	if len(diags) != 1 || src[diags[0].Range.Start.Byte:diags[0].Range.End.Byte] != `"moderat"` {
		t.Errorf("got %v, want one error at the misspelt risk", diags)
	}
}

// TestSchemaBombs gives schemas that would cost too much to compile.
func TestSchemaBombs(t *testing.T) {
	repeat := func(n int, format string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(parts, ",")
	}
	big := `{"properties": {` + repeat(1300, `"a%d": {"minLength": 1}`) + `}}`
	tests := map[string]struct {
		src  string
		want bool // refused
	}{
		"many properties":        {jsonSchema(`{"properties": {` + repeat(5000, `"a%d": {}`) + `}}`), true},
		"many alternatives":      {jsonSchema(`{"anyOf": [` + repeat(5000, `{"const": %d}`) + `]}`), true},
		"many references":        {jsonSchema(`{"$defs": {"d": {"anyOf": [` + repeat(900, `{"$ref": "#/$defs/x%[1]d"}`) + `]},` + repeat(900, `"x%d": {}`) + `}, "properties": {"path": {"$ref": "#/$defs/d"}}}`), false},
		"mutual references":      {jsonSchema(`{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}`), false},
		"branching references":   {jsonSchema(`{"allOf": [{"$ref": "#"}, {"$ref": "#"}], "properties": {"path": {"anyOf": [{"$ref": "#"}, {"$ref": "#/properties/path"}]}}}`), false},
		"too many large schemas": {operations("p", repeat(45, `"op%d": {"kind": "resource", "risk": "low", "input_schema": `+strings.ReplaceAll(big, "%", "%%")+`}`)), true},
		"text in many schemas":   {jsonSchema(nested(80, `{"title": "`+strings.Repeat("x", 1<<19)+`"}`)), true},
		"text in one schema":     {jsonSchema(`{"title": "` + strings.Repeat("x", 1<<19) + `"}`), false},
		"values in many schemas": {jsonSchema(nested(80, `{"enum": [`+repeat(3900, "%d")+`]}`)), false},
		"long pointers":          {jsonSchema(`{"properties": {"` + strings.Repeat("x", 20_000) + `": {"allOf": [` + repeat(1000, `{"minLength": %d}`) + `]}}}`), true},
		"long names":             {jsonSchema(`{"$defs": {` + repeat(1000, `"%[1]d`+strings.Repeat("x", 2000)+`": {"$ref": "#/$defs/%[1]d`+strings.Repeat("x", 2000)+`"}`) + `}}`), false},
		"long bases":             {jsonSchema(`{"$id": "http://x/` + strings.Repeat("x", 4000) + `/", "allOf": [` + repeat(1300, `{"$id": "%d"}`) + `]}`), false},
		"large exponent":         {jsonSchema(`{"enum": [1e-99999999]}`), true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, diags := catalog.Parse("a.json", []byte(test.src))
			if diags.HasErrors() != test.want {
				t.Errorf("refused: %v, want %v: %v", !test.want, test.want, diags)
			}
			for _, d := range diags {
				if d.Code != "catalog_schema" {
					t.Errorf("code %s", d.Code)
				}
			}
		})
	}
}

func nested(depth int, schema string) string {
	return strings.Repeat(`{"not": `, depth) + schema + strings.Repeat("}", depth)
}

func FuzzParseJSON(f *testing.F) {
	f.Add(operations("p", write, read))
	f.Add(jsonSchema(`{"$ref": "#/$defs/a", "$defs": {"a": {"$id": "b", "$anchor": "c", "pattern": "(a+)+$"}}}`))
	f.Add(jsonSchema(`{"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"$id": "#a"}], "additionalItems": {"$ref": "#a"}, "dependencies": {"b": ["c"]}}`))
	f.Add(jsonSchema(`{"$id": "urn:x", "patternProperties": {"(?i)\\pL{1,9}": {"$ref": "#/not", "Type": 1}}, "not": {"type": ["null", "strng"]}}`))
	f.Add(jsonRoles(`{"properties": {"a": {"items": {}}}, "additionalProperties": false}`, `{"path": ["/a/*", "/~0~1"]}`))
	f.Fuzz(func(t *testing.T, src string) {
		c, diags := catalog.Parse("a.json", []byte(src))
		wantSound(t, src, c, diags)
		if !diags.HasErrors() && !json.Valid([]byte(strings.TrimPrefix(src, "\ufeff"))) {
			t.Error("what is not JSON was accepted")
		}
	})
}

func FuzzParseHCL(f *testing.F) {
	f.Add(hclOperation("kind = \"resource\"\nrisk = \"low\"\ndescription = <<A\nx\nA\n"))
	f.Add(hclOperation("kind = \"resource\"\nrisk = \"low\"\ninput_schema = { a = -1.5e3, \"b\" = [true, null] }"))
	f.Fuzz(func(t *testing.T, src string) {
		c, diags := catalog.Parse("a.hcl", []byte(src))
		wantSound(t, src, c, diags)
	})
}

func FuzzParseMCP(f *testing.F) {
	f.Add(`{"result": {"tools": [{"name": "a", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}], "nextCursor": "x"}}`)
	f.Fuzz(func(t *testing.T, src string) {
		c, diags := catalog.ParseMCP("a", catalog.Server{Provider: "p"}, []byte(src))
		wantSound(t, src, c, diags)
		for op := range c.All() {
			if op.Kind != plangate.Resource || op.Risk != plangate.High {
				t.Errorf("an untrusted server made %q %s/%s", op.Name, op.Kind, op.Risk)
			}
		}
	})
}

// wantSound checks what holds for every input: places lie in the file, and a
// catalog without errors can be written and read again.
func wantSound(t *testing.T, src string, c *catalog.Catalog, diags plangate.Diagnostics) {
	t.Helper()
	for _, d := range diags {
		if r := d.Range; d.Code == "" || r.Start.Byte < 0 || r.Start.Byte > r.End.Byte || r.End.Byte > len(src) {
			t.Errorf("bad diagnostic %v", d)
		}
	}
	if diags.HasErrors() {
		return
	}
	again, diags := catalog.Parse("again.json", c.JSON())
	if diags.HasErrors() || again.Digest() != c.Digest() {
		t.Errorf("not read back: %v\n%s", diags, c.JSON())
	}
}
