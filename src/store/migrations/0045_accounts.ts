export const accountTables = `
-- What a main transaction, or a transfer on the zone chain, changed a token's accounts by: base units by name, as JSON.
-- Forgotten after a while; the sums stay.
CREATE TABLE account_entries (
  ref TEXT PRIMARY KEY, token TEXT NOT NULL, height INTEGER, at INTEGER NOT NULL, main_hash TEXT, deltas TEXT NOT NULL,
  unmoved INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX account_entries_height ON account_entries (token, height) WHERE height IS NOT NULL;
CREATE INDEX account_entries_zone ON account_entries (token, at) WHERE height IS NULL;
CREATE INDEX account_entries_unmoved ON account_entries (token, at) WHERE unmoved = 1;
CREATE INDEX account_entries_old ON account_entries (at);

-- The sums of all entries of a token since its accounts began.
CREATE TABLE account_sums (token TEXT PRIMARY KEY, deltas TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- What the accounts came to at the newest judgement, as JSON.
ALTER TABLE escrow_tokens ADD COLUMN accounts TEXT;
`
