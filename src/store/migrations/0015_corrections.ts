export const correctionTables = `
-- Events that rest on what second sources said: asked about again while they are young.
CREATE INDEX alerts_disputed ON alerts (active_at) WHERE kind IN
  ('transfer.mismatch', 'transfer.unbacked', 'transfer.duplicate', 'batch.mismatch', 'batch.unresolved', 'source.disagreement');
-- Preconfirmed transactions that were told to be dropped: they may be mined after all. 'finding' is what was told, as JSON.
CREATE TABLE preconf_dropped (
  hash TEXT PRIMARY KEY, told_at INTEGER NOT NULL, next_at INTEGER NOT NULL, finding TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX preconf_dropped_next ON preconf_dropped (next_at);
CREATE INDEX preconf_dropped_told ON preconf_dropped (told_at);
`
