export const learnedTables = `
-- What matched transfers taught of this bridge, one row a lesson and transaction: 'kind' is token, vault or zone.
CREATE TABLE learned_samples (
  kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, hash TEXT NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (kind, name, value, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX learned_samples_at ON learned_samples (at);
-- Transfers whose judgement waits for what is still to be learned.
CREATE TABLE held_judgements (
  transfer_key TEXT PRIMARY KEY, due_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX held_judgements_due ON held_judgements (due_at);
`
