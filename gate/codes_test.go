package gate_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/plangate/plangate/gate"
)

func TestCodes(t *testing.T) {
	for code, err := range map[string]error{ // GAT-40
		"not_found": gate.ErrNotFound, "duplicate": gate.ErrDuplicate, "invalid_plan": gate.ErrPlan, "hook_error": gate.ErrHook,
		"invalid_verdict": gate.ErrVerdict, "stale": gate.ErrStale, "not_pending": gate.ErrNotPending,
		"already_answered": &gate.AlreadyAnswered{}, "superseded": &gate.Superseded{}, "expired": &gate.Expired{},
		"invalid_correction": &gate.InvalidCorrection{}, "policy_denies": &gate.PolicyDenies{}, "no_policy_store": gate.ErrNoPolicyStore,
		"not_ready": &gate.NotReady{}, "held": gate.ErrHeld, "session_taken_over": gate.ErrTakenOver, "not_running": gate.ErrNotRunning,
		"invalid_result": gate.ErrResult, "unsettled": gate.ErrUnsettled, "audit_failed": gate.ErrAudit,
		"store_unavailable": gate.ErrStoreUnavailable, "internal": errBoom,
	} {
		if got := gate.Code(fmt.Errorf("wrapped: %w", err)); got != code {
			t.Errorf("%v has the code %s, want %s", err, got, code)
		}
		if err.Error() == "" {
			t.Errorf("%s has no text", code)
		}
	}
	for _, err := range []error{&gate.AlreadyAnswered{}, &gate.Superseded{}} {
		if !errors.Is(err, gate.ErrNotPending) {
			t.Errorf("%T does not match ErrNotPending", err)
		}
	}
	if errors.Is(&gate.Expired{}, gate.ErrNotPending) {
		t.Error("Expired matches ErrNotPending")
	}
}

func TestIDsAreRandom(t *testing.T) {
	w := newWorld(t, policyText)
	s, seen := w.open("s"), map[string]bool{}
	for i := range 200 { // GAT-11
		item := w.plan(s, fmt.Sprint(i), call("same db.update", `{}`)).Items[0]
		if len(item.ID) != 26 || seen[item.ID] { // 5 bits a letter
			t.Fatalf("id %q", item.ID)
		}
		seen[item.ID] = true
	}
}
