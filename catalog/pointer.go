package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// roles reads the declared roles of an operation.
func (d *decoder) roles(n *node, schema shape) Roles {
	if !d.object(n, "roles", roleKeys) {
		return Roles{}
	}
	return Roles{
		Command: d.pointers(n.get("command"), schema),
		Path:    d.pointers(n.get("path"), schema),
		URL:     d.pointers(n.get("url"), schema),
		Cwd:     d.pointers(n.get("cwd"), schema),
	}
}

func (d *decoder) pointers(n *node, schema shape) []string {
	if n == nil || !d.want(array, n, "A role") {
		return nil
	}
	var pointers []string
	for _, item := range n.items {
		if d.want(text, item, "A role's pointer") && d.pointer(item, schema) {
			pointers = append(pointers, item.text)
		}
	}
	slices.Sort(pointers)
	return slices.Compact(pointers)
}

func (d *decoder) pointer(n *node, schema shape) bool {
	segments, ok := splitPointer(n.text)
	if !ok {
		d.error(codeRole, n.rng, "Not a JSON pointer", fmt.Sprintf(
			"%q is not a pointer to an argument. Start it with a slash, as in \"/path\", and write ~ as ~0 and a slash in a name as ~1.", n.text))
		return false
	}
	if dead, found := deadEnd(schema, segments); found {
		d.error(codeRole, n.rng, "No such argument", fmt.Sprintf(
			"The input schema lets nothing stand at %q, so %q leads nowhere. Correct the pointer or the schema.", dead, n.text))
		return false
	}
	return true
}

// splitPointer decodes an RFC 6901 pointer. The pointer to the whole input is
// refused: an input is an object, and no role is.
func splitPointer(pointer string) ([]string, bool) {
	if !strings.HasPrefix(pointer, "/") {
		return nil, false
	}
	segments := strings.Split(pointer[1:], "/")
	for i, segment := range segments {
		plain := strings.NewReplacer("~0", "", "~1", "").Replace(segment)
		if strings.Contains(plain, "~") {
			return nil, false
		}
		segments[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)
	}
	return segments, true
}

// deadEnd follows a pointer through a schema and returns the first segment
// that certainly cannot exist.
func deadEnd(schema shape, segments []string) (string, bool) {
	for _, segment := range segments {
		next, possible := schema.step(segment)
		if !possible {
			return segment, true
		}
		schema = next
	}
	return "", false
}
