export const preconfTables = `
-- What became of preconfirmed transactions, by the hour (UTC) in which it was found out.
CREATE TABLE preconf_hours (
  hour INTEGER PRIMARY KEY,
  taken INTEGER NOT NULL, kept INTEGER NOT NULL, moved INTEGER NOT NULL, index_moved INTEGER NOT NULL, flipped INTEGER NOT NULL,
  dropped INTEGER NOT NULL, unknown INTEGER NOT NULL,
  -- Transactions of canonical blocks: preconfirmed before, never, or in a block that was not closely watched.
  hits INTEGER NOT NULL, unseen INTEGER NOT NULL, unwatched INTEGER NOT NULL, late INTEGER NOT NULL,
  lead_count INTEGER NOT NULL, lead_sum_ms INTEGER NOT NULL,
  -- How many leads below each bound (checks/preconf/store.ts), as a JSON list.
  leads TEXT NOT NULL
) STRICT;
`
