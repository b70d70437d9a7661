package when

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

// The work of one Test, in units of some nanoseconds, or of a byte that is looked
// at. At worst it takes about a quarter of a second.
const (
	maxWork  = 32 << 20
	evalCost = 4
)

// node is a part of an expression, ready to be judged. Nodes are immutable.
type node interface {
	value(r *run) any
	typ(c *checker) typ
	at() plangate.Range
}

// place is where a node stands.
type place plangate.Range

func (p place) at() plangate.Range { return plangate.Range(p) }

// run is one Test.
type run struct {
	vars *Vars
	left int // units of work
	item any // element that a loop is at
	key  any // its index or name: int or string
}

// spend takes units of work, and reports false when there are none left. From
// then on everything is unknown.
func (r *run) spend(units int) bool {
	r.left -= units
	return r.left >= 0
}

// eval returns the value of a node, which may be absent.
func (r *run) eval(n node) any {
	if !r.spend(evalCost) {
		return unknownValue{}
	}
	return n.value(r)
}

// text passes on a string that was made or that comes from outside of JSON.
func (r *run) text(s string) any {
	if isASCII(s) {
		return s
	}
	if !r.spend(8*len(s)) || !normal(s) {
		return unknownValue{}
	}
	return s
}

// literal is a constant: null, a boolean, a number or a string. It also stands
// in for what could not be built, as an unknown.
type literal struct {
	place
	constant any
}

func (n *literal) value(*run) any { return n.constant }

// variable is input, session or caller.
type variable struct {
	place
	which root
}

func (n *variable) value(r *run) any { return r.vars.object(n.which) }

// callField is an attribute of the variable call.
type callField struct {
	place
	name string
}

func (n *callField) value(r *run) any {
	v := r.vars.field(n.name)
	if s, ok := v.(string); ok {
		return r.text(s)
	}
	return v
}

// element is what a loop is at.
type element struct{ place }

func (n *element) value(r *run) any { return r.item }

// elementKey is the index or the name of what a loop is at.
type elementKey struct{ place }

func (n *elementKey) value(r *run) any {
	if i, ok := r.key.(int); ok {
		return big.NewRat(int64(i), 1)
	}
	return r.key
}

// attribute is base.name.
type attribute struct {
	place
	base node
	name string
}

func (n *attribute) value(r *run) any { return r.member(r.eval(n.base), n.name) }

// member returns a member of an object. It is absent only if the object is
// certainly an object.
func (r *run) member(base any, name string) any {
	members, ok := base.(map[string]any)
	if !ok {
		return unknownValue{}
	}
	if v, ok := members[name]; ok {
		return r.settle(v)
	}
	return absentValue{}
}

// index is base[key], with a number for a list or a string for an object.
type index struct {
	place
	base, key node
}

func (n *index) value(r *run) any {
	base := r.eval(n.base)
	switch key := r.eval(n.key).(type) {
	case string:
		return r.member(base, key)
	case *big.Rat:
		list, ok := base.([]any)
		if !ok || !key.IsInt() || !key.Num().IsInt64() {
			break
		}
		if i := key.Num().Int64(); 0 <= i && i < int64(len(list)) {
			return r.settle(list[i])
		}
	}
	return unknownValue{}
}

// list is [a, b, …].
type list struct {
	place
	items []node
}

func (n *list) value(r *run) any {
	items := make([]any, len(n.items))
	for i, item := range n.items {
		items[i] = present(r.eval(item))
	}
	return items
}

// template is a string with parts to fill in, each of them a string.
type template struct {
	place
	parts []node
}

func (n *template) value(r *run) any {
	var out strings.Builder
	for _, part := range n.parts {
		s, ok := r.eval(part).(string)
		if !ok || !r.spend(len(s)) {
			return unknownValue{}
		}
		out.WriteString(s)
	}
	return r.text(out.String())
}

// conditional is condition ? yes : no.
type conditional struct {
	place
	condition, yes, no node
}

func (n *conditional) value(r *run) any {
	switch r.eval(n.condition) {
	case true:
		return r.eval(n.yes)
	case false:
		return r.eval(n.no)
	default:
		return unknownValue{}
	}
}

// loop is a for expression or a splat: a list of body for each element for
// which the filter is true. Where the filter is unknown, so is the whole list.
type loop struct {
	place
	over, filter, body node // filter may be nil
	splat              bool // over a list only
}

func (n *loop) value(r *run) any {
	out := []any{}
	visit := func(key, item any) bool {
		r.key, r.item = key, r.settle(item)
		if n.filter != nil {
			switch r.eval(n.filter) {
			case true:
			case false:
				return true
			default:
				return false
			}
		}
		out = append(out, present(r.eval(n.body)))
		return r.left >= 0
	}
	if !n.visitAll(r, visit) {
		return unknownValue{}
	}
	return out
}

// visitAll calls visit for each element, of objects by name in byte order,
// until visit returns false. It reports whether all were visited.
func (n *loop) visitAll(r *run, visit func(key, item any) bool) bool {
	switch over := r.eval(n.over).(type) {
	case []any:
		for i, item := range over {
			if !visit(i, item) {
				return false
			}
		}
		return true
	case map[string]any:
		if n.splat || !r.spend(evalCost*len(over)) {
			return false
		}
		for _, key := range slices.Sorted(maps.Keys(over)) {
			if !visit(key, over[key]) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// nullTest is x == null: whether x is absent or null.
type nullTest struct {
	place
	x      node
	negate bool
}

func (n *nullTest) value(r *run) any {
	switch r.eval(n.x).(type) {
	case unknownValue:
		return unknownValue{}
	case absentValue, nil:
		return !n.negate
	default:
		return n.negate
	}
}

// equality is a == b or a != b.
type equality struct {
	place
	a, b   node
	negate bool
}

func (n *equality) value(r *run) any {
	t := r.equal(r.eval(n.a), r.eval(n.b))
	if t == eval.Unknown {
		return unknownValue{}
	}
	return (t == eval.Yes) != n.negate
}
