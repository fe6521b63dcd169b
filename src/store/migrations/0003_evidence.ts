export const evidenceTables = `
DROP TABLE zone_transactions;

-- What second sources say of a leg: the newest answer of each source. 'body' holds the rest of it as JSON.
CREATE TABLE leg_evidence (
  id INTEGER PRIMARY KEY,
  chain TEXT NOT NULL, hash TEXT NOT NULL, source TEXT NOT NULL,
  requested_at INTEGER NOT NULL, status TEXT NOT NULL, body TEXT NOT NULL,
  UNIQUE (hash, chain, source)
) STRICT;

-- Legs that are still to be asked of a source: a row goes when there is an answer.
CREATE TABLE evidence_queue (
  -- 'zone', 'main', 'native', 'receipt'; 'record' is a payout whose record is looked for.
  ask TEXT NOT NULL, hash TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  -- May be asked from the first on, and has to be by the second: between them it waits for others to share its request.
  ready_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
  -- The source's chain must have passed these before an answer without it says anything.
  height INTEGER, time INTEGER NOT NULL,
  -- Readings so far that found nothing.
  reads INTEGER NOT NULL DEFAULT 0, first_at INTEGER, last_at INTEGER, control_at INTEGER,
  -- Readings since it was told to be absent.
  rests INTEGER NOT NULL DEFAULT 0,
  -- 1 for what was long over when it was first seen: asked when there is nothing else to ask.
  late INTEGER NOT NULL,
  PRIMARY KEY (ask, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX evidence_queue_due ON evidence_queue (ask, late, due_at);
`
