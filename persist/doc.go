// Package persist keeps sessions, plans, items and audit records in SQLite or
// PostgreSQL. A [DB] is a [gate.Store].
//
//	db, err := persist.Open(ctx, "/home/ann/.local/state/plangate/gate.db")
//	db, err := persist.Open(ctx, "postgres://gate@db.internal/plangate")
//
// SQLite is the embedded default: one file, several processes of one machine.
// PostgreSQL is what kernels on several machines share; the same SQL runs on
// databases that speak its protocol and repeat transactions (40001) instead of
// making them wait.
//
// # Promises
//
//   - When Update returns nil, all of its writes are on disk: SQLite runs with a
//     write-ahead log and synchronous=FULL, PostgreSQL as its synchronous_commit
//     says.
//   - When Update returns an error other than [ErrOutcomeUnknown], none of its writes
//     was made.
//   - A row that Update read does not change until its end. A session or plan that it
//     looked for in vain does not appear either: the transaction is then run again.
//   - Audit records have gapless sequence numbers in the order of their commits.
//   - A damaged SQLite file is set aside under another name and never deleted or
//     overwritten; see [DB.Damage]. One of a newer schema is refused and left alone.
//   - The SQLite file, its log and its directory, if made here, belong to their
//     user alone (0600, 0700). A symbolic link, another user's file and what is not a
//     regular file are refused.
//   - Nothing waits for ever: locks, statements and connecting have time limits, and
//     every method heeds its context.
//
// # What it does not do
//
// It judges nothing: which move of an item is lawful is the business of package
// gate. It deletes nothing. It does not notice damage to bytes that no checksum and no
// structure of SQLite covers, such as a letter in a text; the audit chain does for
// the records. New items that match a list which Update read may appear before its
// end in PostgreSQL: whoever depends on their absence reads the session first, in all
// transactions that add or move its items.
//
// # Concurrency
//
// A DB may be used by any number of goroutines; a Tx or Reader by one, and only until
// its callback returns. Update within the callback of Update is not supported: it
// waits for its own transaction, until a time limit ends both. Callbacks may be
// run several times.
//
// In SQLite one Update runs at a time in all processes, and reading never waits. In
// PostgreSQL an Update waits for others that hold the same rows, and at its end for
// the audit chain, if it appends to it. Deadlocks are resolved by repeating one; they
// cost a second, so read rows in one order: session, plan, items.
//
// # Waking
//
// Watch is told of changes by this DB at once; of others by LISTEN in PostgreSQL, and
// by looking at SQLite's change counter once per second. Where a database lacks LISTEN
// or a proxy drops it, watchers are woken once per second.
//
// # Limits
//
// Names (of sessions, turns, calls, ids) are any UTF-8 text, also long or with NUL;
// bytes that are not UTF-8 are refused in names and in raw JSON, and become U+FFFD
// in other text. White space between the tokens of raw JSON is not kept. Order and
// filters do not tell times before 1678 or after 2261 apart.
//
// # Errors
//
// Errors of a callback are returned as they are. All failures of the database match
// [gate.ErrStoreUnavailable] and wrap their cause. Opening has errors of its own:
// [ErrNewerSchema], [ErrForeign], [ErrUnsafeFile].
package persist
