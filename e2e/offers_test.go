package e2e

import (
	"encoding/json"
	"slices"
)

// offer is a tool that a CLI offers to its model.
type offer struct {
	Namespace, Name string
	Arguments       []string // as roles name them, such as /path and /items/*/path; nil for a tool that takes free text
}

// argumentSchema is as much of a JSON Schema as names arguments.
type argumentSchema struct {
	Properties map[string]argumentSchema
	Items      *argumentSchema
	AnyOf      []argumentSchema `json:"anyOf"`
}

// names adds the pointers of all arguments below a pointer.
func (s *argumentSchema) names(below string, all []string) []string {
	for name, inner := range s.Properties {
		all = inner.names(below+"/"+name, append(all, below+"/"+name))
	}
	if s.Items != nil {
		all = s.Items.names(below+"/*", append(all, below+"/*"))
	}
	for _, one := range s.AnyOf {
		all = one.names(below, all)
	}
	return all
}

// offers returns the tools of a request, as every protocol writes them. A tool that runs at
// the provider has no name, and is left out.
func offers(tools []json.RawMessage) []offer {
	type function struct {
		Name                 string
		InputSchema          argumentSchema `json:"input_schema"`
		Parameters           argumentSchema
		ParametersJSONSchema argumentSchema `json:"parametersJsonSchema"`
	}
	var all []offer
	for _, raw := range tools {
		var tool struct {
			function
			Function  function
			Functions []function `json:"functionDeclarations"`
			Tools     []json.RawMessage
		}
		_ = json.Unmarshal(raw, &tool) // what is read of a schema that is odd is enough
		for _, inner := range offers(tool.Tools) {
			all = append(all, offer{tool.Name, inner.Name, inner.Arguments})
		}
		if tool.Tools != nil {
			continue
		}
		for _, f := range append(tool.Functions, tool.Function, tool.function) {
			if f.Name == "" {
				continue
			}
			arguments := f.ParametersJSONSchema.names("", f.Parameters.names("", f.InputSchema.names("", nil)))
			slices.Sort(arguments)
			all = append(all, offer{Name: f.Name, Arguments: slices.Compact(arguments)})
		}
	}
	return all
}

// rawList is a list of values that were decoded before.
func rawList(value any) []json.RawMessage {
	list, _ := value.([]any)
	raws := make([]json.RawMessage, len(list))
	for i, element := range list {
		raws[i], _ = json.Marshal(element) // it came from JSON
	}
	return raws
}
