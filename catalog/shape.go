package catalog

import "slices"

// shape is a part of a valid schema, for questions about what it lets stand
// where. It looks at the common keywords only; the zero value, and what is
// said in another way, is open: anything may stand there.
type shape struct {
	root *node
	n    *node
}

func shapeOf(schema *node) shape { return shape{root: schema, n: schema} }

// eachItem is the pointer segment that stands for every item of an array.
const eachItem = "*"

func (s shape) get(keyword string) *node {
	if s.n == nil {
		return nil
	}
	return s.n.get(keyword)
}

func (s shape) part(n *node) shape { return shape{root: s.root, n: n} }

// properties yields the arguments that the schema itself names.
func (s shape) properties() []member {
	if properties := s.get("properties"); properties != nil {
		return properties.members
	}
	return nil
}

// parts returns the schemas that this one is combined from.
func (s shape) parts() []shape {
	var parts []shape
	if ref := s.get("$ref"); ref != nil {
		parts = append(parts, s.part(s.local(ref.text)))
	}
	for _, keyword := range []string{"if", "then", "else"} {
		parts = append(parts, s.part(s.get(keyword)))
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		if list := s.get(keyword); list != nil {
			for _, item := range list.items {
				parts = append(parts, s.part(item))
			}
		}
	}
	return parts
}

// local returns what a reference of the form #/$defs/name leads to, or nil.
func (s shape) local(reference string) *node {
	if len(reference) == 0 || reference[0] != '#' {
		return nil
	}
	if reference == "#" {
		return s.root
	}
	return s.root.follow(reference[1:])
}

// step goes to a property or to an array's items, and says whether there can
// be one.
func (s shape) step(segment string) (shape, bool) {
	if segment == eachItem {
		return s.part(s.get("items")), s.allows("array")
	}
	for _, property := range s.properties() {
		if property.name == segment {
			return s.part(property.value), true
		}
	}
	return s.part(nil), !s.closed() && (s.allows("object") || s.allows("array"))
}

func (s shape) closed() bool {
	additional := s.get("additionalProperties")
	return additional != nil && additional.typ == boolean && !additional.truth && s.get("patternProperties") == nil
}

func (s shape) allows(typ string) bool {
	types := s.ownTypes()
	return len(types) == 0 || slices.Contains(types, typ)
}

func (s shape) ownTypes() []string {
	n := s.get("type")
	switch {
	case n == nil:
		return nil
	case n.typ == text:
		return []string{n.text}
	}
	var types []string
	for _, item := range n.items {
		types = append(types, item.text)
	}
	return types
}

// types returns the types that the schema or its parts declare. Each schema is
// looked at once, which also ends cycles; memo remembers what it said.
func (s shape) types(memo map[*node][]string) []string {
	if s.n == nil {
		return nil
	}
	if types, ok := memo[s.n]; ok {
		return types
	}
	memo[s.n] = nil
	types := s.ownTypes()
	if len(types) == 0 {
		for _, part := range s.parts() {
			types = append(types, part.types(memo)...)
		}
	}
	slices.Sort(types)
	memo[s.n] = slices.Compact(types)
	return memo[s.n]
}

// arguments gathers the arguments that the schema or its parts name.
func (s shape) arguments(known map[string][]shape, seen map[*node]bool) {
	if s.n == nil || seen[s.n] {
		return
	}
	seen[s.n] = true
	for _, property := range s.properties() {
		known[property.name] = append(known[property.name], s.part(property.value))
	}
	for _, part := range s.parts() {
		part.arguments(known, seen)
	}
}
