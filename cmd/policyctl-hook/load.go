package main

import (
	"context"
	"sync"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/bind"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/hook"
	"github.com/plangate/plangate/layers"
)

// loadCached loads what the calls need of the cached table.
func loadCached(opts layers.Options, calls []plangate.Call) (hook.Loaded, error) {
	in := layers.Gather(opts)
	encoded := in.Cached()
	if encoded == nil {
		return hook.Loaded{}, hook.ErrWhole
	}
	binder := &binder{}
	excerpt, err := eval.LoadExcerpt(encoded, binder, calls)
	if err != nil || binder.incomplete {
		return hook.Loaded{}, hook.ErrWhole
	}
	return hook.Loaded{Policy: excerpt, Layers: in.Places}, nil
}

// binder is that of the language without expressions: to parse those takes a compiler.
// All else is bound when it is tested: most calls meet few of the built-in guards.
type binder struct {
	bind.Binder
	incomplete bool // an expression was to be bound, so the table must not be used
}

// Bind implements [eval.Binder].
func (b *binder) Bind(rule *eval.Rule, i int) (eval.Condition, error) {
	if rule.Conditions[i].Type == "when" {
		b.incomplete = true
		return nil, hook.ErrWhole
	}
	return lazy(sync.OnceValue(func() eval.Condition {
		condition, err := b.Binder.Bind(rule, i)
		if err != nil { // a table with such a rule is never cached
			return unknown{}
		}
		return condition
	})), nil
}

// lazy is a condition that is bound when it is tested first.
type lazy func() eval.Condition

// Test implements [eval.Condition].
func (l lazy) Test(readings eval.Readings, item int, action plangate.Action) eval.Truth {
	return l().Test(readings, item, action)
}

// unknown is a condition of which nothing is known: it never allows.
type unknown struct{}

// Test implements [eval.Condition].
func (unknown) Test(eval.Readings, int, plangate.Action) eval.Truth { return eval.Unknown }

// cannotAsk leaves questions to a program with a store.
func cannotAsk(context.Context, hook.Question) (harness.Answer, error) {
	return harness.Answer{}, hook.ErrWhole
}
