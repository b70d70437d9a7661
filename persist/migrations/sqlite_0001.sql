-- Keys and what lists are filtered by are columns; the whole value is the JSON in
-- body. Times are nanoseconds since 1970 in UTC.
CREATE TABLE plangate_sessions (
	id   TEXT NOT NULL PRIMARY KEY,
	body TEXT NOT NULL
) STRICT;
CREATE TABLE plangate_plans (
	id      TEXT NOT NULL PRIMARY KEY,
	session TEXT NOT NULL,
	turn    TEXT NOT NULL,
	body    TEXT NOT NULL,
	UNIQUE (session, turn)
) STRICT;
CREATE TABLE plangate_items (
	id            TEXT NOT NULL PRIMARY KEY,
	plan          TEXT NOT NULL,
	session       TEXT NOT NULL,
	turn          TEXT NOT NULL,
	call          TEXT NOT NULL,
	state         TEXT NOT NULL,
	created       INTEGER NOT NULL,
	expires       INTEGER,
	verdict_epoch INTEGER,
	body          TEXT NOT NULL,
	UNIQUE (session, turn, call)
) STRICT;
CREATE INDEX plangate_items_state ON plangate_items (state, created, id);
CREATE INDEX plangate_items_session ON plangate_items (session, state, created, id);
CREATE INDEX plangate_items_plan ON plangate_items (plan, created, id);
CREATE INDEX plangate_items_expires ON plangate_items (expires) WHERE expires IS NOT NULL;
CREATE INDEX plangate_items_verdict ON plangate_items (session, verdict_epoch) WHERE verdict_epoch IS NOT NULL;
CREATE TABLE plangate_audit (
	seq  INTEGER NOT NULL PRIMARY KEY,
	body TEXT NOT NULL
) STRICT;
-- Where the chain goes on. Appending waits for this row.
CREATE TABLE plangate_audit_head (
	id   INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
	seq  INTEGER NOT NULL,
	hash TEXT NOT NULL
) STRICT;
INSERT INTO plangate_audit_head (id, seq, hash) VALUES (1, 0, '');
