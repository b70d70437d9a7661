package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/plangate/plangate"
)

// World is a store and a policy, in which kernels are started. Clocks stand still at
// the same time in all of its kernels until test_clock moves them.
type World interface {
	// Start starts a kernel.
	Start(ctx context.Context) (Kernel, error)
	// SetPolicy replaces the policy in force, for all kernels, in the form of
	// Vector.Policy.
	SetPolicy(policy json.RawMessage) error
	// Records returns the audit records of the store, in order; nil if it cannot.
	Records(ctx context.Context) ([]json.RawMessage, error)
}

// Kernel answers requests of the protocol. An error is an [Error] if the protocol has
// it, else it ends the vector. Call is used by several goroutines.
type Kernel interface {
	Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Kill ends the kernel as a crash would.
	Kill() error
}

// Error is an error of the protocol.
type Error struct {
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// Error implements error.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// answerLimit is how long one answer may take.
const answerLimit = 30 * time.Second

// Run plays a vector in a new world and returns what was not as it should be; none
// means that it passed. It kills the kernels it started.
func Run(ctx context.Context, world World, v Vector) (failures []string) {
	r := &run{world: world, kernels: map[string]Kernel{}, ids: map[string]string{}, started: map[string]chan answered{}}
	defer func() {
		for _, name := range slices.Sorted(maps.Keys(r.kernels)) {
			if err := r.kernels[name].Kill(); err != nil {
				failures = append(failures, fmt.Sprintf("kernel %q: %v", name, err))
			}
		}
	}()
	for i := range v.Steps {
		wrong, err := r.step(ctx, &v.Steps[i])
		for _, text := range wrong {
			failures = append(failures, fmt.Sprintf("step %d (%s): %s", i+1, v.Steps[i].Call, text))
		}
		if err != nil {
			return append(failures, fmt.Sprintf("step %d (%s): %v", i+1, v.Steps[i].Call, err))
		}
	}
	return failures
}

// run is one play of a vector.
type run struct {
	world   World
	kernels map[string]Kernel
	clock   time.Duration
	// ids maps "$c1" to the id of the item of call c1, and "$c1.digest" to its digest
	// when it was planned.
	ids     map[string]string
	started map[string]chan answered
}

type answered struct {
	result json.RawMessage
	err    error
}

func (r *run) step(ctx context.Context, s *Step) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	switch {
	case s.Policy != nil:
		return nil, r.world.SetPolicy(s.Policy)
	case s.Restart:
		return nil, r.restart(ctx, s.Kernel)
	case s.Finish != "":
		select {
		case a := <-r.started[s.Finish]:
			return r.compare(s, a)
		case <-ctx.Done():
			return nil, fmt.Errorf("no answer to %s", s.Finish)
		}
	case s.Call == "records":
		records, err := r.world.Records(ctx)
		if err != nil || records == nil {
			return nil, err
		}
		result, err := json.Marshal(map[string]any{"records": records})
		if err != nil {
			return nil, err
		}
		return r.compare(s, answered{result: result})
	default:
		return r.call(ctx, s)
	}
}

// call sends a request. One that is only started outlives this step.
func (r *run) call(ctx context.Context, s *Step) ([]string, error) {
	kernel, err := r.kernel(ctx, s.Kernel)
	if err != nil {
		return nil, err
	}
	params, err := r.fill(s.Params)
	if err != nil {
		return nil, err
	}
	if s.Call == "test_clock" {
		return nil, r.moveClocks(ctx, params)
	}
	if s.Start == "" {
		result, err := kernel.Call(ctx, s.Call, params)
		return r.compare(s, answered{result, err})
	}
	done := make(chan answered, 1)
	r.started[s.Start] = done
	go func() {
		result, err := kernel.Call(context.WithoutCancel(ctx), s.Call, params)
		done <- answered{result, err}
	}()
	return nil, nil
}

