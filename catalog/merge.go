package catalog

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/plangate/plangate"
)

// Merge unites catalogs. An operation may be in several if they agree on all of
// it; where they do not, that is an error with both places (spec CAT-8).
func Merge(catalogs ...*Catalog) (*Catalog, plangate.Diagnostics) {
	d := decoder{report: &report{}}
	for _, c := range catalogs {
		d.operations = append(d.operations, c.operations...)
	}
	slices.SortStableFunc(d.operations, order)
	for i := 1; i < len(d.operations); i++ {
		d.disagreement(&d.operations[i-1], &d.operations[i])
	}
	return d.finish()
}

func (d *decoder) disagreement(a, b *Operation) {
	if order(*a, *b) == 0 && !bytes.Equal(a.canonical(), b.canonical()) {
		d.duplicate(fmt.Sprintf("Operation %q of provider %q", a.Name, a.Provider), a.Range, b.Range)
	}
}
