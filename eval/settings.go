package eval

import (
	"slices"
	"time"

	"github.com/plangate/plangate"
)

// Settings are what a policy says about everything around a decision. They do not
// change what Decide answers and are no part of the fingerprint; package gate
// follows them. The zero value is not valid: use [DefaultSettings].
type Settings struct {
	Approvals Approvals
	Breaker   BreakerSettings
	// Hook is the decision hook, or nil if the policy has none.
	Hook *HookSettings
}

// Approvals says what happens to calls that are asked about (spec LNG-34).
type Approvals struct {
	ExpiresIn    time.Duration // how long an approval waits; more than 0
	OnExpire     OnExpire
	Hold         Hold
	SessionScope SessionScope
	Audit        AuditMode
}

// OnExpire says what an unanswered approval turns into. Both deny the item;
// ExpireCancelTurn also says that the model is not to be called for it.
type OnExpire string

// The values of on_expire.
const (
	ExpireDeny       OnExpire = "deny"
	ExpireCancelTurn OnExpire = "cancel_turn"
)

// Hold says what allowed items of a plan do while others of it wait.
type Hold string

// The values of hold: an item waits for its own answer only, or all wait for all.
const (
	HoldItem  Hold = "item"
	HoldBatch Hold = "batch"
)

// SessionScope says how much a verdict for the session covers where calls run
// commands: the very commands that were shown, or the operation as a whole.
type SessionScope string

// The values of session_scope.
const (
	ScopeCommand   SessionScope = "command"
	ScopeOperation SessionScope = "operation"
)

// AuditMode says what happens if the audit log cannot be written.
type AuditMode string

// The values of audit: the call is refused, or goes on.
const (
	AuditRequired   AuditMode = "required"
	AuditBestEffort AuditMode = "best_effort"
)

// BreakerSettings are the thresholds of the circuit breaker; 0 disables a check
// (spec LNG-35).
type BreakerSettings struct{ Consecutive, Window, Denials int }

// HookSettings says how the decision hook is asked. Exactly one of Command and URL
// is set (spec LNG-33).
type HookSettings struct {
	Command            []string
	URL                string
	Timeout            time.Duration
	OnError, OnTimeout plangate.Action // deny or ask
	File               string          // where the block stands
	Line               int
}

// DefaultSettings returns what holds where a policy says nothing.
func DefaultSettings() Settings {
	return Settings{
		Approvals: Approvals{
			ExpiresIn: time.Hour, OnExpire: ExpireDeny, Hold: HoldItem,
			SessionScope: ScopeCommand, Audit: AuditRequired,
		},
		Breaker: BreakerSettings{Consecutive: 3, Window: 20, Denials: 8},
	}
}

// Settings returns what the policy says about everything around a decision.
func (t *Table) Settings() Settings {
	settings := t.source.Settings
	if settings.Approvals == (Approvals{}) { // a source that was built by hand
		hook := settings.Hook
		settings = DefaultSettings()
		settings.Hook = hook
	}
	return settings
}

func (w *writer) settings(s *Settings) {
	a, b := &s.Approvals, &s.Breaker
	w.uint(uint64(a.ExpiresIn))
	for _, word := range []string{string(a.OnExpire), string(a.Hold), string(a.SessionScope), string(a.Audit)} {
		w.string(word)
	}
	for _, n := range []int{b.Consecutive, b.Window, b.Denials} {
		w.uint(uint64(n))
	}
	w.bool(s.Hook != nil)
	if h := s.Hook; h != nil {
		w.texts(h.Command)
		w.string(h.URL)
		w.uint(uint64(h.Timeout))
		w.uint(uint64(h.OnError))
		w.uint(uint64(h.OnTimeout))
		w.string(h.File)
		w.uint(uint64(h.Line))
	}
}

// Bounds of numbers in an encoding: a month, and what the language allows.
const (
	maxDuration = uint64(720 * time.Hour)
	maxCount    = 1_000_000
)

func (r *reader) settings() Settings {
	s := Settings{Approvals: Approvals{
		ExpiresIn:    time.Duration(r.enum(maxDuration)),
		OnExpire:     readWord(r, ExpireDeny, ExpireCancelTurn),
		Hold:         readWord(r, HoldItem, HoldBatch),
		SessionScope: readWord(r, ScopeCommand, ScopeOperation),
		Audit:        readWord(r, AuditRequired, AuditBestEffort),
	}}
	s.Breaker.Consecutive = int(r.enum(maxCount))
	s.Breaker.Window = int(r.enum(maxCount))
	s.Breaker.Denials = int(r.enum(maxCount))
	if r.bool() {
		s.Hook = &HookSettings{
			Command: r.list(), URL: r.string(), Timeout: time.Duration(r.enum(maxDuration)),
			OnError: plangate.Action(r.enum(uint64(plangate.Ask))), OnTimeout: plangate.Action(r.enum(uint64(plangate.Ask))),
			File: r.string(), Line: int(r.enum(1 << 31)),
		}
	}
	return s
}

// readWord reads one of some words; a source without settings has an empty one.
func readWord[T ~string](r *reader, known ...T) T {
	word := T(r.string())
	if word != "" && !slices.Contains(known, word) {
		r.fail("unknown word %q", word)
	}
	return word
}
