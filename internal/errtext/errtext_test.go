package errtext

import (
	"errors"
	"testing"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"gate: persist: database is locked": "database is locked",
		"open /etc/x: permission denied":    "open /etc/x: permission denied",
		"load: a: b":                        "a: b",
		"audit":                             "audit",
		"":                                  "",
	} {
		if got := Plain(errors.New(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
