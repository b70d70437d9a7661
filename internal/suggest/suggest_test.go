package suggest

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"operation", "provider", "risk", "kind", "high", "exec", "read_file"}
	for given, want := range map[string]string{
		"toolname": "", "oparation": "operation", "Provider": "provider", "rsik": "risk",
		"hihg": "high", "exec_command": "exec", "read": "read_file", "kin": "kind", "xyz": "", "": "",
	} {
		if got := Nearest(given, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", given, got, want)
		}
	}
}
