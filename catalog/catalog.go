package catalog

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/plangate/plangate"
)

// Catalog is a set of operations, at most one for each provider and name.
// The zero value is an empty catalog.
type Catalog struct {
	operations []Operation // sorted by provider, then name
}

// Operation describes one thing that a provider offers.
type Operation struct {
	Provider    string
	Name        string
	Kind        plangate.Kind // never unspecified in a valid catalog
	Risk        plangate.Risk // never unspecified in a valid catalog
	Description string
	InputSchema json.RawMessage // a JSON Schema object, or nil
	Roles       Roles
	Shell       string         // grammar of the command arguments; "" means bash
	Range       plangate.Range // where the operation is declared
}

// Roles says which arguments of an operation mean something to conditions.
// Each entry is a JSON pointer into the input; a `*` segment stands for every
// item of an array.
type Roles struct {
	Command []string
	Path    []string
	URL     []string
}

// Find returns the operation of a provider, compared byte for byte.
func (c *Catalog) Find(provider, name string) (*Operation, bool) {
	i, ok := slices.BinarySearchFunc(c.operations, Operation{Provider: provider, Name: name}, order)
	if !ok {
		return nil, false
	}
	return &c.operations[i], true
}

// All yields the operations sorted by provider and name. They must not be changed.
func (c *Catalog) All() iter.Seq[*Operation] {
	return func(yield func(*Operation) bool) {
		for i := range c.operations {
			if !yield(&c.operations[i]) {
				return
			}
		}
	}
}

// Len returns the number of operations.
func (c *Catalog) Len() int { return len(c.operations) }

func order(a, b Operation) int {
	if d := strings.Compare(a.Provider, b.Provider); d != 0 {
		return d
	}
	return strings.Compare(a.Name, b.Name)
}
