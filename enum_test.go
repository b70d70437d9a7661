package plangate_test

import (
	"encoding"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

// enum is what every enumeration of the package offers.
type enum interface {
	comparable
	encoding.TextMarshaler
	String() string
}

// enumCase is one enumeration; its words are listed by value, "" for one without text.
type enumCase struct {
	name  string
	check func(t *testing.T)
}

func enumOf[T enum, P interface {
	*T
	encoding.TextUnmarshaler
}](make func(uint8) T, words ...string) func(*testing.T) {
	return func(t *testing.T) {
		for i, word := range words {
			roundTrip[T, P](t, make(uint8(i)), word)
		}
		for _, i := range []uint8{uint8(len(words)), 200, 255} {
			checkInvalid(t, make(i))
		}
		checkUnknownText[T, P](t)
	}
}

func roundTrip[T enum, P interface {
	*T
	encoding.TextUnmarshaler
}](t *testing.T, value T, word string) {
	t.Helper()
	if word == "" {
		checkInvalid(t, value)
		return
	}
	text, err := json.Marshal(value)
	if err != nil || string(text) != `"`+word+`"` {
		t.Fatalf("Marshal(%v) = %s, %v; want %q", value, text, err, word)
	}
	if value.String() != word {
		t.Errorf("String() = %q, want %q", value.String(), word)
	}
	var back T
	if err := P(&back).UnmarshalText([]byte(word)); err != nil || back != value {
		t.Errorf("UnmarshalText(%q) = %v, %v; want %v", word, back, err, value)
	}
}

// checkInvalid holds that a value without a word does not reach JSON, and that
// printing it is harmless.
func checkInvalid[T enum](t *testing.T, value T) {
	t.Helper()
	if text, err := json.Marshal(value); err == nil {
		t.Errorf("Marshal(%v) = %s; want an error", value, text)
	}
	if value.String() == "" {
		t.Error("String() is empty")
	}
}

func checkUnknownText[T enum, P interface {
	*T
	encoding.TextUnmarshaler
}](t *testing.T) {
	t.Helper()
	for _, text := range []string{`""`, `"Deny"`, `"unspecified"`, `"invalid(0)"`, `" deny"`, `"x"`, `0`, `true`, `[]`} {
		value := new(T)
		if err := json.Unmarshal([]byte(text), value); err == nil {
			t.Errorf("Unmarshal(%s) = %v; want an error", text, *value)
		}
	}
}

// TestEnums holds FMT-3.
func TestEnums(t *testing.T) {
	tests := []enumCase{
		{"action", enumOf(func(i uint8) plangate.Action { return plangate.Action(i) },
			"deny", "ask", "hook", "allow")},
		{"kind", enumOf(func(i uint8) plangate.Kind { return plangate.Kind(i) },
			"", "resource", "data_source", "interactive")},
		{"risk", enumOf(func(i uint8) plangate.Risk { return plangate.Risk(i) },
			"", "read_only", "low", "moderate", "high", "critical")},
		{"layer", enumOf(func(i uint8) plangate.Layer { return plangate.Layer(i) },
			"builtin", "managed", "user", "project", "profile")},
		{"downgrade", enumOf(func(i uint8) plangate.Downgrade { return plangate.Downgrade(i) },
			"none", "no_apply_step", "headless")},
		{"rule type", enumOf(func(i uint8) plangate.RuleType { return plangate.RuleType(i) },
			"builtin", "policy", "guard", "default", "grant", "list")},
		{"severity", enumOf(func(i uint8) plangate.Severity { return plangate.Severity(i) },
			"error", "warning")},
		{"producer category", enumOf(func(i uint8) plangate.ProducerCategory { return plangate.ProducerCategory(i) },
			"tool", "slashcommand")},
	}
	for _, test := range tests {
		t.Run(test.name, test.check)
	}
}

func TestZeroActionIsDeny(t *testing.T) {
	var zero plangate.Action
	if zero != plangate.Deny {
		t.Errorf("the zero action is %v", zero)
	}
	if action, err := plangate.ParseAction("alow"); err == nil || action != plangate.Deny {
		t.Errorf("ParseAction of unknown text = %v, %v; want deny and an error", action, err)
	}
}

func TestStricterIsMin(t *testing.T) {
	order := []plangate.Action{plangate.Deny, plangate.Ask, plangate.Hook, plangate.Allow}
	for i := 1; i < len(order); i++ {
		if min(order[i-1], order[i]) != order[i-1] {
			t.Errorf("%v is not stricter than %v", order[i-1], order[i])
		}
	}
	restrictive := map[plangate.Action]bool{}
	for _, action := range order {
		restrictive[action] = action.Restrictive()
	}
	want := map[plangate.Action]bool{plangate.Deny: true, plangate.Ask: true, plangate.Hook: true, plangate.Allow: false}
	if diff := cmp.Diff(want, restrictive); diff != "" {
		t.Error(diff)
	}
}

func TestDecidedBy(t *testing.T) {
	tests := map[string]plangate.Rule{
		"policy:a":         {Type: plangate.RulePolicy, Name: "a"},
		"guard:b":          {Type: plangate.RuleGuard, Name: "b"},
		"default:resource": {Type: plangate.RuleDefault, Name: "resource"},
		"grant:git-push":   {Type: plangate.RuleGrant, Name: "git-push"},
		"allowed_tools":    {Type: plangate.RuleList, Name: "allowed_tools"},
		"builtin:x":        {Type: plangate.RuleBuiltin, Name: "x"},
	}
	for want, rule := range tests {
		if got := rule.DecidedBy(); got != want {
			t.Errorf("DecidedBy() = %q, want %q", got, want)
		}
	}
}
