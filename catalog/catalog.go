package catalog

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
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
	InputSchema json.RawMessage // a JSON Schema object in canonical form, or nil
	Roles       Roles
	// Aliases are other names under which a policy may mean the operation, such as that
	// of an agent CLI for its own tool. Sorted; calls never carry one (spec CAT-9).
	Aliases []string
	Shell   string         // grammar of the command arguments: bash, sh, zsh, powershell, cmd or none
	Range   plangate.Range // the name where the operation is declared
}

// Roles says which arguments of an operation mean something to conditions.
// Each entry is a JSON pointer into the input; a `*` segment stands for every
// item of an array. The lists are sorted, and filled by convention where the
// catalog declares no roles (spec CAT-5); an argument need not be in a call.
type Roles struct {
	Command []string
	Path    []string
	URL     []string
	Cwd     []string // the directory in which commands and relative paths of the call are read
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

// Providers returns the names of all providers, sorted.
func (c *Catalog) Providers() []string {
	var names []string
	for op := range c.All() {
		names = append(names, op.Provider)
	}
	return slices.Compact(names)
}

// OperationNames returns the names of all operations of all providers, sorted
// and without repetition.
func (c *Catalog) OperationNames() []string {
	names := map[string]struct{}{}
	for op := range c.All() {
		names[op.Name] = struct{}{}
	}
	return slices.Sorted(maps.Keys(names))
}

func order(a, b Operation) int {
	return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Name, b.Name))
}
