package when

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/suggest"
)

// kinds is a set of the types that a value may have.
type kinds uint8

const (
	nullKind kinds = 1 << iota
	boolKind
	numberKind
	stringKind
	listKind
	objectKind

	scalarKinds = boolKind | numberKind | stringKind
	anyKind     = nullKind | scalarKinds | listKind | objectKind
)

var kindWords = [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}

// String lists the types, as in "a string or a list".
func (k kinds) String() string {
	var words []string
	for i, word := range kindWords {
		if k&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, " or ")
}

// kindOf returns the type of a value, or 0 if it is unknown or absent.
func kindOf(v any) kinds {
	switch v.(type) {
	case nil:
		return nullKind
	case bool:
		return boolKind
	case *big.Rat:
		return numberKind
	case string:
		return stringKind
	case []any:
		return listKind
	case map[string]any:
		return objectKind
	default:
		return 0
	}
}

// typ is what is known of a node before any call.
type typ struct {
	kinds  kinds
	elem   kinds  // of the elements, if it is a list
	schema schema // nil: nothing is known of what is inside
}

var anything = typ{kinds: anyKind, elem: anyKind}

func plain(k kinds) typ { return typ{kinds: k, elem: anyKind} }

// element is the type of what a loop over t is at.
func (t typ) element() typ {
	switch {
	case t.kinds&^nullKind != listKind:
		return anything
	case t.schema != nil:
		return t.schema.items().typ()
	default:
		return plain(t.elem)
	}
}

// checker infers types, and reports what can be of no type that is wanted.
type checker struct {
	input schema // nil: nothing is known
	item  typ    // of the element that a loop is at
	key   kinds  // of its index or name
	diags plangate.Diagnostics
}

func (c *checker) report(code string, at plangate.Range, words ...string) {
	c.diags = append(c.diags, &plangate.Diagnostic{Code: code, Range: at, Summary: words[0], Detail: words[1]})
}

// want returns the type of a node of which something is wanted.
func (c *checker) want(n node, wanted kinds) typ {
	t := n.typ(c)
	if t.kinds&wanted == 0 {
		c.wrongType(n, wanted, t.kinds)
	}
	return t
}

func (c *checker) wrongType(n node, wanted, have kinds) {
	detail := fmt.Sprintf("This is %s, but %s is wanted here: the answer would always be unknown.", have, wanted)
	if have == nullKind {
		detail += " To ask whether something is there, compare it with == null."
	}
	c.report(codeWrongType, n.at(), "Wrong type", detail)
}

func (n *literal) typ(*checker) typ {
	if k := kindOf(n.constant); k != 0 {
		return plain(k)
	}
	return anything
}

func (n *variable) typ(c *checker) typ {
	t := plain(objectKind)
	if n.which == inputRoot {
		t.schema = c.input
	}
	return t
}

func (n *callField) typ(*checker) typ    { return plain(stringKind) }
func (n *element) typ(c *checker) typ    { return c.item }
func (n *elementKey) typ(c *checker) typ { return plain(c.key) }

func (n *attribute) typ(c *checker) typ {
	base := c.want(n.base, objectKind)
	if base.schema == nil || base.kinds&objectKind == 0 {
		return anything
	}
	inner, ok := base.schema.property(n.name)
	if !ok {
		names := base.schema.names()
		known := "It has no arguments."
		if len(names) > 0 {
			known = "It has " + strings.Join(names[:min(len(names), 20)], ", ") + "."
		}
		c.report(codeUnknownArgument, n.at(), "Unknown argument", fmt.Sprintf(
			"The input schema of the operation has no %.100q here.%s %s", n.name, suggest.DidYouMean(n.name, names), known))
		return anything
	}
	return inner.typ()
}

func (n *index) typ(c *checker) typ {
	key := c.want(n.key, numberKind|stringKind)
	wanted := listKind | objectKind
	if key.kinds == numberKind {
		wanted = listKind
	} else if key.kinds == stringKind {
		wanted = objectKind
	}
	base := c.want(n.base, wanted)
	if key.kinds == numberKind && base.kinds&listKind != 0 {
		base.kinds = listKind
		return base.element()
	}
	return anything
}

