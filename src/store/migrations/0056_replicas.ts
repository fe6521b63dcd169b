export const replicaTables = `
-- What a node of several replicates is recorded by SQLite's sessions, which see tables with a primary key only.
DROP INDEX case_spans_case;
DROP INDEX case_spans_key;
ALTER TABLE case_spans RENAME TO old_spans;
CREATE TABLE case_spans (
  key ANY NOT NULL, from_at INTEGER NOT NULL, until_at INTEGER NOT NULL, case_id INTEGER NOT NULL,
  PRIMARY KEY (key, from_at)
) STRICT;
INSERT INTO case_spans SELECT * FROM old_spans;
DROP TABLE old_spans;
CREATE INDEX case_spans_case ON case_spans (case_id);

-- These two have none on purpose: what a node knows of its own copy is not copied to others.
-- One row where the ledger is replicated: the role of this node, and the last change that is in the ledger.
CREATE TABLE replica_head (role TEXT NOT NULL, epoch INTEGER NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
-- Changes that PostgreSQL has not acknowledged; the rowid is the change's number.
CREATE TABLE replica_changes (epoch INTEGER NOT NULL, previous BLOB NOT NULL, hash BLOB NOT NULL, body BLOB NOT NULL) STRICT;
`
