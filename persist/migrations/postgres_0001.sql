-- Keys and what lists are filtered by are columns; the whole value is the JSON in
-- body. Times are nanoseconds since 1970 in UTC.
CREATE TABLE plangate_sessions (
	id   TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	body TEXT NOT NULL
);
CREATE TABLE plangate_plans (
	id      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	session TEXT COLLATE "C" NOT NULL,
	turn    TEXT COLLATE "C" NOT NULL,
	body    TEXT NOT NULL,
	UNIQUE (session, turn)
);
CREATE TABLE plangate_items (
	id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	plan          TEXT COLLATE "C" NOT NULL,
	session       TEXT COLLATE "C" NOT NULL,
	turn          TEXT COLLATE "C" NOT NULL,
	call          TEXT COLLATE "C" NOT NULL,
	state         TEXT COLLATE "C" NOT NULL,
	created       BIGINT NOT NULL,
	expires       BIGINT,
	verdict_epoch BIGINT,
	body          TEXT NOT NULL,
	UNIQUE (session, turn, call)
);
CREATE INDEX plangate_items_state ON plangate_items (state, created, id);
CREATE INDEX plangate_items_session ON plangate_items (session, state, created, id);
CREATE INDEX plangate_items_plan ON plangate_items (plan, created, id);
CREATE INDEX plangate_items_expires ON plangate_items (expires) WHERE expires IS NOT NULL;
CREATE INDEX plangate_items_verdict ON plangate_items (session, verdict_epoch) WHERE verdict_epoch IS NOT NULL;
CREATE TABLE plangate_audit (
	seq  BIGINT NOT NULL PRIMARY KEY,
	body TEXT NOT NULL
);
-- Where the chain goes on. Appending waits for this row.
CREATE TABLE plangate_audit_head (
	id   BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
	seq  BIGINT NOT NULL,
	hash TEXT NOT NULL
);
INSERT INTO plangate_audit_head (id, seq, hash) VALUES (1, 0, '');
