package compile

import (
	"slices"

	"github.com/plangate/plangate/catalog"
)

// aliases maps another name of an operation to the names it stands for, sorted. A
// name that is an operation of the catalog itself is none, whoever offers it (spec CAT-9).
type aliases map[string][]string

func aliasesOf(c *catalog.Catalog) aliases {
	found, names := aliases{}, map[string]bool{}
	for operation := range c.All() {
		names[operation.Name] = true
		for _, alias := range operation.Aliases {
			if !slices.Contains(found[alias], operation.Name) {
				found[alias] = append(found[alias], operation.Name)
			}
		}
	}
	for alias, meant := range found {
		if names[alias] {
			delete(found, alias)
			continue
		}
		slices.Sort(meant)
	}
	return found
}

// expand puts behind each alias what it stands for, unless that is there already. The
// name as written stays: a call may carry it.
func (a aliases) expand(names []string) []string {
	for i := 0; i < len(names); i++ {
		for _, meant := range a[names[i]] {
			if !slices.Contains(names, meant) {
				names = append(names, meant) // never an alias itself
			}
		}
	}
	return names
}
