export const compactAccounts = `
-- Found by what it is of: 'kind' 0 and 1 are a transfer's opening and its part on the zone chain ('name' is its key), 2 a main
-- transaction (its hash), 3 anything else (as text).
ALTER TABLE account_entries RENAME TO old_entries;
CREATE TABLE account_entries (
  id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, name ANY NOT NULL, token INTEGER NOT NULL, height INTEGER, at INTEGER NOT NULL,
  -- Of another transaction than its name.
  main_hash ANY, deltas ANY NOT NULL, unmoved INTEGER NOT NULL
) STRICT;
INSERT OR IGNORE INTO names (name) SELECT DISTINCT token FROM old_entries;
INSERT INTO account_entries (kind, name, token, height, at, main_hash, deltas, unmoved)
  SELECT kind, CASE WHEN kind < 2 THEN CAST(substr(ref, 7) AS INTEGER) WHEN kind = 3 THEN ref WHEN is_hash THEN unhex(substr(main_hash, 3)) ELSE main_hash END,
    token, height, at, CASE WHEN kind = 2 THEN NULL WHEN is_hash THEN unhex(substr(main_hash, 3)) ELSE main_hash END, deltas, unmoved
  FROM (SELECT ref, n.id AS token, height, at, main_hash, deltas, unmoved, length(main_hash) = 66 AND main_hash GLOB '0x*' AND substr(main_hash, 3) NOT GLOB '*[^0-9a-f]*' AS is_hash,
      CASE WHEN ref GLOB 'open:t[0-9]*' THEN 0 WHEN ref GLOB 'zone:t[0-9]*' THEN 1 WHEN ref = 'main:' || e.token || ':' || main_hash THEN 2 ELSE 3 END AS kind
    FROM old_entries e JOIN names n ON n.name = e.token) ORDER BY at;
DROP TABLE old_entries;
CREATE INDEX account_entries_name ON account_entries (unhex(hex(substr(name, 1, 4)) || hex(substr(name, -4))));
CREATE INDEX account_entries_height ON account_entries (token, height) WHERE height IS NOT NULL;
CREATE INDEX account_entries_at ON account_entries (token, at);
CREATE INDEX account_entries_unmoved ON account_entries (token, at) WHERE unmoved = 1;
`
