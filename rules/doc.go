// Package rules translates between agent.hcl and the permission rules that agent
// CLIs have themselves.
//
//	out, err := rules.Export(rules.Codex, table, rules.ExportOptions{Binder: binder})
//	hcl, err := rules.Import(rules.Claude, rules.Source{Name: "settings.json", Text: text})
//
// # Never looser
//
// An exported allow covers only calls that the policy allows under every profile,
// at any time, in any directory and with any argument that the CLI's pattern leaves
// open; the table itself is asked, with every condition that the pattern does not
// settle left unknown. A CLI's pattern is text where a condition of agent.hcl is a
// reading of the call, so few allows remain: whole tools, and exact commands where
// the CLI compares the whole text. Denies are written wherever the CLI has a form
// for them, also where it stops less than the policy does.
//
// An imported allow permits only what the CLI's rule did; what cannot be said so
// is left out. An imported ask or deny stops at least what the CLI's rule did: it
// becomes a guard, and one that cannot be said exactly stops the whole tool. A
// command that cannot be taken apart is asked about where the CLI compares its text
// and denies (spec CER-2).
//
// Nothing of this is silent: every difference is a [Loss].
//
// # Models
//
// [Match] is a small model of how each CLI compares rules with a call, from what was
// measured or documented of it. It exists to test both directions, and errs towards
// allow where a CLI's way is not known.
//
// # Concurrency, limits, errors
//
// The functions are pure and safe for concurrent use; they read no file, clock or
// environment. A rule file has at most [MaxBytes] and [MaxRules] rules. An error says
// file, line and what to do, and means that nothing was translated.
package rules
