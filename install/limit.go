package install

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/hook"
)

// MaxTimeout is the longest limit of time that is written. CLIs in JavaScript count in
// milliseconds of 31 bits, and take what is longer for one millisecond: Gemini CLI 0.61.0 then
// runs the call before the hook can answer.
const MaxTimeout = math.MaxInt32 * time.Millisecond

// timeoutFor returns the limit of time that lets a hook with these options answer, or an error
// if that is too long.
func timeoutFor(o *hook.Options) (time.Duration, error) {
	const margin = Timeout - hook.DefaultDeadline
	if o.Wait > MaxTimeout || o.Deadline > MaxTimeout || o.Limit()+margin > MaxTimeout {
		return 0, fmt.Errorf("--wait and --deadline together are longer than %s, which is the longest that CLIs wait for a hook",
			(MaxTimeout - margin).Truncate(time.Second))
	}
	return max(Timeout, o.Limit()+margin), nil
}

// limitOf returns the limit of time that stands in a hook's entry, 0 if there is none.
func (h Hook) limitOf(handler map[string]any) time.Duration {
	number, ok := handler[h.info.TimeoutKey].(json.Number)
	if !ok {
		return 0
	}
	value, err := number.Float64()
	if err != nil || value <= 0 {
		return 0
	}
	return time.Duration(min(value*float64(h.info.TimeoutUnit), math.MaxInt64/2))
}

// examineLimits reports entries whose hook may still wait when the CLI does not any more.
func (p place) examineLimits(r *Report) {
	info := p.hook.info
	for _, e := range p.status.Entries {
		limit := e.Limit
		if limit == 0 {
			limit = info.DefaultTimeout
		}
		options, err := hook.Parse(p.hook.optionsOf(e))
		if err != nil || limit == 0 || info.TimeoutKey == "" {
			continue // the canary tells of options that are wrong
		}
		state := StateOff
		if e.Closed || !slices.Contains(info.OnFailure, harness.FailureEffect{Failure: harness.FailTimeout, Effect: harness.Runs}) {
			state = StateNote // the call is blocked then
		}
		switch {
		case limit > MaxTimeout:
			r.note("timeout", state, p.path, fmt.Sprintf("the limit of %s for %s is so long that the CLI may take it for none at all", limit, e.Event))
		case options.Limit() >= limit:
			r.note("timeout", state, p.path, fmt.Sprintf("the hook for %s may take %s, and %s waits %s; run policyctl init %s",
				e.Event, options.Limit(), info.Title, limit, info.Name))
		}
	}
}
