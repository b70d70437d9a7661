package catalog

import (
	"net/url"
	"strings"
)

// reference is a $ref or $dynamicRef.
type reference struct {
	schema *node // where it stands
	text   string
	uri    *url.URL // absolute
}

// name records what the schema calls itself, and returns the place that its
// parts have. A name of the wrong form names nothing and is found later.
func (c *checker) name(n *node, in place) (place, error) {
	in, err := c.identify(n, in)
	if err != nil || c.draft7 {
		return in, err
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if anchor := n.get(keyword); anchor != nil && err == nil {
			err = c.record(in.base.String()+"#"+anchor.text, n, anchor)
		}
	}
	return in, err
}

// identify reads $id. In draft-07 one with a fragment is an anchor, and one
// beside a $ref counts for nothing.
func (c *checker) identify(n *node, in place) (place, error) {
	id := n.get("$id")
	if id == nil || c.draft7 && n.get("$ref") != nil {
		return in, nil
	}
	relative := parseReference(id)
	if relative == nil {
		return in, nil
	}
	uri := in.base.ResolveReference(relative)
	resource, fragment := splitURI(uri)
	if len(resource) > maxReference {
		return in, faultf(id.rng, "the URI that this leads to has more than %d bytes", maxReference)
	}
	if fragment != "" {
		return in, c.record(resource+"#"+fragment, n, id)
	}
	in.base = uri
	return in, c.record(resource, n, id)
}

// record names a schema; at is the keyword's value that does.
func (c *checker) record(uri string, n, at *node) error {
	if other := c.named[uri]; other != nil && other != n {
		return faultf(at.rng, "%.64q is the name of another schema too", at.text)
	}
	c.named[uri] = n
	return nil
}

func (c *checker) noFragment(id *node) error {
	if strings.Contains(strings.TrimSuffix(id.text, "#"), "#") {
		return faultf(id.rng, "$id must be %s", keywords[idForm].wanted)
	}
	return nil
}

func (c *checker) resolve(r reference) error {
	if !c.schemas[c.target(r.uri)] {
		return faultf(r.schema.rng, "the reference %.64q leads to no schema in this one, and nothing is loaded for it", r.text)
	}
	return nil
}

// target returns what stands at uri, or nil.
func (c *checker) target(uri *url.URL) *node {
	resource, fragment := splitURI(uri)
	n := c.named[resource]
	switch {
	case n == nil || fragment == "":
		return n
	case fragment[0] == '/':
		return n.follow(fragment)
	default:
		return c.named[resource+"#"+fragment]
	}
}

// splitURI takes off the fragment, which it returns without escapes.
func splitURI(uri *url.URL) (resource, fragment string) {
	whole := *uri
	whole.Fragment, whole.RawFragment = "", ""
	return whole.String(), uri.Fragment
}