func (n *list) typ(c *checker) typ {
	t := typ{kinds: listKind}
	for _, item := range n.items {
		t.elem |= item.typ(c).kinds
	}
	return t
}

func (n *template) typ(c *checker) typ {
	for _, part := range n.parts {
		c.want(part, stringKind)
	}
	return plain(stringKind)
}

func (n *conditional) typ(c *checker) typ {
	c.want(n.condition, boolKind)
	yes, no := n.yes.typ(c), n.no.typ(c)
	return typ{kinds: yes.kinds | no.kinds, elem: yes.elem | no.elem}
}

func (n *loop) typ(c *checker) typ {
	wanted := listKind | objectKind
	if n.splat {
		wanted = listKind
	}
	over := c.want(n.over, wanted)
	over.kinds &= wanted
	c.item, c.key = over.element(), numberKind|stringKind
	if over.kinds == listKind {
		c.key = numberKind
	} else if over.kinds == objectKind {
		c.key = stringKind
	}
	if n.filter != nil {
		c.want(n.filter, boolKind)
	}
	return typ{kinds: listKind, elem: n.body.typ(c).kinds}
}

func (n *nullTest) typ(c *checker) typ {
	if _, whole := n.x.(*variable); whole {
		c.wrongType(n.x, nullKind|scalarKinds|listKind, objectKind)
	}
	n.x.typ(c)
	return plain(boolKind)
}

func (n *equality) typ(c *checker) typ {
	const comparable = scalarKinds | listKind
	a, b := c.want(n.a, comparable), c.want(n.b, comparable)
	if a.kinds&comparable != 0 && b.kinds&comparable != 0 && a.kinds&b.kinds&comparable == 0 {
		c.mismatch(n.a, n.b, a.kinds, b.kinds)
	}
	return plain(boolKind)
}

// mismatch reports two sides of different types, at the side that reads
// something.
func (c *checker) mismatch(a, b node, have, other kinds) {
	if _, constant := a.(*literal); constant {
		a, have, other = b, other, have
	}
	c.report(codeWrongType, a.at(), "Wrong type", fmt.Sprintf(
		"This is %s and compared with %s. Values of different types are neither equal nor different: the answer would "+
			"always be unknown.", have, other))
}

func (n *logical) typ(c *checker) typ {
	c.want(n.a, boolKind)
	c.want(n.b, boolKind)
	return plain(boolKind)
}

func (n *not) typ(c *checker) typ {
	c.want(n.x, boolKind)
	return plain(boolKind)
}

func (n *order) typ(c *checker) typ {
	c.want(n.a, numberKind)
	c.want(n.b, numberKind)
	return plain(boolKind)
}

func (n *negation) typ(c *checker) typ {
	c.want(n.x, numberKind)
	return plain(numberKind)
}

func (n *arithmetic) typ(c *checker) typ {
	c.want(n.a, numberKind)
	c.want(n.b, numberKind)
	return plain(numberKind)
}

func (n *search) typ(c *checker) typ {
	c.want(n.text, stringKind)
	return plain(boolKind)
}

func (n *call) typ(c *checker) typ {
	args := make([]typ, len(n.args))
	var union typ
	for i, arg := range n.args {
		args[i] = c.want(arg, n.fn.param(i))
		union.kinds |= args[i].kinds &^ nullKind
		union.elem |= args[i].elem
	}
	if n.name == "contains" {
		n.checkContains(c, args[0], args[1])
	}
	switch {
	case n.fn.result != 0:
		return plain(n.fn.result)
	case union.kinds == 0:
		return anything
	default:
		return union
	}
}

// checkContains compares what is looked for with what it can be found in.
func (n *call) checkContains(c *checker, in, part typ) {
	inside := in.element().kinds
	switch {
	case in.kinds&(listKind|stringKind) == 0, part.kinds == 0, inside == 0:
		return
	case in.kinds&listKind == 0:
		inside = stringKind
	case in.kinds&stringKind != 0:
		inside |= stringKind
	}
	if inside&part.kinds == 0 {
		c.mismatch(n.args[1], n.args[0], part.kinds, inside)
	}
}
