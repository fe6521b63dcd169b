export const supplyTables = `
-- What there is of a token on the zone chain at one of its blocks, in the zone's base units: waits until the lists have
-- passed it.
CREATE TABLE supply_readings (
  token TEXT NOT NULL, height INTEGER NOT NULL, block_time INTEGER NOT NULL, read_at INTEGER NOT NULL, supply TEXT NOT NULL,
  decimals INTEGER NOT NULL, PRIMARY KEY (token, height)
) STRICT, WITHOUT ROWID;

-- The newest comparison of each token, as JSON; how much more than the claims there was at the first ones, base units of
-- the finer side; how often it was compared, and in how many of them in a row there was too much.
CREATE TABLE supply_tokens (
  token TEXT PRIMARY KEY, judged TEXT NOT NULL, opening TEXT NOT NULL, opened_at INTEGER NOT NULL, comparisons INTEGER NOT NULL,
  excesses INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Whether nothing but the first balance says what was owed when counting began.
ALTER TABLE escrow_tokens ADD COLUMN assumed INTEGER NOT NULL DEFAULT 1;
`
