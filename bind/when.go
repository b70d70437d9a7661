package bind

import (
	"errors"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

// Language judges the expressions of `when`. Package when has the one there is;
// it stands apart because it brings the HCL parser along.
type Language interface {
	// Compile makes a judge of an expression. It is given what Read returned.
	Compile(text string) (judge func(read any) eval.Truth, err error)
	// Read returns what expressions may read of a call. It is called at most once
	// for a call.
	Read(call plangate.Call) any
}

// whenCondition is the condition when.
type whenCondition struct{ expression func(any) eval.Truth }

func (b Binder) newWhenCondition(values []string) (judge, error) {
	if b.When == nil || len(values) != 1 {
		return nil, errors.New("bind: no language for when")
	}
	expression, err := b.When.Compile(values[0])
	return whenCondition{expression}, err
}

// test implements judge. It is the same for every item.
func (c whenCondition) test(r *readings, _ int, _ plangate.Action) eval.Truth {
	return c.expression(r.variables())
}
