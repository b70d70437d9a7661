package catalog_test

import (
	"slices"
	"testing"

	"github.com/plangate/plangate/catalog"
)

// TestAliases (CAT-9): aliases are read from both forms, sorted, kept by writing, and
// part of what Merge compares.
func TestAliases(t *testing.T) {
	const inJSON = `{"providers":{"p":{"operations":{"bash":{"kind":"resource","risk":"high","aliases":["b","Bash"]}}}}}`
	const inHCL = `provider "p" {
  operation "bash" {
    kind    = "resource"
    risk    = "high"
    aliases = ["b", "Bash"]
  }
}`
	one, diags := catalog.Parse("a.json", []byte(inJSON))
	two, more := catalog.Parse("a.hcl", []byte(inHCL))
	if len(diags)+len(more) > 0 {
		t.Fatal(diags, more)
	}
	operation, _ := one.Find("p", "bash")
	if !slices.Equal(operation.Aliases, []string{"Bash", "b"}) || one.Digest() != two.Digest() {
		t.Errorf("aliases %q", operation.Aliases)
	}
	again, diags := catalog.Parse("b.json", one.JSON())
	if diags.HasErrors() || again.Digest() != one.Digest() {
		t.Error("writing and reading changes the catalog")
	}
	if _, ok := one.Find("p", "Bash"); ok {
		t.Error("an alias is found as an operation")
	}
	other, _ := catalog.Parse("c.json", []byte(`{"providers":{"p":{"operations":{"bash":{"kind":"resource","risk":"high"}}}}}`))
	if _, diags := catalog.Merge(one, other); !diags.HasErrors() {
		t.Error("other aliases are no disagreement")
	}
}

// TestBadAliases (CAT-9).
func TestBadAliases(t *testing.T) {
	for aliases, want := range map[string]string{
		`"x"`: "catalog_bad_type", `[1]`: "catalog_bad_type", `[""]`: "catalog_bad_value", `["a*"]`: "catalog_bad_value",
		`["bash"]`: "catalog_bad_value", `["a","a"]`: "catalog_duplicate", `null`: "catalog_bad_type",
	} {
		_, diags := catalog.Parse("a.json", []byte(`{"providers":{"p":{"operations":{"bash":{"kind":"resource","risk":"high","aliases":`+aliases+`}}}}}`))
		if len(diags) != 1 || diags[0].Code != want {
			t.Errorf("%s: %v, want %s", aliases, diags, want)
		}
	}
}
