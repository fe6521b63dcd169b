export const compactFlows = `
-- Escrow and token by their numbers, hash and party as bytes; and indexes that name a row by its number: those that had its
-- escrow, token and hash again were most of what a movement took.
ALTER TABLE escrow_flows RENAME TO old_flows;
CREATE TABLE escrow_flows (
  id INTEGER PRIMARY KEY, escrow INTEGER NOT NULL, token INTEGER NOT NULL, hash ANY NOT NULL,
  from_height INTEGER, height INTEGER NOT NULL, at INTEGER NOT NULL, seen_at INTEGER NOT NULL,
  -- Token units, signed decimals.
  net TEXT NOT NULL, outward TEXT NOT NULL,
  -- By token id, as JSON; 0 where it is what 'outward' says, NULL where only the difference was kept.
  gross ANY,
  party ANY NOT NULL,
  -- open, explained, unexplained, unjudged
  verdict TEXT NOT NULL, direction TEXT NOT NULL, unexplained TEXT, reason TEXT NOT NULL, checked_at INTEGER, checks INTEGER NOT NULL,
  -- When it wants to be judged again; NULL until something about it changes.
  check_at INTEGER,
  absence TEXT, waits_for TEXT NOT NULL DEFAULT ''
) STRICT;
INSERT OR IGNORE INTO names (name) SELECT DISTINCT escrow FROM old_flows UNION SELECT DISTINCT token FROM old_flows;
INSERT INTO escrow_flows (escrow, token, hash, from_height, height, at, seen_at, net, outward, gross, party, verdict, direction,
    unexplained, reason, checked_at, checks, check_at, absence, waits_for)
  SELECT e.id, t.id, iif(length(hash) = 66 AND hash GLOB '0x*' AND substr(hash, 3) NOT GLOB '*[^0-9a-f]*', unhex(substr(hash, 3)), hash),
    from_height, height, at, seen_at, net, outward,
    CASE gross WHEN '[["","' || ltrim(outward, '-') || '","0","0"]]' THEN iif(outward LIKE '-%', 0, gross)
      WHEN '[["","0","' || outward || '","0"]]' THEN iif(outward LIKE '-%' OR outward = '0', gross, 0) ELSE gross END,
    iif(length(party) = 42 AND party GLOB '0x*' AND substr(party, 3) NOT GLOB '*[^0-9a-f]*', unhex(substr(party, 3)), party),
    verdict, direction, unexplained, reason, checked_at, checks, check_at, absence, waits_for
  FROM old_flows JOIN names e ON e.name = escrow JOIN names t ON t.name = token ORDER BY seen_at;
DROP TABLE old_flows;
CREATE INDEX escrow_flows_hash ON escrow_flows (unhex(hex(substr(hash, 1, 4)) || hex(substr(hash, -4))));
CREATE INDEX escrow_flows_check ON escrow_flows (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX escrow_flows_height ON escrow_flows (escrow, token, height);
CREATE INDEX escrow_flows_told ON escrow_flows (direction, at) WHERE verdict = 'unexplained';
CREATE INDEX escrow_flows_open ON escrow_flows (token, height) WHERE verdict = 'open';
CREATE INDEX escrow_flows_unjudged ON escrow_flows (seen_at) WHERE verdict = 'unjudged';
-- What is forgotten first.
CREATE INDEX escrow_flows_seen ON escrow_flows (seen_at) WHERE verdict <> 'unexplained';
CREATE INDEX escrow_flows_waiting ON escrow_flows (token) WHERE waits_for <> '';
-- The largest movements of a time are found without reading the others.
CREATE INDEX escrow_flows_at ON escrow_flows (token, at, net);
`
