package when

import (
	"math/big"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// logical is a && b, or a || b. Each has a value of one side that settles it.
type logical struct {
	place
	a, b    node
	settled bool
}

func (n *logical) value(r *run) any {
	a := r.eval(n.a)
	if a == any(n.settled) {
		return n.settled
	}
	b := r.eval(n.b)
	if b == any(n.settled) {
		return n.settled
	}
	if a == any(!n.settled) && b == any(!n.settled) {
		return !n.settled
	}
	return unknownValue{}
}

// not is !x.
type not struct {
	place
	x node
}

func (n *not) value(r *run) any {
	if x, ok := r.eval(n.x).(bool); ok {
		return !x
	}
	return unknownValue{}
}

// order compares two numbers.
type order struct {
	place
	a, b node
	test func(sign int) bool // of a - b
}

func (n *order) value(r *run) any {
	a, ok := r.eval(n.a).(*big.Rat)
	b, also := r.eval(n.b).(*big.Rat)
	if !ok || !also || !r.spend(words(a)*words(b)/4) {
		return unknownValue{}
	}
	return n.test(a.Cmp(b))
}

// negation is -x.
type negation struct {
	place
	x node
}

func (n *negation) value(r *run) any {
	if x, ok := r.eval(n.x).(*big.Rat); ok {
		return new(big.Rat).Neg(x)
	}
	return unknownValue{}
}

// arithmetic makes a number of two.
type arithmetic struct {
	place
	a, b  node
	apply func(a, b *big.Rat) *big.Rat // nil: no result
}

func (n *arithmetic) value(r *run) any {
	a, ok := r.eval(n.a).(*big.Rat)
	b, also := r.eval(n.b).(*big.Rat)
	if !ok || !also {
		return unknownValue{}
	}
	// Most of the work is to bring the fraction to its lowest terms.
	if size := words(a) + words(b); !r.spend(64 + 4*size*size) {
		return unknownValue{}
	}
	result := n.apply(a, b)
	if result == nil {
		return unknownValue{}
	}
	return bounded(result)
}

// orders and arithmetics give the operators of HCL their meaning.
var (
	orders = map[*hclsyntax.Operation]func(int) bool{
		hclsyntax.OpLessThan:           func(sign int) bool { return sign < 0 },
		hclsyntax.OpLessThanOrEqual:    func(sign int) bool { return sign <= 0 },
		hclsyntax.OpGreaterThan:        func(sign int) bool { return sign > 0 },
		hclsyntax.OpGreaterThanOrEqual: func(sign int) bool { return sign >= 0 },
	}
	arithmetics = map[*hclsyntax.Operation]func(a, b *big.Rat) *big.Rat{
		hclsyntax.OpAdd:      func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) },
		hclsyntax.OpSubtract: func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) },
		hclsyntax.OpMultiply: func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) },
		hclsyntax.OpDivide:   quotient,
		hclsyntax.OpModulo:   remainder,
	}
)

func quotient(a, b *big.Rat) *big.Rat {
	if b.Sign() == 0 {
		return nil
	}
	return new(big.Rat).Quo(a, b)
}

// remainder has the sign of a, as in HCL.
func remainder(a, b *big.Rat) *big.Rat {
	q := quotient(a, b)
	if q == nil {
		return nil
	}
	whole := new(big.Rat).SetInt(new(big.Int).Quo(q.Num(), q.Denom()))
	return whole.Sub(a, whole.Mul(whole, b))
}
