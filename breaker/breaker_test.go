package breaker

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// script feeds events to a breaker, one word each: "d:P:RULE" denies, "c:P" crashes,
// "s:P" succeeds. Items are numbered from 1. It returns for each bad event what was
// reported, as "scope key reason items".
func script(b *Breaker, events string) []string {
	reports := []string{}
	for i, word := range strings.Fields(events) {
		part := append(strings.Split(word, ":"), "", "")
		var trips []Trip
		switch part[0] {
		case "d":
			trips = b.Denied(part[1], part[2], strconv.Itoa(i+1))
		case "c":
			trips = b.Crashed(part[1])
		case "s":
			b.Succeeded(part[1])
			continue
		}
		reports = append(reports, describe(trips))
	}
	return reports
}

func describe(trips []Trip) string {
	texts := []string{}
	for _, t := range trips {
		texts = append(texts, strings.TrimSpace(fmt.Sprintf("%s %s %s %s",
			t.Scope, t.Key, t.Reason, strings.Join(t.Denials, ","))))
	}
	return strings.Join(texts, "; ")
}

// of keeps the reports of one scope.
func of(scope Scope, reports []string) []string {
	kept := []string{}
	for _, report := range reports {
		var mine []string
		for _, trip := range strings.Split(report, "; ") {
			if strings.HasPrefix(trip, scope.String()+" ") {
				mine = append(mine, strings.TrimPrefix(trip, scope.String()+" "))
			}
		}
		kept = append(kept, strings.Join(mine, "; "))
	}
	return kept
}

