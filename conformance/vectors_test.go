package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/internal/reference"
)

// route is one way in which this library answers a request.
type route struct {
	name string
	pick func(*loaded) (decider, error)
}

func (r route) Answer(_ context.Context, request Request) (Response, error) {
	return answerBy(&request, r.pick)
}

var routes = []route{
	{"table", func(l *loaded) (decider, error) { return l.table.Decide, nil }},
	{"explain", func(l *loaded) (decider, error) {
		return func(call plangate.Call) plangate.Decision { return l.table.Explain(call).Decision }, nil
	}},
	{"encoding", func(l *loaded) (decider, error) {
		table, err := eval.Load(l.table.Encode(), binder)
		if err != nil {
			return nil, err
		}
		return table.Decide, nil
	}},
	{"excerpt", func(l *loaded) (decider, error) {
		encoded := l.table.Encode()
		return func(call plangate.Call) plangate.Decision {
			excerpt, err := eval.LoadExcerpt(encoded, binder, []plangate.Call{call})
			if err != nil {
				return plangate.InvalidCall(call.ID, err)
			}
			return excerpt.Decide(call)
		}, nil
	}},
	{"reference", func(l *loaded) (decider, error) {
		policy := l.reference()
		return func(call plangate.Call) plangate.Decision {
			asked := policy
			asked.Judge = &boundJudge{catalog: l.input.Catalog}
			return reference.Decide(asked, call)
		}, nil
	}},
}

func (l *loaded) reference() reference.Policy {
	policy := reference.Policy{
		Catalog: l.input.Catalog, Now: l.input.Now, Builtins: builtins(l.input.Protect.Rules()),
	}
	for _, layer := range l.input.Layers {
		policy.Layers = append(policy.Layers, reference.Layer(layer))
	}
	if d := firstError(l.diags); d != nil {
		policy.Refused = &d.Range
	}
	return policy
}

// TestVectors puts every vector to every route.
func TestVectors(t *testing.T) {
	vectors, err := Vectors()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(childVariable, "serve")
	process := NewProcess([]string{testProgram(t)}, time.Minute)
	defer process.Close()
	implementations := map[string]Implementation{"process": process}
	for _, r := range routes {
		implementations[r.name] = r
	}
	for name, implementation := range implementations {
		t.Run(name, func(t *testing.T) {
			report, err := Run(t.Context(), implementation, vectors)
			if err != nil {
				t.Fatal(err)
			}
			for _, failure := range report.Failures {
				for _, reason := range failure.Reasons {
					t.Errorf("%s: %s", failure.Vector, reason)
				}
			}
			if report.Total != len(vectors) || report.Passed+report.Failed != report.Total {
				t.Errorf("%d vectors, report %d = %d + %d", len(vectors), report.Total, report.Passed, report.Failed)
			}
		})
	}
}

// TestVectorsRefusedByTheReference holds what the reference finds wrong with a
// policy set against whether it loads.
func TestVectorsRefusedByTheReference(t *testing.T) {
	vectors, err := Vectors()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		l, err := load(&v.Request)
		if err != nil {
			t.Fatal(err)
		}
		policy := l.reference()
		wrong := len(reference.Conflicts(policy)) + len(reference.ProfileErrors(policy))
		if wrong > 0 && !l.diags.HasErrors() {
			t.Errorf("%s: loads although the reference finds %d errors", v.Name, wrong)
		}
	}
}
