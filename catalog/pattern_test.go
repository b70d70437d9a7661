package catalog_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/plangate/plangate/catalog"
)

// TestPatternBombs gives short patterns that are slow to read or large once
// they are compiled, and their harmless relatives.
func TestPatternBombs(t *testing.T) {
	tests := map[string]struct {
		pattern string
		copies  int
		want    bool // refused
	}{
		"Unicode classes":             {strings.Repeat(`\pL`, 20), 400, true},
		"Unicode classes, negated":    {`[` + strings.Repeat(`\PL`, 1000) + `]`, 8, true},
		"Unicode class, repeated":     {`^\pL{900}$`, 30, true},
		"some Unicode classes":        {`^[\p{L}\p{N} _-]{1,64}$`, 50, false},
		"long text, repeated":         {`(?:` + strings.Repeat("a", 1000) + `){200}`, 3, true},
		"alternatives, repeated":      {`(?:` + strings.Repeat("[ab]|cd|", 200) + `){500}`, 3, true},
		"open repetition":             {`(?:` + strings.Repeat("ab*", 500) + `){900,}`, 3, true},
		"repeated letter":             {`^[a-z]{1,1000}$`, 100, false},
		"wide ranges, folded":         {`(?i)[` + strings.Repeat(`B-\x{1e942}`, 300) + `]`, 1, true},
		"wide ranges, folded locally": {`x(?s-m:y(?m-sUi:` + strings.Repeat(`[é-𞥂]`, 300) + `))`, 1, true},
		"wide ranges":                 {`[` + strings.Repeat(`é-𞥂`, 300) + `]`, 10, false},
		"folded ranges":               {`(?i)^[a-z0-9]+(?:-[a-z0-9]+)*$`, 1000, false},
		"named group":                 {`^(?P<id>[é-ü]-[é-ü])$`, 1000, false},
		"many patterns":               {strings.Repeat("a", 4000), 400, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			pattern, err := json.Marshal(test.pattern)
			if err != nil {
				t.Fatal(err)
			}
			schema := `{"allOf": [` + strings.Repeat(`{"pattern": `+string(pattern)+`}, `, test.copies) + `{}]}`
			src := jsonSchema(schema)
			_, diags := catalog.Parse("a.json", []byte(src))
			if diags.HasErrors() != test.want {
				t.Errorf("refused: %v, want %v: %v", !test.want, test.want, diags)
			}
			for _, found := range findings(src, diags) {
				if found != (finding{"catalog_schema", schema}) {
					t.Errorf("found %.80v, want the whole schema", found)
				}
			}
		})
	}
}
