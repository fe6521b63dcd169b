export const ledgerTables = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

-- One row a transfer. The columns are for finding it; 'body' holds its sightings, from which all else is derived.
CREATE TABLE transfers (
  key INTEGER PRIMARY KEY,
  rec_id TEXT,
  zone_hash TEXT,
  main_hash TEXT,
  -- 1 when it holds a record without id: only through such records can rows with other names concern each other.
  loose INTEGER NOT NULL,
  direction TEXT NOT NULL,
  state TEXT NOT NULL,
  token TEXT NOT NULL,
  source_address TEXT NOT NULL,
  target_address TEXT NOT NULL,
  origin_at INTEGER NOT NULL,
  destination_at INTEGER,
  first_seen_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  read_at INTEGER NOT NULL,
  -- When it wants to be read again by hash; NULL once nothing about it is open.
  check_at INTEGER,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX transfers_rec_id ON transfers (rec_id) WHERE rec_id IS NOT NULL;
CREATE INDEX transfers_zone_hash ON transfers (zone_hash) WHERE zone_hash IS NOT NULL;
CREATE INDEX transfers_main_hash ON transfers (main_hash) WHERE main_hash IS NOT NULL;
CREATE INDEX transfers_origin ON transfers (origin_at);
CREATE INDEX transfers_open ON transfers (state, origin_at) WHERE state IN ('pending', 'unbacked', 'failed');
CREATE INDEX transfers_check ON transfers (check_at) WHERE check_at IS NOT NULL;

-- How many transfers are in each state: counted as they change, because counting millions of rows takes seconds.
CREATE TABLE state_counts (state TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT;

-- Hashes of a transfer beside those in its row: a payout that was replaced, a record that fits two transfers alike.
CREATE TABLE other_hashes (hash TEXT NOT NULL, key INTEGER NOT NULL, PRIMARY KEY (hash, key)) STRICT, WITHOUT ROWID;
CREATE INDEX other_hashes_key ON other_hashes (key);

-- Keys of transfers that were joined into an older one.
CREATE TABLE aliases (key INTEGER PRIMARY KEY, transfer_key INTEGER NOT NULL) STRICT;
CREATE INDEX aliases_transfer ON aliases (transfer_key);

CREATE TABLE heads (
  chain TEXT PRIMARY KEY, height INTEGER NOT NULL, block_time INTEGER, advanced_at INTEGER NOT NULL, read_at INTEGER NOT NULL
) STRICT;

CREATE TABLE zone_transactions (
  hash TEXT PRIMARY KEY, source TEXT NOT NULL, requested_at INTEGER NOT NULL, status TEXT NOT NULL, body TEXT NOT NULL
) STRICT;

-- Decimals learned from records that give an amount both ways.
CREATE TABLE tokens (address TEXT PRIMARY KEY, decimals INTEGER NOT NULL, learned_at INTEGER NOT NULL) STRICT;

-- Records that did not parse, with their raw text.
CREATE TABLE quarantine (
  id INTEGER PRIMARY KEY, endpoint TEXT NOT NULL, digest TEXT NOT NULL, problem TEXT NOT NULL, raw TEXT NOT NULL,
  first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, seen INTEGER NOT NULL, UNIQUE (endpoint, digest)
) STRICT;
CREATE INDEX quarantine_last ON quarantine (last_at);
`
