package catalog

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/hclsource"
)

// Parse reads a catalog in our own form: JSON if name ends in .json, else HCL
// (spec CAT-1). The name is for ranges; nothing is opened. The diagnostics are
// sorted, and the catalog must not be used if they have errors.
func Parse(name string, src []byte) (*Catalog, plangate.Diagnostics) {
	d := decoder{report: &report{file: name}}
	if root := d.read(src); root != nil {
		d.root(root)
	}
	return d.finish()
}

// read returns the text as nodes, or nil if its syntax is wrong.
func (d *decoder) read(src []byte) *node {
	if hclsource.IsJSON(d.file) {
		return readJSON(d.report, src)
	}
	file, diags := hclsource.Parse(d.file, src)
	if d.diags = diags; diags.HasErrors() {
		return nil
	}
	body, _ := file.Body.(*hclsyntax.Body) // the native syntax has no other
	return readHCL(d.report, src, body)
}

// finish sorts what was found. Of operations of one name, which have been
// reported, the first stays.
func (d *decoder) finish() (*Catalog, plangate.Diagnostics) {
	slices.SortStableFunc(d.operations, order)
	d.operations = slices.CompactFunc(d.operations, func(a, b Operation) bool { return order(a, b) == 0 })
	d.diags.Sort()
	return &Catalog{operations: d.operations}, d.diags
}
