export const compactQueue = `
-- Hashes as bytes, and indexes that name a row by its number: those that had its hash again were most of what a new transfer wrote.
ALTER TABLE evidence_queue RENAME TO old_queue;
CREATE TABLE evidence_queue (
  id INTEGER PRIMARY KEY,
  -- 'zone', 'main', 'native', 'receipt', 'zoneReceipt'; 'record' is a payout whose record is looked for, 'past' what paid an origin before.
  ask TEXT NOT NULL, hash ANY NOT NULL,
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
  late INTEGER NOT NULL, risk REAL NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO evidence_queue (ask, hash, added_at, ready_at, due_at, height, time, reads, first_at, last_at, control_at, rests, late, risk, tries)
  SELECT ask, iif(length(hash) IN (42, 66) AND hash GLOB '0x*' AND substr(hash, 3) NOT GLOB '*[^0-9a-f]*', unhex(substr(hash, 3)), hash),
    added_at, ready_at, due_at, height, time, reads, first_at, last_at, control_at, rests, late, risk, tries FROM old_queue;
DROP TABLE old_queue;
CREATE UNIQUE INDEX evidence_queue_hash ON evidence_queue (hash, ask);
CREATE INDEX evidence_queue_due ON evidence_queue (ask, late, due_at);
-- What is long over is asked by its turn alone.
CREATE INDEX evidence_queue_risk ON evidence_queue (ask, risk) WHERE late = 0;
`
