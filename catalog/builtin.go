package catalog

import (
	"embed"
	"slices"
	"strings"
)

// builtinFiles are the catalogs of agent CLIs, NAME.json each.
//
//go:embed builtin/*.json
var builtinFiles embed.FS

// Builtin returns the catalog of the tools of an agent CLI, whose name is the
// provider, or nil if there is none for that name. Its operations have the names
// that are the same for all CLIs, and the CLI's own as aliases. It is read anew at
// each call.
func Builtin(name string) *Catalog {
	src := BuiltinJSON(name)
	if src == nil {
		return nil
	}
	c, diags := Parse("builtin:"+name+".json", src)
	if diags.HasErrors() { // a test holds every one of them to be sound
		return nil
	}
	return c
}

// BuiltinJSON returns the text that [Builtin] reads, or nil.
func BuiltinJSON(name string) []byte {
	if !slices.Contains(BuiltinNames(), name) {
		return nil
	}
	src, err := builtinFiles.ReadFile("builtin/" + name + ".json")
	if err != nil {
		return nil
	}
	return src
}

// BuiltinNames returns the names that [Builtin] knows, sorted.
func BuiltinNames() []string {
	entries, _ := builtinFiles.ReadDir("builtin") // embedded, so it is there; sorted
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".json"))
	}
	return names
}
