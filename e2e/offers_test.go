package e2e

import (
	"encoding/json"
	"maps"
	"slices"
)

// offer is a tool that a CLI offers to its model.
type offer struct {
	Namespace, Name string
	Arguments       []string // sorted; nil for a tool that takes free text
}

// offers returns the tools of a request, as every protocol writes them. A tool that runs at
// the provider has no name, and is left out.
func offers(tools []json.RawMessage) []offer {
	type schema struct {
		Properties map[string]json.RawMessage
	}
	type function struct {
		Name                 string
		InputSchema          schema `json:"input_schema"`
		Parameters           schema
		ParametersJSONSchema schema `json:"parametersJsonSchema"`
	}
	var all []offer
	for _, raw := range tools {
		var tool struct {
			function
			Function  function
			Functions []function `json:"functionDeclarations"`
			Tools     []json.RawMessage
		}
		if json.Unmarshal(raw, &tool) != nil {
			continue
		}
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
			arguments := maps.Keys(f.InputSchema.Properties)
			if f.Parameters.Properties != nil {
				arguments = maps.Keys(f.Parameters.Properties)
			} else if f.ParametersJSONSchema.Properties != nil {
				arguments = maps.Keys(f.ParametersJSONSchema.Properties)
			}
			all = append(all, offer{Name: f.Name, Arguments: slices.Sorted(arguments)})
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
