package conformance

import (
	"context"
	"errors"

	"github.com/plangate/plangate"
)

// ErrNoVectors means that there was nothing to run, which is never a success.
var ErrNoVectors = errors.New("conformance: no vectors to run")

// Report is the outcome of [Run].
type Report struct {
	Total    int                    `json:"total"`
	Passed   int                    `json:"passed"`
	Failed   int                    `json:"failed"`
	Failures plangate.List[Failure] `json:"failures"` // in the order of the vectors
}

// Failure is a vector that did not pass.
type Failure struct {
	Vector  string   `json:"vector"`
	About   string   `json:"about"`
	Covers  []string `json:"covers"`
	Reasons []string `json:"reasons"` // at least one
}

// Run puts every vector to an implementation. A vector fails by itself,
// whatever happens to it; the error is [ErrNoVectors] or that of a cancelled
// context, and the report then holds what was done until then.
func Run(ctx context.Context, implementation Implementation, vectors []Vector) (Report, error) {
	var report Report
	if len(vectors) == 0 {
		return report, ErrNoVectors
	}
	for i := range vectors {
		if err := ctx.Err(); err != nil {
			return report, err
		}
		v := &vectors[i]
		report.add(v, runOne(ctx, implementation, v))
	}
	return report, nil
}

func runOne(ctx context.Context, implementation Implementation, v *Vector) []string {
	response, err := implementation.Answer(ctx, v.Request)
	if err != nil {
		return []string{err.Error()}
	}
	return compare(v, &response)
}

func (r *Report) add(v *Vector, reasons []string) {
	r.Total++
	if len(reasons) == 0 {
		r.Passed++
		return
	}
	r.Failed++
	r.Failures = append(r.Failures, Failure{v.Name, v.About, v.Covers, reasons})
}
