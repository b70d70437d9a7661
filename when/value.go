package when

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/plangate/plangate/eval"
)

// A value is nil (null), bool, *big.Rat, string, []any, map[string]any, or one
// of the two below. Inside lists and objects of a call, numbers are still
// json.Number: settle makes them *big.Rat when they are reached.
type (
	// unknownValue is what cannot be told.
	unknownValue struct{}
	// absentValue is an attribute that a readable object does not have.
	absentValue struct{}
)

// The bounds of numbers: what is outside is unknown in a call, and an error in
// an expression.
const (
	maxNumberBytes = 64
	maxExponent    = 400
	maxNumberBits  = 2048

	parseCost      = 32
	parsePowerCost = 1024
)

// settle makes a value of what stands in a list or an object of a call.
func (r *run) settle(v any) any {
	number, ok := v.(json.Number)
	if !ok {
		return v
	}
	cost := parseCost
	if strings.ContainsAny(string(number), "eE") {
		cost = parsePowerCost
	}
	if !r.spend(cost) {
		return unknownValue{}
	}
	if rat, ok := parseNumber(string(number)); ok {
		return rat
	}
	return unknownValue{}
}

// present turns absence into unknown, for places that must not see it.
func present(v any) any {
	if _, absent := v.(absentValue); absent {
		return unknownValue{}
	}
	return v
}

// parseNumber reads a number exactly. It reports false if it is out of bounds:
// a small text can stand for a huge number.
func parseNumber(text string) (*big.Rat, bool) {
	if len(text) > maxNumberBytes {
		return nil, false
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent, err := strconv.Atoi(text[i+1:])
		if err != nil || exponent > maxExponent || exponent < -maxExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// bounded passes on the result of arithmetic if it is of a sane size.
func bounded(r *big.Rat) any {
	if r.Num().BitLen() > maxNumberBits || r.Denom().BitLen() > maxNumberBits {
		return unknownValue{}
	}
	return r
}

// words is the size of a number, by which work with it is measured.
func words(r *big.Rat) int {
	if r.IsInt() {
		return r.Num().BitLen()/64 + 1
	}
	return (r.Num().BitLen()+r.Denom().BitLen())/64 + 1
}

// normal reports whether Unicode composition leaves text as it is. Text that is
// not UTF-8 is not normal.
func normal(text string) bool {
	return isASCII(text) || utf8.ValidString(text) && cty.NormalizeString(text) == text
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// equal compares two values of the same type. Null, objects and values of
// different types are unknown, which is neither equal nor different.
func (r *run) equal(a, b any) eval.Truth {
	if !r.spend(evalCost) {
		return eval.Unknown
	}
	switch a := r.settle(a).(type) {
	case bool:
		if b, ok := b.(bool); ok {
			return truth(a == b)
		}
	case string:
		if b, ok := b.(string); ok && r.spend(min(len(a), len(b))) {
			return truth(a == b)
		}
	case *big.Rat:
		if b, ok := r.settle(b).(*big.Rat); ok && r.spend(words(a)*words(b)/4) {
			return truth(a.Cmp(b) == 0)
		}
	case []any:
		if b, ok := b.([]any); ok {
			return r.equalLists(a, b)
		}
	}
	return eval.Unknown
}

func (r *run) equalLists(a, b []any) eval.Truth {
	if len(a) != len(b) {
		return eval.No
	}
	all := eval.Yes
	for i := range a {
		if all = all.And(r.equal(a[i], b[i])); all == eval.No {
			break
		}
	}
	return all
}

func truth(yes bool) eval.Truth {
	if yes {
		return eval.Yes
	}
	return eval.No
}

// valueOf is the value of a truth.
func valueOf(t eval.Truth) any {
	if t == eval.Unknown {
		return unknownValue{}
	}
	return t == eval.Yes
}

// truthOf is the truth of a value; what is no boolean is unknown.
func truthOf(v any) eval.Truth {
	if yes, ok := v.(bool); ok {
		return truth(yes)
	}
	return eval.Unknown
}
