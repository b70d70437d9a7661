package conformance

import (
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

func TestLoadFillsInWhatFileNamesStandFor(t *testing.T) {
	vectors, err := Load(fstest.MapFS{
		"a/one/case.json":      {Data: []byte(`{"about":"x","covers":["DEC-1"],"calls":[{"call":{"operation":"a"},"want":{"action":"ask"}}]}`)},
		"a/one/managed.hcl":    {Data: []byte("# m")},
		"a/one/project.hcl":    {Data: []byte("\xff")},
		"a/one/catalog.json":   {Data: []byte("{}")},
		"a/one/user.hcl":       {Data: []byte("# u")},
		"a/README.md":          {Data: []byte("not part of a vector")},
		"b/deep/er/agent.hcl":  {Data: []byte("")},
		"b/deep/er/other.json": {Data: []byte("")},
		"b/deep/er/case.json":  {Data: []byte(`{"about":"x","covers":["DEC-1"],"diagnostics":[],"catalogs":[{"file":"other.json","provider":"p"}]}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []Vector{
		{
			Name: "a/one", About: "x", Covers: []string{"DEC-1"},
			Request: Request{
				ID:     "a/one",
				Files:  map[string]string{"managed.hcl": "# m", "user.hcl": "# u", "catalog.json": "{}"},
				Binary: map[string][]byte{"project.hcl": []byte("\xff")},
				Layers: []Layer{
					{plangate.LayerManaged, "managed.hcl", true},
					{plangate.LayerUser, "user.hcl", true},
					{plangate.LayerProject, "project.hcl", true},
				},
				Catalogs: []Catalog{{File: "catalog.json"}},
				Calls:    []json.RawMessage{[]byte(`{"id":"call-1","operation":"a"}`)},
			},
			Want: []Want{{"action": []byte(`"ask"`), "id": []byte(`"call-1"`)}},
		},
		{
			Name: "b/deep/er", About: "x", Covers: []string{"DEC-1"},
			Request: Request{
				ID:       "b/deep/er",
				Files:    map[string]string{"agent.hcl": "", "other.json": ""},
				Binary:   map[string][]byte{},
				Layers:   []Layer{{plangate.LayerProject, "agent.hcl", true}},
				Catalogs: []Catalog{{File: "other.json", Provider: "p"}},
			},
			Diagnostics: []WantDiagnostic{}, Diagnosed: true,
		},
	}
	if diff := cmp.Diff(want, vectors); diff != "" {
		t.Errorf("vectors (-want +got):\n%s", diff)
	}
}

func TestLoadRefusesWhatShowsNothing(t *testing.T) {
	tests := map[string]string{
		"not JSON":              `{`,
		"doubled key":           `{"about":"x","about":"y","covers":["DEC-1"],"diagnostics":[]}`,
		"unknown key":           `{"about":"x","covers":["DEC-1"],"diagnostics":[],"cals":[]}`,
		"no about":              `{"covers":["DEC-1"],"diagnostics":[]}`,
		"no covers":             `{"about":"x","diagnostics":[]}`,
		"nothing to check":      `{"about":"x","covers":["DEC-1"]}`,
		"empty calls":           `{"about":"x","covers":["DEC-1"],"calls":[]}`,
		"empty want":            `{"about":"x","covers":["DEC-1"],"calls":[{"call":{"operation":"a"},"want":{}}]}`,
		"no want":               `{"about":"x","covers":["DEC-1"],"calls":[{"call":{"operation":"a"}}]}`,
		"misspelt want":         `{"about":"x","covers":["DEC-1"],"calls":[{"call":{"operation":"a"},"want":{"acton":"ask"}}]}`,
		"call and text":         `{"about":"x","covers":["DEC-1"],"calls":[{"call":{"operation":"a"},"text":"{}","want":{"action":"ask"}}]}`,
		"no call":               `{"about":"x","covers":["DEC-1"],"calls":[{"want":{"action":"ask"}}]}`,
		"text that is not JSON": `{"about":"x","covers":["DEC-1"],"calls":[{"text":"{","want":{"action":"ask"}}]}`,
		"layer without file":    `{"about":"x","covers":["DEC-1"],"diagnostics":[],"layers":[{"layer":"user","file":"nosuch.hcl","trusted":true}]}`,
		"unknown layer":         `{"about":"x","covers":["DEC-1"],"diagnostics":[],"layers":[{"layer":"usr","file":"agent.hcl","trusted":true}]}`,
		"catalog without file":  `{"about":"x","covers":["DEC-1"],"diagnostics":[],"catalogs":[{"file":"nosuch.json"}]}`,
		"misspelt diagnostic":   `{"about":"x","covers":["DEC-1"],"diagnostics":[{"cod":"c"}]}`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Load(fstest.MapFS{"a/one/case.json": {Data: []byte(text)}, "a/one/agent.hcl": {}})
			if err == nil {
				t.Error("the vector was accepted")
			}
		})
	}
}

func TestCallsThatAreNoObjectsStayAsTheyAre(t *testing.T) {
	vectors := oneVector(t, `{"about":"x","covers":["FMT-1"],"calls":[
	  {"call": [1], "want": {"action": "deny"}},
	  {"call": null, "want": {"action": "deny"}},
	  {"call": {"id": "own", "operation": "a"}, "want": {"action": "deny"}},
	  {"text": "{\"a\":1, \"a\":2}", "want": {"action": "deny"}}]}`)
	want := []json.RawMessage{[]byte(`[1]`), []byte(`null`), []byte(`{"id": "own", "operation": "a"}`), []byte(`{"a":1, "a":2}`)}
	if diff := cmp.Diff(want, vectors[0].Calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}
