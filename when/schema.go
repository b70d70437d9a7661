package when

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/plangate/plangate"
)

// schema is a JSON Schema, of which only what certainly holds is looked at.
// nil says nothing.
type schema map[string]any

// openKeywords are the keywords that may say more of a value than is looked at here.
var openKeywords = []string{
	"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependentSchemas", "dependencies",
	"patternProperties", "unevaluatedProperties",
}

// Check compares what the expression reads of input with the JSON Schema of an
// operation. An argument that the schema does not know is an error
// when_unknown_argument; one whose type fits nothing that is done with it is an
// error when_wrong_type. The range is that of what is read.
//
// A schema knows the names in its properties, unless it says that others may
// stand. What it says by reference or combination is not looked at, and an
// empty schema, or one that is no JSON object, says nothing. An expression that
// did not parse has no findings. Check may be called concurrently.
func (e *Expr) Check(inputSchema json.RawMessage) plangate.Diagnostics {
	var decoded schema
	valid := json.Unmarshal(inputSchema, &decoded) == nil
	if e.root == nil || !valid || decoded == nil {
		return nil
	}
	return check(e.root, decoded)
}

// check infers types with what is known of the input.
func check(n node, input schema) plangate.Diagnostics {
	c := checker{input: input}
	c.want(n, boolKind)
	c.diags.Sort()
	return c.diags
}

// said reports whether the schema says all it says in keywords that are looked
// at.
func (s schema) said() bool {
	return !slices.ContainsFunc(openKeywords, func(keyword string) bool { _, ok := s[keyword]; return ok })
}

// property returns the schema of a member of an object, nil if nothing is known
// of it, and false if there can be no such member.
func (s schema) property(name string) (inner schema, possible bool) {
	properties, named := s["properties"].(map[string]any)
	if property, ok := properties[name]; ok {
		inner, _ := property.(map[string]any)
		return inner, property != false
	}
	switch others := s["additionalProperties"].(type) {
	case bool:
		return nil, others || !s.said()
	case map[string]any:
		if s.said() {
			return others, true
		}
		return nil, true
	default:
		return nil, !named || !s.said()
	}
}

// names returns the members that the schema names, sorted.
func (s schema) names() []string {
	properties, _ := s["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(properties))
}

// items returns the schema of all elements of a list, or nil.
func (s schema) items() schema {
	if _, tuple := s["prefixItems"]; tuple {
		return nil
	}
	items, _ := s["items"].(map[string]any)
	return items
}

// typ returns what a value of the schema may be.
func (s schema) typ() typ {
	if s == nil {
		return anything
	}
	t := typ{kinds: s.kinds(), elem: anyKind, schema: s}
	if items := s.items(); items != nil {
		t.elem = items.kinds()
	}
	return t
}

// kinds returns the types of the keyword type, or all.
func (s schema) kinds() kinds {
	switch names := s["type"].(type) {
	case string:
		return kindNamed(names)
	case []any:
		var all kinds
		for _, name := range names {
			word, _ := name.(string)
			all |= kindNamed(word)
		}
		if all == 0 {
			return anyKind
		}
		return all
	default:
		return anyKind
	}
}

// kindNamed returns the type that a schema calls so, or all for a word that is
// none.
func kindNamed(name string) kinds {
	switch name {
	case "null":
		return nullKind
	case "boolean":
		return boolKind
	case "integer", "number":
		return numberKind
	case "string":
		return stringKind
	case "array":
		return listKind
	case "object":
		return objectKind
	default:
		return anyKind
	}
}
