package breaker

import (
	"cmp"
	"iter"
	"slices"
	"sync"
)

// Limits of a breaker.
const (
	MaxKeys     = 1024 // counters of one scope, besides the shared one
	MaxKeyBytes = 256  // of a name that gets a counter of its own
	MaxListed   = 64   // item ids in a trip, the latest ones
	MaxIDBytes  = 256  // of an item id in a trip; longer ones are cut
)

// Config says when a counter trips; zero or less disables a check. More denials than
// there are events in the window cannot be reached.
type Config struct {
	Consecutive int // bad events in a row
	Window      int // events that are looked back at
	Denials     int // bad events among them
}

// Unanswered says why an approval ended without anybody's answer.
type Unanswered uint8

// The ways to end without an answer.
const (
	Expired Unanswered = iota
	Cancelled
	Superseded
)

// UnansweredCounts are how many approvals ended without an answer.
type UnansweredCounts struct {
	Expired, Cancelled, Superseded int
}

// Breaker counts the events of one session. Make one with [New].
type Breaker struct {
	config Config

	mu         sync.Mutex
	events     uint64 // denials, crashes and successes so far
	successes  uint64
	session    counter
	providers  group[counter]
	rules      group[ruleCounter]
	tripped    map[tripKey]Trip
	unanswered UnansweredCounts
}

// New returns a breaker that has counted nothing.
func New(config Config) *Breaker {
	return &Breaker{config: config, tripped: map[tripKey]Trip{}}
}

// Denied counts that a call of provider was denied by a rule. decidedBy is the text of
// the decision; what the gate appended to it (+approval:ACTOR and the like) is not part of
// the key. item is for the report only. Count a denial once it is stored; a downgraded
// ask is one, an approval that ended without an answer is not. The trips are sorted by scope.
func (b *Breaker) Denied(provider, decidedBy, item string) []Trip {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events++
	item = clip(item)
	byProvider, providerKey := b.providers.at(provider)
	byProvider.bad(b.config, item)
	byRule, ruleKey := b.rules.at(ruleOf(decidedBy))
	byRule.bad(b.config, moment{b.events, b.successes}, item)
	b.session.bad(b.config, item)
	return b.report([]Trip{
		byProvider.trip(b.config, ScopeProvider, providerKey),
		byRule.trip(b.config, ruleKey),
		b.session.trip(b.config, ScopeSession, key{}),
	})
}

// Crashed counts that a provider ended while it ran a call.
func (b *Breaker) Crashed(provider string) []Trip {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events++
	byProvider, providerKey := b.providers.at(provider)
	byProvider.bad(b.config, "")
	return b.report([]Trip{byProvider.trip(b.config, ScopeProvider, providerKey)})
}

// Succeeded counts that a call of provider ran and ended well. It ends streaks, never trips.
func (b *Breaker) Succeeded(provider string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events++
	b.successes++
	byProvider, _ := b.providers.at(provider)
	byProvider.good()
	b.session.good()
}

// EndedUnanswered counts an approval that nobody answered. It never trips and ends no streak.
func (b *Breaker) EndedUnanswered(why Unanswered) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch why {
	case Expired:
		b.unanswered.Expired++
	case Cancelled:
		b.unanswered.Cancelled++
	case Superseded:
		b.unanswered.Superseded++
	}
}

// Unanswered returns how many approvals ended without an answer.
func (b *Breaker) Unanswered() UnansweredCounts {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.unanswered
}

// Tripped returns the latest trip of every counter that has tripped, sorted by scope and
// key, each once. It is empty if there was none.
func (b *Breaker) Tripped() []Trip {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]Trip, 0, len(b.tripped))
	for _, trip := range b.tripped {
		trip.Denials = slices.Clone(trip.Denials)
		all = append(all, trip)
	}
	slices.SortFunc(all, compareTrips)
	return all
}

// Reset gives a provider a fresh start, also one that was never seen. Rules and the
// session keep their counts. A provider that shares a counter resets that one.
func (b *Breaker) Reset(provider string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if found, ok := b.providers.find(provider); ok {
		b.providers.drop(found)
		delete(b.tripped, tripKey{ScopeProvider, found})
	}
}

// report remembers the trips among candidates and returns them.
func (b *Breaker) report(candidates []Trip) []Trip {
	var trips []Trip
	for _, trip := range candidates {
		if trip.Reason == 0 {
			continue
		}
		b.tripped[tripKey{trip.Scope, key{trip.Key, trip.Shared}}] = trip
		trip.Denials = slices.Clone(trip.Denials) // the caller may write to his
		trips = append(trips, trip)
	}
	return trips
}

func compareTrips(a, b Trip) int {
	return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Key, b.Key), boolOrder(a.Shared)-boolOrder(b.Shared))
}

func boolOrder(shared bool) int {
	if shared {
		return 1
	}
	return 0
}

// EventType says what happened to a call.
type EventType uint8

// The types of events; the zero value is none and is passed over.
const (
	EventDenied EventType = iota + 1
	EventCrashed
	EventSucceeded
	EventExpired
	EventCancelled
	EventSuperseded
)

// Event is something a session went through, as it can be read back from stored items.
type Event struct {
	Type      EventType
	Provider  string // of a denial, crash or success
	DecidedBy string // of a denial
	Item      string // of a denial
}

// Replay returns a breaker that has counted the events in order, as if they had
// happened to it. A host uses it when a process takes over a session that goes on.
func Replay(config Config, events iter.Seq[Event]) *Breaker {
	b := New(config)
	for event := range events {
		b.apply(event)
	}
	return b
}

func (b *Breaker) apply(event Event) {
	switch event.Type {
	case EventDenied:
		b.Denied(event.Provider, event.DecidedBy, event.Item)
	case EventCrashed:
		b.Crashed(event.Provider)
	case EventSucceeded:
		b.Succeeded(event.Provider)
	case EventExpired:
		b.EndedUnanswered(Expired)
	case EventCancelled:
		b.EndedUnanswered(Cancelled)
	case EventSuperseded:
		b.EndedUnanswered(Superseded)
	}
}
