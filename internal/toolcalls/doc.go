// Package toolcalls turns the policies object of a tool-call approval service into a
// policy file with the same results:
//
//	{"policies": {"toolCalls": {"default": "allow", "byTool": {"create_return": "hook"}},
//	              "decisions": {"expiresInSeconds": 3600, "onExpire": "deny"}}}
//
// The outer object may be left out. Every field is optional: toolCalls.default is allow, byTool is
// empty, expiresInSeconds is 3600, onExpire is deny. So {} allows everything. A call is
// resolved as that service does: byTool[name], then the configured hook, then
// default. Whether a hook is configured does not stand in the object; [Options] says so.
//
// # Names
//
// The object has one name per tool, a call here has a provider and an operation. The name
// of a call is its operation if it has no provider; mcp__PROVIDER__OPERATION otherwise (spec DEC-6);
// and also its operation alone if its provider is one of [Options].Providers.
//
// Names are exact, also with a * or with mcp__ in them, which a match cannot hold: for
// those a condition compares the name. A name that neither can hold is an error.
//
// # Same or stricter, never looser
//
// For every call of every kind and risk, the matched action of the compiled file is that of
// the object or stricter. It is stricter in these cases, and a warning tells which of them
// the object has:
//
//   - a name that can be split in several ways into mcp__SERVER__TOOL is at least ask;
//   - an entry that is stricter than what holds without it counts for the tool of this
//     name of any provider;
//   - one tool under two names gets the stricter of the two entries;
//   - "hook" without a configured hook is deny, since a hook that cannot be asked denies;
//   - an approval cannot wait longer than 30 days.
//
// Two more differences are in what happens after the match: an ask, also one that a hook
// answers, denies a call that reads data or talks to the human, for these have no step at which
// somebody could be asked (spec DEC-9); and built-in guards hold in every file.
// A call whose name composition (Unicode NFC) would change may get a stricter answer
// if some entry needed a condition.
//
// The package is pure: it reads bytes and returns bytes and findings, whatever the input.
// Of errors
// and of warnings the first hundred are reported.
package toolcalls
