package catalog

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/plangate/plangate"
)

// node is a JSON value with its place. Both syntaxes are read into nodes, so
// that one decoder serves them.
type node struct {
	typ     nodeType
	text    string   // the decoded string, or the number as written
	truth   bool     // the boolean
	members []member // of an object, in source order
	items   []*node  // of an array
	rng     plangate.Range
}

type member struct {
	name      string
	nameRange plangate.Range
	value     *node
}

type nodeType uint8

// The node types; the zero value is null, which nothing here accepts.
const (
	null nodeType = iota
	boolean
	number
	text
	array
	object
	unreadable // has been reported
)

var nodeTypeNames = [...]string{"null", "a boolean", "a number", "a string", "an array", "an object", "unreadable"}

func (t nodeType) String() string { return nodeTypeNames[t] }

// get returns the member's value, or nil. The objects that are looked into by
// name are small.
func (n *node) get(name string) *node {
	if m := n.member(name); m != nil {
		return m.value
	}
	return nil
}

func (n *node) member(name string) *member {
	i := slices.IndexFunc(n.members, func(m member) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return &n.members[i]
}

// follow returns what a JSON pointer that is not empty leads to, or nil.
func (n *node) follow(pointer string) *node {
	steps, ok := splitPointer(pointer)
	for i := 0; ok && n != nil && i < len(steps); i++ {
		n = n.child(steps[i])
	}
	if !ok {
		return nil
	}
	return n
}

func (n *node) child(step string) *node {
	if n.typ != array {
		return n.get(step)
	}
	i, err := strconv.Atoi(step)
	if err != nil || i < 0 || i >= len(n.items) || strconv.Itoa(i) != step {
		return nil
	}
	return n.items[i]
}

// all yields the value and everything in it.
func (n *node) all(yield func(*node) bool) bool {
	if !yield(n) {
		return false
	}
	for _, m := range n.members {
		if !m.value.all(yield) {
			return false
		}
	}
	for _, item := range n.items {
		if !item.all(yield) {
			return false
		}
	}
	return true
}

// appendJSON writes the value in canonical form: keys sorted, no white space,
// numbers as written. Equal values that are spelled alike have equal bytes.
func (n *node) appendJSON(dst []byte) []byte {
	switch n.typ {
	case object:
		return n.appendObject(dst)
	case array:
		return n.appendArray(dst)
	case text:
		return append(dst, encode(n.text)...)
	case number:
		return append(dst, n.text...)
	case boolean:
		if n.truth {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	default:
		return append(dst, "null"...)
	}
}

func (n *node) appendObject(dst []byte) []byte {
	sorted := slices.SortedFunc(slices.Values(n.members), func(a, b member) int {
		return cmp.Compare(a.name, b.name)
	})
	dst = append(dst, '{')
	for i, m := range sorted {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, encode(m.name)...), ':')
		dst = m.value.appendJSON(dst)
	}
	return append(dst, '}')
}

func (n *node) appendArray(dst []byte) []byte {
	dst = append(dst, '[')
	for i, item := range n.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item.appendJSON(dst)
	}
	return append(dst, ']')
}
