package when

import (
	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

// Language implements the Language of package bind.
type Language struct{}

// Compile makes a judge of an expression; see [Parse]. It is to be given what
// Read returns.
func (Language) Compile(text string) (judge func(read any) eval.Truth, err error) {
	expression, diags := Parse(text, "", plangate.Pos{Line: 1, Column: 1})
	if err := diags.Err(); err != nil {
		return nil, err
	}
	return func(read any) eval.Truth {
		vars, ok := read.(*Vars)
		if !ok {
			return eval.Unknown
		}
		return expression.Test(vars)
	}, nil
}

// Read returns the [Vars] of a call.
func (Language) Read(call plangate.Call) any { return NewVars(call) }
