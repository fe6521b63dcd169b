export const escrowTables = `
-- How far each list of an escrow's movements, of operators or of the bridge's transactions was read, by height.
CREATE TABLE main_streams (
  id TEXT PRIMARY KEY, cursor INTEGER NOT NULL, known_height INTEGER, known_hash TEXT, deep_at INTEGER NOT NULL
) STRICT;

-- What a transaction moved at an escrow; or, with 'from_height', a change of the balance that no listed movement makes.
CREATE TABLE escrow_flows (
  escrow TEXT NOT NULL,
  token TEXT NOT NULL,
  hash TEXT NOT NULL,
  from_height INTEGER,
  height INTEGER NOT NULL,
  at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  -- Token units, signed decimals.
  net TEXT NOT NULL,
  outward TEXT NOT NULL,
  party TEXT NOT NULL,
  -- open, explained, unexplained
  verdict TEXT NOT NULL,
  direction TEXT NOT NULL,
  unexplained TEXT,
  reason TEXT NOT NULL,
  checked_at INTEGER,
  checks INTEGER NOT NULL,
  -- When it wants to be judged again; NULL until something about it changes.
  check_at INTEGER,
  absence TEXT,
  PRIMARY KEY (escrow, token, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX escrow_flows_check ON escrow_flows (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX escrow_flows_hash ON escrow_flows (hash, token);
CREATE INDEX escrow_flows_height ON escrow_flows (escrow, token, height);
CREATE INDEX escrow_flows_told ON escrow_flows (direction, at) WHERE verdict = 'unexplained';
CREATE INDEX escrow_flows_open ON escrow_flows (token, height) WHERE verdict = 'open';
CREATE INDEX escrow_flows_seen ON escrow_flows (verdict, seen_at);

-- What each transfer adds to what is owed, or takes from it, of the tokens that are watched.
CREATE TABLE escrow_legs (
  key TEXT PRIMARY KEY, token TEXT NOT NULL, credit INTEGER NOT NULL, amount TEXT, main_hash TEXT, main_height INTEGER,
  main_time INTEGER, zone_time INTEGER, counted INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX escrow_legs_main ON escrow_legs (token, main_height);
CREATE INDEX escrow_legs_zone ON escrow_legs (token, zone_time);
CREATE INDEX escrow_legs_unknown ON escrow_legs (token) WHERE amount IS NULL AND counted = 1;

-- A token of an escrow: where counting began, the sum since, and the newest judgement. Base units as text.
CREATE TABLE escrow_tokens (
  token TEXT PRIMARY KEY, type TEXT NOT NULL, start_height INTEGER, start_time INTEGER, baseline TEXT, total TEXT NOT NULL,
  holdings TEXT, holdings_at INTEGER, owed TEXT, judged_holdings TEXT, open_out TEXT, judged_height INTEGER, judged_at INTEGER
) STRICT, WITHOUT ROWID;

-- Balances read and not judged yet: they wait until the list has passed their block.
CREATE TABLE escrow_readings (
  id INTEGER PRIMARY KEY, token TEXT NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL, read_at INTEGER NOT NULL,
  balances TEXT NOT NULL
) STRICT;
CREATE INDEX escrow_readings_token ON escrow_readings (token, read_at);

-- The newest balance of an escrow that its movements accounted for.
CREATE TABLE escrow_anchors (
  escrow TEXT NOT NULL, token TEXT NOT NULL, height INTEGER NOT NULL, balance TEXT NOT NULL, read_at INTEGER NOT NULL,
  misses INTEGER NOT NULL, missed_at INTEGER, PRIMARY KEY (escrow, token)
) STRICT, WITHOUT ROWID;

CREATE TABLE operators (
  address TEXT PRIMARY KEY, balance TEXT, balance_at INTEGER, last_hash TEXT, last_height INTEGER, last_at INTEGER,
  absence TEXT, read_at INTEGER
) STRICT, WITHOUT ROWID;

-- Main transactions of the bridge that have a challenge status or a base-layer hash.
CREATE TABLE challenges (
  hash TEXT PRIMARY KEY, contract TEXT NOT NULL, height INTEGER NOT NULL, status TEXT NOT NULL, l1 TEXT NOT NULL,
  since INTEGER NOT NULL, read_at INTEGER NOT NULL, changes INTEGER NOT NULL, settled INTEGER NOT NULL,
  -- Values held before, newest last, as a JSON list; and one that came back, until it is confirmed.
  past TEXT NOT NULL, candidate TEXT, candidate_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX challenges_since ON challenges (settled, since);
CREATE INDEX challenges_height ON challenges (contract, height);

-- Stretches of blocks whose transactions are read again, ever more rarely.
CREATE TABLE challenge_ranges (
  contract TEXT NOT NULL, start INTEGER NOT NULL, check_at INTEGER NOT NULL, checks INTEGER NOT NULL,
  created_at INTEGER NOT NULL, rows INTEGER NOT NULL, valued INTEGER NOT NULL, PRIMARY KEY (contract, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX challenge_ranges_check ON challenge_ranges (check_at);
`
