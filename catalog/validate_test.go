package catalog_test

import (
	"testing"

	"github.com/plangate/plangate/catalog"
)

func TestCheckInput(t *testing.T) {
	const text = `{"providers": {"fs": {"operations": {
		"write_file": {"kind": "resource", "risk": "moderate", "input_schema": {
			"type": "object", "required": ["path"], "additionalProperties": false,
			"properties": {"path": {"type": "string", "minLength": 1}, "size": {"type": "integer", "maximum": 10}}}},
		"free": {"kind": "resource", "risk": "moderate"}}}}}`
	c, findings := catalog.Parse("catalog.json", []byte(text))
	if findings.HasErrors() {
		t.Fatal(findings)
	}
	tests := []struct {
		operation, input string
		ok               bool
	}{
		{"write_file", `{"path": "a"}`, true},
		{"write_file", `{"path": "a", "size": 10}`, true},
		{"write_file", `{"path": "a", "size": 11}`, false},
		{"write_file", `{"path": "a", "size": "10"}`, false}, // nothing is converted
		{"write_file", `{"path": ""}`, false},
		{"write_file", `{}`, false},
		{"write_file", `{"path": "a", "more": 1}`, false},
		{"write_file", `{"path": "a", "path": "b"}`, false},
		{"write_file", `null`, false},
		{"write_file", ``, false},
		{"free", `{"anything": [1, null]}`, true},
		{"free", `[]`, false},
		{"free", `null`, false},
	}
	for _, tt := range tests {
		operation, ok := c.Find("fs", tt.operation)
		if !ok {
			t.Fatal(tt.operation)
		}
		if err := operation.CheckInput([]byte(tt.input)); (err == nil) != tt.ok {
			t.Errorf("%s %s: %v, want ok %v", tt.operation, tt.input, err, tt.ok)
		}
	}
}
