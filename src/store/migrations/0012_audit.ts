export const auditTables = `
-- What the audits remember between runs, each as JSON: what the list's height filters mean, how far they got.
CREATE TABLE audit_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

-- What an audit found and the ledger lacked: looked at again when due, told when it still lacks it.
CREATE TABLE audit_lacks (
  name TEXT PRIMARY KEY,
  -- 'list': a record; 'action': a zone action before it opens a transfer; 'zone', 'event': a transfer that the chains alone tell of.
  source TEXT NOT NULL,
  -- 'suspected', 'recorded', 'told'
  state TEXT NOT NULL,
  main_hash TEXT, zone_hash TEXT, main_height INTEGER, zone_height INTEGER, time INTEGER NOT NULL,
  found_at INTEGER NOT NULL, due_at INTEGER, told_at INTEGER, transfer_key TEXT,
  -- Readings so far that found nothing.
  reads INTEGER NOT NULL DEFAULT 0, first_at INTEGER, last_at INTEGER, control_at INTEGER,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_lacks_due ON audit_lacks (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX audit_lacks_told ON audit_lacks (source, time) WHERE state = 'told';
CREATE INDEX audit_lacks_transfer ON audit_lacks (transfer_key) WHERE transfer_key IS NOT NULL;

-- How many zone blocks were looked into, by the hour, and which heights there were.
CREATE TABLE zone_audit_hours (
  hour INTEGER PRIMARY KEY, read INTEGER NOT NULL, first_height INTEGER NOT NULL, last_height INTEGER NOT NULL
) STRICT;

-- What zone actions of one type turned out to be.
CREATE TABLE zone_actions (
  action_type TEXT PRIMARY KEY, withdrawals INTEGER NOT NULL, deposits INTEGER NOT NULL,
  -- Looked at in their block, beside a transfer or without one.
  matched INTEGER NOT NULL, unmatched INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
