//go:build unix

package e2e

import (
	"os"
	"slices"
	"testing"

	"github.com/plangate/plangate/harness"
)

// drivers are the CLIs that have a test here.
func drivers() []driver {
	return []driver{claude{}, codex{}, copilot{}, gemini{}, opencode{}}
}

// undriven says why a CLI of package harness has no driver.
func undriven() map[string]string {
	return map[string]string{
		"amp":    "an agent run needs a login; TestAmp drives its rule checker",
		"cursor": "its CLI is not on npm and needs a login",
	}
}

// TestOthers says which CLIs no test drives, and that no CLI is forgotten.
func TestOthers(t *testing.T) {
	reasons := undriven()
	for _, name := range harness.Names() {
		has := slices.ContainsFunc(drivers(), func(d driver) bool { return d.Name() == name })
		why := reasons[name]
		if has != (why == "") {
			t.Errorf("%s: a driver: %t; a reason for having none: %q", name, has, why)
		}
		if why != "" && os.Getenv(clisEnv) != "" && name != "amp" { // which says so itself
			driven.no(describe(t, name).Title, why)
		}
	}
}
