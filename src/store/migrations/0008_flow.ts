export const flowTables = `
-- What of a transfer was counted in the tables below, as JSON: taken back whole when it changes.
ALTER TABLE transfers ADD COLUMN flow TEXT;

-- Value and number of transfers by token, direction and side, in steps of ten seconds of block time.
CREATE TABLE flow_steps (
  at INTEGER NOT NULL, token TEXT NOT NULL, direction TEXT NOT NULL, side TEXT NOT NULL,
  count INTEGER NOT NULL, sum TEXT NOT NULL, PRIMARY KEY (at, token, direction, side)
) STRICT, WITHOUT ROWID;

-- How many transfers of one and the same amount arrived in each step.
CREATE TABLE flow_amounts (
  at INTEGER NOT NULL, token TEXT NOT NULL, direction TEXT NOT NULL, amount TEXT NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (at, token, direction, amount)
) STRICT, WITHOUT ROWID;
CREATE INDEX flow_amounts_amount ON flow_amounts (token, direction, amount, at);

-- How long transfers took: classes of rising width (ledger/latency.ts), by the quarter of the day in which they arrived.
CREATE TABLE latency_steps (
  at INTEGER NOT NULL, token TEXT NOT NULL, direction TEXT NOT NULL, class INTEGER NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (at, token, direction, class)
) STRICT, WITHOUT ROWID;

-- When each poller really read its source: intervals without a gap.
CREATE TABLE coverage (
  source TEXT NOT NULL, from_at INTEGER NOT NULL, until_at INTEGER NOT NULL, PRIMARY KEY (source, from_at)
) STRICT, WITHOUT ROWID;
`
