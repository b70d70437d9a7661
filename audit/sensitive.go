package audit

import (
	"encoding/json"
	"slices"
	"strings"
)

// secretKeywords mark a value in a JSON schema as one not to be shown.
var secretKeywords = []string{"sensitive", "writeOnly", "x-sensitive"}

// SensitivePointers returns the JSON pointers of the values that a JSON schema
// marks with "sensitive", "x-sensitive" or "writeOnly": true, sorted. "*" in one
// stands for every element or member. It looks into properties, items,
// prefixItems, additionalProperties, patternProperties, into what allOf, anyOf,
// oneOf, if, then and else combine, and behind references into the same schema.
// What is no schema has none.
func SensitivePointers(schema json.RawMessage) []string {
	root, err := parseTree(schema)
	if err != nil {
		return nil
	}
	w := schemaWalk{root: root, found: map[string]bool{}}
	w.walk(root, "", 0)
	var pointers []string
	for pointer := range w.found {
		pointers = append(pointers, pointer)
	}
	slices.Sort(pointers)
	return pointers
}

// Limits of a walk through a schema, which may refer to itself.
const (
	maxSchemaDepth = 24
	maxSchemaSteps = 100_000
)

type schemaWalk struct {
	root  *node
	found map[string]bool
	steps int
}

func (w *schemaWalk) walk(schema *node, at string, depth int) {
	if w.steps++; schema.kind != '{' || depth > maxSchemaDepth || w.steps > maxSchemaSteps {
		return
	}
	for i, key := range schema.keys {
		value := schema.values[i]
		switch {
		case slices.Contains(secretKeywords, key) && value.kind == 0 && value.text == "true":
			w.found[at] = true
		case key == "$ref" && strings.HasPrefix(value.text, "#"):
			for _, target := range w.resolve(strings.TrimPrefix(value.text, "#")) {
				w.walk(target, at, depth+1)
			}
		default:
			w.keyword(key, value, at, depth)
		}
	}
}

// keyword walks through the schemas under one keyword.
func (w *schemaWalk) keyword(key string, value *node, at string, depth int) {
	switch key {
	case "properties":
		if value.kind == '{' {
			for i, name := range value.keys {
				w.walk(value.values[i], at+"/"+escapePointer(name), depth+1)
			}
		}
	case "patternProperties", "prefixItems":
		for _, sub := range value.values {
			w.walk(sub, at+"/*", depth+1)
		}
	case "items", "additionalProperties", "additionalItems", "contains", "unevaluatedProperties", "unevaluatedItems":
		w.walk(value, at+"/*", depth+1)
		for _, sub := range value.values {
			if value.kind == '[' {
				w.walk(sub, at+"/*", depth+1)
			}
		}
	case "allOf", "anyOf", "oneOf", "dependentSchemas":
		for _, sub := range value.values {
			w.walk(sub, at, depth+1)
		}
	case "if", "then", "else":
		w.walk(value, at, depth+1)
	}
}

// resolve returns what a pointer into the schema leads to.
func (w *schemaWalk) resolve(pointer string) []*node {
	nodes := []*node{w.root}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		var next []*node
		for _, n := range nodes {
			next = append(next, n.children(unescapePointer(part))...)
		}
		nodes = next
	}
	return nodes
}

func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

func unescapePointer(part string) string {
	return strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
}