func (r *run) kernel(ctx context.Context, name string) (Kernel, error) {
	if kernel := r.kernels[name]; kernel != nil {
		return kernel, nil
	}
	kernel, err := r.world.Start(ctx)
	if err != nil {
		return nil, err
	}
	r.kernels[name] = kernel
	if r.clock != 0 {
		_, err = kernel.Call(ctx, "test_clock", advance(r.clock))
	}
	return kernel, err
}

func (r *run) restart(ctx context.Context, name string) error {
	if kernel := r.kernels[name]; kernel != nil {
		if err := kernel.Kill(); err != nil {
			return err
		}
		delete(r.kernels, name)
	}
	_, err := r.kernel(ctx, name)
	return err
}

func advance(step time.Duration) json.RawMessage {
	return fmt.Appendf(nil, `{"advance": %q}`, step.String())
}

// moveClocks moves the clocks of all kernels, and of those to come.
func (r *run) moveClocks(ctx context.Context, params json.RawMessage) error {
	var p struct{ Advance string }
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	step, err := time.ParseDuration(p.Advance)
	if err != nil {
		return err
	}
	r.clock += step
	for _, kernel := range r.kernels {
		if _, err := kernel.Call(ctx, "test_clock", advance(step)); err != nil {
			return err
		}
	}
	return nil
}

// compare says how an answer differs from what is wanted.
func (r *run) compare(s *Step, a answered) ([]string, error) {
	if a.err != nil {
		fault, ok := errors.AsType[*Error](a.err)
		switch {
		case !ok:
			return nil, a.err
		case s.Error == "":
			return nil, fmt.Errorf("it failed: %w", a.err)
		case fault.Code != s.Error:
			return []string{fmt.Sprintf("code %s (%s), want %s", fault.Code, fault.Message, s.Error)}, nil
		}
		return r.differ("data", s.Data, fault.Data)
	}
	if s.Error != "" {
		return nil, fmt.Errorf("it succeeded, want %s", s.Error)
	}
	if err := plangate.CheckJSON(a.result); err != nil {
		return nil, fmt.Errorf("the result: %w", err)
	}
	if s.Call == "plan" {
		if err := r.remember(a.result); err != nil {
			return nil, err
		}
	}
	return r.differ("result", s.Want, a.result)
}

// remember notes the items of a plan for references in later steps.
func (r *run) remember(result json.RawMessage) error {
	var plan struct {
		Items []struct {
			ID, Digest string
			Call       struct{ ID string }
		}
	}
	if err := json.Unmarshal(result, &plan); err != nil {
		return err
	}
	for _, item := range plan.Items {
		r.ids["$"+item.Call.ID] = item.ID
		r.ids["$"+item.Call.ID+".digest"] = item.Digest
	}
	return nil
}

// fill replaces references to items, and objects with the one key $raw by the text in
// it, which may be JSON that nobody should write.
func (r *run) fill(params json.RawMessage) (json.RawMessage, error) {
	if params == nil {
		return json.RawMessage("{}"), nil
	}
	if !strings.Contains(string(params), `"$`) {
		return params, nil // byte for byte, whatever is in it
	}
	value, err := decode(params)
	if err != nil {
		return nil, err
	}
	return json.Marshal(r.filled(value))
}

func (r *run) filled(value any) any {
	switch v := value.(type) {
	case string:
		if id, ok := r.ids[v]; ok {
			return id
		}
	case []any:
		for i := range v {
			v[i] = r.filled(v[i])
		}
	case map[string]any:
		if text, ok := v["$raw"].(string); ok && len(v) == 1 {
			return json.RawMessage(text)
		}
		for key := range v {
			v[key] = r.filled(v[key])
		}
	}
	return value
}

func (r *run) differ(what string, want, got json.RawMessage) ([]string, error) {
	if want == nil {
		return nil, nil
	}
	wanted, err := decode(want)
	if err != nil {
		return nil, err
	}
	if got == nil {
		return []string{fmt.Sprintf("no %s, want %s", what, want)}, nil
	}
	found, err := decode(got)
	if err != nil {
		return nil, err
	}
	return differences(what, r.filled(wanted), found), nil
}
