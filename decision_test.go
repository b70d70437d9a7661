package plangate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

// members returns the keys of a JSON object.
func members(t *testing.T, text []byte) []string {
	t.Helper()
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	for key, value := range object {
		if string(value) == "null" && key != "witness" {
			t.Errorf("key %q is null", key)
		}
	}
	return slices.Sorted(maps.Keys(object))
}

// TestDecisionJSONHasEveryKey holds FMT-5.
func TestDecisionJSONHasEveryKey(t *testing.T) {
	want := []string{
		"action", "decided_by", "downgrade", "id", "matched_action", "reason", "rule", "unknown",
	}
	decisions := map[string]plangate.Decision{
		"zero":    {},
		"allow":   plangate.NewDecision("c1", &plangate.Outcome{Action: plangate.Allow, Unknown: []string{"kind"}}),
		"no list": plangate.NewDecision("", &plangate.Outcome{}),
		"invalid": plangate.InvalidCall("c1", errors.New("x")),
	}
	for name, decision := range decisions {
		text, err := json.Marshal(decision)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, members(t, text)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		var back struct{ Rule json.RawMessage }
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"file", "layer", "line", "name", "type"}, members(t, back.Rule)); diff != "" {
			t.Errorf("%s: rule: %s", name, diff)
		}
	}
}

func TestZeroDecisionDenies(t *testing.T) {
	var zero plangate.Decision
	if zero.Action() != plangate.Deny || zero.MatchedAction() != plangate.Deny {
		t.Errorf("the zero decision is %v", zero.Outcome())
	}
	if zero.DecidedBy() == "" || zero.Reason() == "" {
		t.Errorf("the zero decision has no provenance: %v", zero.Outcome())
	}
	text, err := json.Marshal(zero)
	if err != nil {
		t.Fatal(err)
	}
	var back plangate.Decision
	if err := json.Unmarshal(text, &back); err != nil || !back.Equal(zero) {
		t.Errorf("%s became %v, %v", text, back.Outcome(), err)
	}
}

func TestDecisionJSONRoundTrip(t *testing.T) {
	decision := plangate.NewDecision("c1", &plangate.Outcome{
		Action: plangate.Deny, DecidedBy: "policy:a", MatchedAction: plangate.Ask,
		Downgrade: plangate.DowngradeHeadless, Reason: "no <human>",
		Rule: plangate.Rule{
			Type: plangate.RulePolicy, Name: "a", Layer: plangate.LayerUser, File: "agent.hcl", Line: 3,
		},
		Unknown: []string{"risk", "<x>"},
	})
	text, err := json.Marshal(decision)
	if err != nil {
		t.Fatal(err)
	}
	var back plangate.Decision
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decision, back); diff != "" {
		t.Error(diff)
	}
	if back.CallID() != "c1" || back.Downgrade() != plangate.DowngradeHeadless || back.Rule().Line != 3 {
		t.Errorf("got %s, %v", back.CallID(), back.Outcome())
	}
}

func TestDecisionRefusesUnknownWords(t *testing.T) {
	texts := []string{
		`{"action":"permit"}`, `{"action":""}`, `{"action":1}`, `{"downgrade":"x"}`,
		`{"rule":{"type":"x"}}`, `{"rule":{"layer":"x"}}`, `{"matched_action":"ALLOW"}`, `[]`,
	}
	for _, text := range texts {
		decision := plangate.NewDecision("c1", &plangate.Outcome{Action: plangate.Ask})
		if err := json.Unmarshal([]byte(text), &decision); err == nil {
			t.Errorf("%s became %v; want an error", text, decision.Outcome())
		}
	}
}

func TestStricterThan(t *testing.T) {
	of := func(action, matched plangate.Action) plangate.Decision {
		return plangate.NewDecision("", &plangate.Outcome{Action: action, MatchedAction: matched})
	}
	order := []plangate.Decision{
		of(plangate.Deny, plangate.Deny), of(plangate.Deny, plangate.Ask), of(plangate.Ask, plangate.Ask),
		of(plangate.Ask, plangate.Hook), of(plangate.Allow, plangate.Allow),
	}
	for i, a := range order {
		for j, b := range order {
			if got := a.StricterThan(b); got != (i < j) {
				t.Errorf("%v stricter than %v: %v", a.Outcome(), b.Outcome(), got)
			}
		}
	}
}

// TestJSONLeavesHTMLToTheEncoder holds that nothing escapes what the encoder was
// told to leave alone.
func TestJSONLeavesHTMLToTheEncoder(t *testing.T) {
	values := []any{
		plangate.List[string]{"<a>"},
		plangate.NewDecision("<a>", &plangate.Outcome{Reason: "a & b", Unknown: []string{"<a>"}}),
		plangate.Diagnostic{Detail: "<a>", Related: []plangate.Related{{Message: "<a>"}}},
	}
	for _, value := range values {
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(out.Bytes(), []byte(`\u00`)) {
			t.Errorf("got %s", out.Bytes())
		}
		escaped, err := json.Marshal(value)
		if err != nil || bytes.ContainsAny(escaped, "<>&") {
			t.Errorf("Marshal gave %s, %v", escaped, err)
		}
	}
}

// TestDiagnosticJSONHasEveryKey holds the keys of FMT-8.
func TestDiagnosticJSONHasEveryKey(t *testing.T) {
	want := []string{"code", "detail", "range", "related", "severity", "summary", "witness"}
	text, err := json.Marshal(plangate.Diagnostic{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, members(t, text)); diff != "" {
		t.Error(diff)
	}
}

func TestInvalidValuesDoNotMarshal(t *testing.T) {
	values := map[string]any{
		"decision": plangate.NewDecision("", &plangate.Outcome{Action: 9}),
		"matched":  plangate.NewDecision("", &plangate.Outcome{MatchedAction: 9}),
		"reason":   plangate.NewDecision("", &plangate.Outcome{Downgrade: 9}),
		"rule":     plangate.Rule{Type: 9},
		"layer":    plangate.Rule{Layer: 9},
		"call":     plangate.Call{Kind: 9},
		"input":    plangate.Call{Input: json.RawMessage(`{`)},
		"severity": plangate.Diagnostic{Severity: 9},
	}
	for name, value := range values {
		if text, err := json.Marshal(value); err == nil {
			t.Errorf("%s: got %s; want an error", name, text)
		}
	}
}
