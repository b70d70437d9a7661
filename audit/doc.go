// Package audit keeps the record of what a gate decided and what became of it:
// every decision and every step in the life of an approval is one [Record].
//
// An [Entry] says what happened. [Seal] masks and bounds it and puts it in its
// place in a chain: a sequence number, the hash of the record before and its own
// hash. [Log] appends sealed records to a JSON Lines file; a database keeps
// [Record.Line] as it is. [Verify] reads a log and names its first break,
// [Query] finds records in one.
//
// # Promises
//
// Nothing is sealed unmasked. Seal masks the input and every free text with
// [Mask] and [MaskText] and cannot be told not to. Masking is of the copy that
// is logged: an entry's own input is never changed, so decisions, execution and
// the question to the human use the raw bytes (case audit-04). A secret becomes
// [Placeholder] as a whole, never in part. What is not recognised as a secret is
// not masked: name it in the operation's schema, see [SensitivePointers].
//
// Every record has every field, whatever its event and outcome (audit-07).
//
// A line is one line: printable ASCII only, everything else is a JSON escape,
// and no longer than [MaxLineBytes] (audit-12). What is longer is cut, and says
// how long it was.
//
// Append has written and synced its records when it returns, all of them or
// none. What a crash left half-written is moved to a file beside the log with
// ".torn" appended to its name, and a record of event torn_tail says so.
//
// # What the chain proves
//
// A record that was changed, removed, repeated or moved breaks the chain, and
// Verify says where. The chain has no key: whoever may write the file can cut
// records off its end or write all of it anew. To notice that, keep a [Head]
// elsewhere and give it to Verify.
//
// # Concurrency and errors
//
// Functions are pure and safe for concurrent use. A Log may be used by many
// goroutines and a file by many processes at once. Errors of Log are to be
// handled by the caller according to its [Mode]; the package never writes to
// another place instead.
package audit
