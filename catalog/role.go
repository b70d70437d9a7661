package catalog

import "slices"

// Conventional argument names (spec CAT-5).
var (
	commandNames = []string{"command", "cmd", "script"}
	pathNames    = []string{"path", "file_path", "notebook_path", severalPaths}
	urlNames     = []string{"url", "uri"}
	cwdNames     = []string{"cwd", "workdir", "working_directory"}
)

// severalPaths is the one conventional name whose argument is an array.
const severalPaths = "paths"

// defaultRoles guesses roles from conventional argument names: those that the
// schema has, or all that it lets stand if it names no arguments.
func defaultRoles(schema shape) Roles {
	known := map[string][]shape{}
	schema.arguments(known, map[*node]bool{})
	if len(known) == 0 {
		candidates(schema, known)
	}
	types := map[*node][]string{}
	return Roles{
		Command: conventional(known, commandNames, commandPointers),
		Path:    conventional(known, pathNames, textPointers(types)),
		URL:     conventional(known, urlNames, textPointers(types)),
		Cwd:     conventional(known, cwdNames, commandPointers),
	}
}

func candidates(schema shape, known map[string][]shape) {
	for _, name := range slices.Concat(commandNames, pathNames, urlNames, cwdNames) {
		if argument, possible := schema.step(name); possible {
			known[name] = []shape{argument}
		}
	}
}

func conventional(known map[string][]shape, names []string, pointers func(string, shape) []string) []string {
	var found []string
	for _, name := range names {
		for _, argument := range known[name] {
			found = append(found, pointers(name, argument)...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// commandPointers never points at items: a command in an array is an argument
// list, whose words are no commands. What reads the role sees an array where it
// wants a text, and so an unknown.
func commandPointers(name string, _ shape) []string { return []string{"/" + name} }

// textPointers points at a text, at the texts of an array, or at both,
// according to the types that the schema allows.
func textPointers(memo map[*node][]string) func(string, shape) []string {
	return func(name string, argument shape) []string {
		types := argument.types(memo)
		if len(types) == 0 {
			types = []string{"string"}
			if name == severalPaths {
				types = []string{"array"}
			}
		}
		var pointers []string
		if slices.Contains(types, "string") {
			pointers = append(pointers, "/"+name)
		}
		if slices.Contains(types, "array") {
			pointers = append(pointers, "/"+name+"/"+eachItem)
		}
		return pointers
	}
}