func TestProviderCounter(t *testing.T) {
	tests := []struct {
		name   string
		config Config
		events string
		want   []string
	}{
		{"K1 N-1 do not trip, Nth does", Config{Consecutive: 3}, "d:p:a d:p:b d:p:c",
			[]string{"", "", "p consecutive 1,2,3"}},
		{"reported again on every bad event while over", Config{Consecutive: 2}, "d:p:a d:p:b d:p:c c:p",
			[]string{"", "p consecutive 1,2", "p consecutive 1,2,3", "p consecutive 1,2,3"}},
		{"K2 success resets", Config{Consecutive: 2}, "d:p:a s:p d:p:b d:p:c",
			[]string{"", "", "p consecutive 3,4"}},
		{"K3 zero window disables the window", Config{Denials: 1}, "d:p:a d:p:b", []string{"", ""}},
		{"K3 zero threshold disables the window", Config{Window: 5}, "d:p:a d:p:b", []string{"", ""}},
		{"more denials than window", Config{Window: 1, Denials: 2}, "d:p:a d:p:b d:p:b", []string{"", "", ""}},
		{"K4 window need not be consecutive", Config{Window: 5, Denials: 3}, "d:p:a s:p d:p:b s:p d:p:c",
			[]string{"", "", "p window 1,3,5"}},
		{"K5 bad events age out", Config{Window: 3, Denials: 2}, "d:p:a s:p s:p d:p:b d:p:c",
			[]string{"", "", "p window 4,5"}},
		{"K5 the edge of the window", Config{Window: 3, Denials: 2}, "d:p:a s:p d:p:b s:p s:p d:p:c",
			[]string{"", "p window 1,3", ""}},
		{"K6 thresholds independent: window only", Config{Consecutive: 4, Window: 4, Denials: 2}, "d:p:a s:p d:p:b",
			[]string{"", "p window 1,3"}},
		{"K6 thresholds independent: streak only", Config{Consecutive: 2, Window: 9, Denials: 9}, "d:p:a d:p:b",
			[]string{"", "p consecutive 1,2"}},
		{"K7 all zero never trips", Config{}, "d:p:a d:p:a d:p:a c:p c:p", []string{"", "", "", "", ""}},
		{"negative is zero", Config{-1, -1, -1}, "d:p:a d:p:a", []string{"", ""}},
		{"K8 per provider", Config{Consecutive: 2}, "d:p:a d:q:b d:q:c d:p:d",
			[]string{"", "", "q consecutive 2,3", "p consecutive 1,4"}},
		{"K8 success of another provider resets nothing", Config{Consecutive: 2}, "d:p:a s:q d:p:b",
			[]string{"", "p consecutive 1,3"}},
		{"K9 denials and crashes share a counter", Config{Consecutive: 3}, "d:p:a c:p d:p:b",
			[]string{"", "", "p consecutive 1,3"}},
		{"K9 crashes alone", Config{Window: 2, Denials: 2}, "c:p c:p", []string{"", "p window"}},
		{"D14 threshold 2", Config{Consecutive: 2}, "d:p:a d:p:a", []string{"", "p consecutive 1,2"}},
		{"C8 third denial trips threshold 3", Config{Consecutive: 3}, "d:p:a d:p:a d:p:a",
			[]string{"", "", "p consecutive 1,2,3"}},
		{"the nameless provider", Config{Consecutive: 1}, "d::a", []string{"consecutive 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := of(ScopeProvider, script(New(tt.config), tt.events))
			for i := range got {
				got[i] = strings.TrimSpace(got[i])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRuleCounter(t *testing.T) {
	tests := []struct {
		name   string
		config Config
		events string
		want   []string
	}{
		{"deny-06 counting by rule, not by tool", Config{Consecutive: 2}, "d:sh:rm d:sh:curl d:sh:push d:sh:rm",
			[]string{"", "", "", "rm consecutive 1,4"}},
		{"invented providers meet in the rule", Config{Consecutive: 3}, "d:a:r d:b:r d:c:r",
			[]string{"", "", "r consecutive 1,2,3"}},
		{"a success ends the streak", Config{Consecutive: 2}, "d:p:r s:q d:p:r", []string{"", ""}},
		{"denials hidden among successes are found", Config{Window: 3, Denials: 3}, "d:p:r s:q s:p d:p:r s:q d:p:r",
			[]string{"", "", ""}},
		{"gap below the window", Config{Window: 3, Denials: 3}, "d:p:r s:q d:p:r s:p d:p:r",
			[]string{"", "", "r window 1,3,5"}},
		{"a crash ends no streak", Config{Consecutive: 2}, "d:p:r c:p d:p:r", []string{"", "", "r consecutive 1,3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, of(ScopeRule, script(New(tt.config), tt.events))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSessionCounter(t *testing.T) {
	tests := []struct {
		name   string
		config Config
		events string
		want   []string
	}{
		{"seed: N consecutive denials within one session", Config{Consecutive: 3}, "d:a:r1 d:b:r2 d:c:r3",
			[]string{"", "", " consecutive 1,2,3"}},
		{"seed: M denials within a sliding window", Config{Window: 5, Denials: 3}, "d:a:1 s:a d:b:2 s:a d:c:3",
			[]string{"", "", " window 1,3,5"}},
		{"a success resets", Config{Consecutive: 2}, "d:a:1 s:c d:b:2", []string{"", ""}},
		{"a crash is no denial", Config{Consecutive: 2}, "d:a:1 c:b d:b:2", []string{"", "", " consecutive 1,3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, of(ScopeSession, script(New(tt.config), tt.events))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDeny01 denies 384 paths with 384 messages; nothing of them is a key.
func TestDeny01(t *testing.T) {
	b := New(Config{Consecutive: 3})
	for i := range 384 {
		trips := b.Denied("files", "policy:no_writes", "item-"+strconv.Itoa(i))
		if tripped := len(trips) == 3; tripped != (i >= 2) {
			t.Fatalf("denial %d: %v", i+1, trips)
		}
		for _, trip := range trips {
			if trip.Bad != i+1 || len(trip.Denials) != min(i+1, MaxListed) {
				t.Fatalf("denial %d: %d bad, %d listed", i+1, trip.Bad, len(trip.Denials))
			}
		}
	}
}

// TestDeny03 holds that the breaker only reports: nothing it returns is an error, and
// a tripped one goes on counting.
func TestDeny03(t *testing.T) {
	b := New(Config{Consecutive: 1})
	for range 3 {
		if trips := b.Denied("p", "r", "i"); len(trips) != 3 {
			t.Fatal(trips)
		}
	}
	b.Succeeded("p")
	if n := len(b.Tripped()); n != 3 {
		t.Errorf("%d tripped after a success, want 3: nothing resets by itself", n)
	}
}

// TestDeny06 denies three rules of one shell; a fourth call succeeds.
func TestDeny06(t *testing.T) {
	b := New(Config{Consecutive: 2})
	b.Denied("sh", "guard:rm", "1")
	b.Denied("sh", "guard:rm", "2")
	b.Denied("sh", "policy:curl", "3")
	b.Succeeded("sh")
	var rules []string
	for _, trip := range b.Tripped() {
		if trip.Scope == ScopeRule {
			rules = append(rules, trip.Key)
		}
	}
	if diff := cmp.Diff([]string{"guard:rm"}, rules); diff != "" {
		t.Error(diff)
	}
}

// TestDeny10 lets approvals end without an answer.
func TestDeny10(t *testing.T) {
	b := New(Config{Consecutive: 2, Window: 2, Denials: 2})
	b.Denied("p", "r", "1")
	for range 3 {
		b.EndedUnanswered(Expired)
	}
	b.EndedUnanswered(Cancelled)
	b.EndedUnanswered(Superseded)
	if got := b.Tripped(); len(got) != 0 {
		t.Errorf("tripped: %v", got)
	}
	if got, want := b.Unanswered(), (UnansweredCounts{3, 1, 1}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := b.Denied("p", "r", "2"); len(got) != 3 {
		t.Errorf("they ended a streak: %v", got)
	}
}

func TestRuleOf(t *testing.T) {
	for text, want := range map[string]string{
		"policy:x":                                "policy:x",
		"policy:x+approval:ada":                   "policy:x",
		"policy:x+approval:eve+session:mallory":   "policy:x",
		"policy:default+resolver:ops@example.com": "policy:default",
		"policy:x+hook:returns":                   "policy:x",
		"policy:x+expired":                        "policy:x",
		"policy:x+superseded":                     "policy:x",
		"policy:c++":                              "policy:c++",
		"hook-veto:budget":                        "hook-veto:budget",
		"default:resource":                        "default:resource",
		"guard:a+b":                               "guard:a+b",
		"":                                        "",
		"policy:x+approval:a+hook:b+expired+more+": "policy:x",
	} {
		if got := ruleOf(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestK10Reset(t *testing.T) {
	b := New(Config{Consecutive: 2})
	script(b, "d:p:a d:p:b d:q:c d:q:d")
	b.Reset("p")
	b.Reset("unknown")
	tripped := []string{}
	for _, trip := range b.Tripped() {
		tripped = append(tripped, trip.Scope.String()+" "+trip.Key)
	}
	if diff := cmp.Diff([]string{"provider q", "session "}, tripped); diff != "" {
		t.Error(diff)
	}
	want := []string{"", "p consecutive 1,2"}
	if diff := cmp.Diff(want, of(ScopeProvider, script(b, "d:p:e d:p:f"))); diff != "" {
		t.Error(diff)
	}
}

func TestD15TrippedIsSortedAndUnique(t *testing.T) {
	b := New(Config{Consecutive: 1})
	if got := b.Tripped(); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	script(b, "d:z:r d:a:r d:z:r d:m:q")
	keys := []string{}
	for _, trip := range b.Tripped() {
		keys = append(keys, trip.Scope.String()+":"+trip.Key)
	}
	want := []string{"provider:a", "provider:m", "provider:z", "rule:q", "rule:r", "session:"}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Error(diff)
	}
}

func TestReportsCannotBeChanged(t *testing.T) {
	b := New(Config{Consecutive: 1})
	b.Denied("p", "r", "item")[0].Denials[0] = "x"
	b.Tripped()[0].Denials[0] = "y"
	if got := b.Tripped()[0].Denials[0]; got != "item" {
		t.Errorf("got %q", got)
	}
}

// TestInventedNames lets an adversary invent providers, rules and ids.
func TestInventedNames(t *testing.T) {
	b := New(Config{Consecutive: 3})
	for i := range 3 * MaxKeys {
		b.Succeeded("p" + strconv.Itoa(i))
	}
	b.Succeeded(strings.Repeat("n", 1<<20))
	if n := len(b.providers.counters); n != MaxKeys+1 {
		t.Fatalf("%d counters", n)
	}
	b.Denied("new1", "r", strings.Repeat("i", 1<<20))
	b.Denied(strings.Repeat("x", MaxKeyBytes+1), "r", "2")
	trips := b.Denied("new3", "r", "3")
	if len(trips) == 0 || !trips[0].Shared || trips[0].Key != "" || trips[0].Bad != 3 {
		t.Fatalf("got %+v", trips)
	}
	if n := len(trips[0].Denials[0]); n != MaxIDBytes {
		t.Errorf("%d bytes of an id", n)
	}
	if n := len(script(b, "d:p0:r")); n != 1 {
		t.Fatal(n)
	}
	if b.providers.counters[key{name: "p0"}].events != 2 {
		t.Error("an invented name pushed out a counter")
	}
	b.Reset("new1")
	for _, trip := range b.Tripped() {
		if trip.Shared {
			t.Errorf("not reset: %+v", trip)
		}
	}
}

func TestK11RaceFree(t *testing.T) {
	b := New(Config{Consecutive: 1, Window: 10, Denials: 2})
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 200 {
				name := strconv.Itoa((i + j) % 5)
				b.Denied(name, "r"+name, name)
				b.Crashed(name)
				b.Succeeded(name)
				b.EndedUnanswered(Expired)
				b.Tripped()
				b.Reset(name)
			}
		})
	}
	group.Wait()
	if got := b.Unanswered().Expired; got != 1600 {
		t.Errorf("got %d", got)
	}
}

// TestReplay holds that a replayed breaker goes on as the first one would have.
func TestReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := Config{rapid.IntRange(0, 4).Draw(t, "n"), rapid.IntRange(0, 9).Draw(t, "w"), rapid.IntRange(0, 5).Draw(t, "m")}
		events := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Event {
			return Event{
				Type:      EventType(rapid.IntRange(0, 6).Draw(t, "type")),
				Provider:  rapid.SampledFrom([]string{"p", "q"}).Draw(t, "provider"),
				DecidedBy: rapid.SampledFrom([]string{"r", "s+approval:a"}).Draw(t, "rule"),
				Item:      rapid.StringMatching(`[a-z]{1,3}`).Draw(t, "item"),
			}
		})).Draw(t, "events")
		live := New(config)
		for _, event := range events {
			live.apply(event)
		}
		again := Replay(config, slices.Values(events))
		if diff := cmp.Diff(live.Tripped(), again.Tripped()); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(live.Denied("p", "r", "x"), again.Denied("p", "r", "x")); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestAgainstHistory compares the provider counter with one that keeps all events.
func TestAgainstHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := Config{rapid.IntRange(0, 4).Draw(t, "n"), rapid.IntRange(0, 9).Draw(t, "w"), rapid.IntRange(0, 5).Draw(t, "m")}
		b := New(config)
		var bad []bool
		for i, isBad := range rapid.SliceOfN(rapid.Bool(), 0, 60).Draw(t, "bad") {
			bad = append(bad, isBad)
			if !isBad {
				b.Succeeded("p")
				continue
			}
			trips := b.Denied("p", "r", strconv.Itoa(i))
			got := Reason(0)
			if len(trips) > 0 && trips[0].Scope == ScopeProvider {
				got = trips[0].Reason
			}
			if want := naive(config, bad); got != want {
				t.Fatalf("%v after %v: got %v, want %v", config, bad, got, want)
			}
		}
	})
}

func naive(config Config, bad []bool) Reason {
	streak, window := 0, 0
	for i := len(bad) - 1; i >= 0 && bad[i]; i-- {
		streak++
	}
	for _, b := range bad[max(0, len(bad)-config.Window):] {
		if b {
			window++
		}
	}
	switch {
	case config.Consecutive > 0 && streak >= config.Consecutive:
		return ReasonConsecutive
	case config.Window > 0 && config.Denials > 0 && window >= config.Denials:
		return ReasonWindow
	}
	return 0
}
