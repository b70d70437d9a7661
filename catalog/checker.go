package catalog

import (
	"fmt"
	"net/url"

	"github.com/plangate/plangate"
)

// fault is what keeps a schema from being used.
type fault struct {
	at     plangate.Range
	detail string
}

func (f *fault) Error() string { return f.detail }

func faultf(at plangate.Range, format string, args ...any) error {
	return &fault{at, fmt.Sprintf(format, args...)}
}

// checker holds a schema to its metaschema and finds the first fault in source
// order (spec CAT-7). The library would not: it takes unknown types, null,
// negative lengths, empty lists, anchors that stand twice and references to
// absent keywords, and where it does refuse something it says no place.
type checker struct {
	draft7  bool
	root    *node
	work    *int64           // see maxSchemaWork
	schemas map[*node]bool   // what is a schema
	named   map[string]*node // schemas by absolute URI; an anchor is a fragment
	refs    []reference
}

// place is where in the whole a schema stands.
type place struct {
	base    *url.URL // what relative references start from
	pointer int      // length of the pointer from the root, about
}

func (p place) below(step string) place {
	p.pointer += 1 + len(step)
	return p
}

func (c *checker) check() error {
	base := &url.URL{Scheme: schemaScheme, Path: schemaPath}
	c.schemas, c.named = map[*node]bool{}, map[string]*node{base.String(): c.root}
	if err := c.schema(c.root, place{base: base}); err != nil {
		return err
	}
	for _, r := range c.refs {
		if err := c.resolve(r); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) schema(n *node, in place) error {
	if oneSchema.misfit(n) != nil {
		return faultf(n.rng, "a schema must be an object, true or false")
	}
	c.schemas[n] = true
	length := n.rng.End.Byte - n.rng.Start.Byte
	if err := c.spend(int64(subschemaWork + textWork*length + pointerWork*in.pointer)); err != nil {
		return err
	}
	in, err := c.name(n, in)
	for i := 0; i < len(n.members) && err == nil; i++ {
		err = c.keyword(n, n.members[i], in)
	}
	return err
}

func (c *checker) spend(units int64) error {
	if *c.work += units; *c.work > maxSchemaWork {
		return faultf(c.root.rng, "the schemas of this file are too much together; split the file")
	}
	return nil
}

// keyword checks a member of a schema. Anything may stand under a name that is
// no keyword, but the library takes a keyword in another case for it.
func (c *checker) keyword(schema *node, m member, in place) error {
	spelling, f, known := keyword(m.name)
	switch {
	case !known:
		return nil
	case spelling != m.name:
		return faultf(m.nameRange, "%q is no keyword; write %q", m.name, spelling)
	}
	if bad := f.misfit(m.value); bad != nil {
		return faultf(bad.rng, "%q must be %s", m.name, keywords[f].wanted)
	}
	if m.name == "$ref" || m.name == "$dynamicRef" {
		uri := in.base.ResolveReference(parseReference(m.value))
		c.refs = append(c.refs, reference{schema, m.value.text, uri})
	}
	return c.descend(f, m, in.below(m.name))
}

// descend checks what a value of the right form contains.
func (c *checker) descend(f form, m member, in place) error {
	switch {
	case f == oneSchema || f == itemsForm && m.value.typ != array:
		return c.schema(m.value, in)
	case f == itemsForm && (!c.draft7 || len(m.value.items) == 0):
		return faultf(m.value.rng, "%q must be %s", m.name, keywords[f].wanted)
	case f == schemaList || f == itemsForm:
		return each(m.value.items, func(item *node) error { return c.schema(item, in.below("0")) })
	case f == schemaMap:
		return each(m.value.members, func(m member) error { return c.schema(m.value, in.below(m.name)) })
	case f == dependencyMap:
		return each(m.value.members, func(m member) error { return c.dependency(m.value, in.below(m.name)) })
	case f == patternMap:
		return each(m.value.members, func(m member) error { return c.patternProperty(m, in.below(m.name)) })
	case f == patternForm:
		return c.pattern(m.value.text, m.value.rng)
	case f == idForm && !c.draft7:
		return c.noFragment(m.value)
	default:
		return nil
	}
}

func each[T any](list []T, check func(T) error) error {
	for _, item := range list {
		if err := check(item); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) dependency(n *node, in place) error {
	if n.typ != array {
		return c.schema(n, in)
	}
	if bad := nameList.misfit(n); bad != nil {
		return faultf(bad.rng, "a list in dependencies must be %s", keywords[nameList].wanted)
	}
	return nil
}

func (c *checker) patternProperty(m member, in place) error {
	if err := c.pattern(m.name, m.nameRange); err != nil {
		return err
	}
	return c.schema(m.value, in)
}
