package catalog_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate/catalog"
)

const (
	write    = `"write": {"kind": "resource", "risk": "moderate"}`
	writeToo = `"write": {"risk": "moderate", "kind": "resource", "shell": "bash"}`
	risky    = `"write": {"kind": "resource", "risk": "high"}`
	read     = `"read": {"kind": "data_source", "risk": "read_only"}`
)

func operations(provider string, ops ...string) string {
	return `{"providers": {"` + provider + `": {"operations": {` + strings.Join(ops, ",") + `}}}}`
}

func TestMerge(t *testing.T) {
	a := mustParse(t, "a.json", operations("p", write, read))
	b := mustParse(t, "b.json", operations("p", writeToo))
	c := mustParse(t, "c.json", operations("q", risky))
	merged, diags := catalog.Merge(a, b, c)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	var names []string
	for op := range merged.All() {
		names = append(names, op.Provider+"."+op.Name+"@"+op.Range.File)
	}
	if diff := cmp.Diff([]string{"p.read@a.json", "p.write@a.json", "q.write@c.json"}, names); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
}

// TestMergeDisagreement gives two accounts of one operation (spec CAT-8).
func TestMergeDisagreement(t *testing.T) {
	a := mustParse(t, "a.json", operations("p", write))
	b := mustParse(t, "b.json", operations("p", risky))
	_, diags := catalog.Merge(a, b)
	if len(diags) != 1 || diags[0].Code != "catalog_duplicate" || diags[0].Range.File != "b.json" ||
		len(diags[0].Related) != 1 || diags[0].Related[0].Range.File != "a.json" {
		t.Errorf("got %v, want one catalog_duplicate with both places", diags)
	}
}

func TestMergeOfNothing(t *testing.T) {
	if merged, diags := catalog.Merge(); merged.Len() != 0 || len(diags) > 0 {
		t.Errorf("got %d operations and %v", merged.Len(), diags)
	}
}

func TestDigestIsOfTheContent(t *testing.T) {
	a := mustParse(t, "a.json", operations("p", write, read))
	moved := mustParse(t, "b.json", "\n"+operations("p", read, writeToo))
	changed := mustParse(t, "a.json", operations("p", risky, read))
	if a.Digest() != moved.Digest() {
		t.Error("order, place or spelling changed the digest")
	}
	if a.Digest() == changed.Digest() {
		t.Error("another risk has the same digest")
	}
}

func TestMarshalJSON(t *testing.T) {
	c := mustParse(t, "a.json", operations("p", write))
	got, err := json.Marshal(c)
	want := `{"providers":{"p":{"operations":{"write":{"kind":"resource","risk":"moderate","roles":` +
		`{"command":["/cmd","/command","/script"],"path":["/file_path","/notebook_path","/path","/paths/*"],"url":["/uri","/url"],"cwd":["/cwd","/workdir","/working_directory"]}}}}}}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}
