// Package breaker counts denials and crashes of one session and reports when a
// model keeps running into a wall.
//
//	b := breaker.New(breaker.Config{Consecutive: 3, Window: 20, Denials: 8})
//	trips := b.Denied("github", decision.DecidedBy(), item)
//
// It reports and does nothing else: no call is blocked, no decision changes. What
// a trip means (one final answer, a human, nothing) is up to the host.
//
// # What is counted
//
// Three counters see a denial: the one of the provider, the one of the rule that
// decided, and the one of the session. None has the text of a message, a path or a
// command as its key, so a model that words each attempt differently gains nothing.
//
//   - Provider: denials and crashes are bad, successes good. A success ends the
//     streak; the last Window events of this provider are the window.
//   - Rule: denials by this rule are bad. A success of any call ends the streak, but
//     not the run: denials by this rule with fewer than Window events of the session
//     from each to the next. So denials that are hidden among successful calls are found.
//   - Session: denials are bad, successes good, crashes nothing. A success ends the
//     streak; the last Window denials and successes of the session are the window.
//
// A counter is over a threshold when its streak reaches Consecutive, or when its
// window (a rule: its run) holds Denials bad events. It is reported at every bad event
// while that holds. An approval that expires, is cancelled or superseded is no
// denial, since nobody refused; these are counted apart.
//
// A counter that tripped stays in [Breaker.Tripped] until [Breaker.Reset] or the end
// of the session; nothing resets by itself. A host that resumes a session with
// fresh bounds makes a new Breaker; one that goes on gives stored events to [Replay].
//
// # Limits
//
// There are at most [MaxKeys] providers and as many rules. Further ones, and names of
// more than [MaxKeyBytes] bytes, share one counter, which trips rather early: a model
// that invents providers is counted together. A counter keeps up to Denials numbers and
// [MaxListed] item ids. No method fails, blocks or reads a clock, and all may be called
// concurrently. The package imports the standard library only.
package breaker
