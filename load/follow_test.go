package load_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/load"
)

func TestFollow(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "agent.hcl")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rule := func(action string) string {
		return "policy \"p\" {\n  match  = { operation = \"x\" }\n  action = \"" + action + "\"\n}\n"
	}
	write(rule("deny"))
	follower := load.Follow(layers.Options{Files: []string{file}, Dir: dir}, time.Now)
	first := follower.Policy()
	if again := follower.Policy(); again != first {
		t.Error("compiled again without a change")
	}
	call := plangate.Call{ID: "c", Operation: "x"}
	stamp := time.Unix(1_000_000_000, 0)
	for _, tt := range []struct {
		text, by string
		want     plangate.Action
	}{
		{rule("deny"), "policy:p", plangate.Deny},
		{rule("allow"), "policy:p", plangate.Allow},
		{rule("ask") + "policy \"", "builtin:policy_error", plangate.Deny},
		{rule("ask"), "policy:p", plangate.Ask},
		{rule("hook"), "policy:p", plangate.Ask},
	} {
		write(tt.text)
		if err := os.Chtimes(file, stamp, stamp); err != nil { // the time must not matter
			t.Fatal(err)
		}
		got := follower.Policy().Table.Decide(call)
		if got.Action() != tt.want || got.DecidedBy() != tt.by {
			t.Errorf("%q: %s by %s, want %s by %s", tt.text, got.Action(), got.DecidedBy(), tt.want, tt.by)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if got := follower.Policy().Table.Decide(call).Action(); got != plangate.Deny {
		t.Errorf("without its file: %s", got)
	}
}
