export const compactLogs = `
-- Contract and topic by their numbers, hash as bytes; 'body' is the other topics and the data.
ALTER TABLE bridge_logs RENAME TO old_logs;
DROP INDEX bridge_logs_due;
DROP INDEX bridge_logs_topic;
DROP INDEX bridge_logs_height;
CREATE TABLE bridge_logs (
  id INTEGER PRIMARY KEY, contract INTEGER NOT NULL, topic INTEGER NOT NULL, hash ANY NOT NULL, place TEXT NOT NULL,
  height INTEGER NOT NULL, time INTEGER, seen_at INTEGER NOT NULL,
  -- NULL once nothing about it is open.
  check_at INTEGER,
  body ANY NOT NULL
) STRICT;
INSERT OR IGNORE INTO names (name) SELECT DISTINCT contract FROM old_logs UNION SELECT DISTINCT topic FROM old_logs;
INSERT INTO bridge_logs (contract, topic, hash, place, height, time, seen_at, check_at, body)
  SELECT c.id, t.id, iif(length(hash) = 66 AND hash GLOB '0x*' AND substr(hash, 3) NOT GLOB '*[^0-9a-f]*', unhex(substr(hash, 3)), hash),
    place, height, time, seen_at, check_at, body
  FROM old_logs JOIN names c ON c.name = contract JOIN names t ON t.name = topic ORDER BY height;
DROP TABLE old_logs;
CREATE INDEX bridge_logs_hash ON bridge_logs (unhex(hex(substr(hash, 1, 4)) || hex(substr(hash, -4))));
CREATE INDEX bridge_logs_due ON bridge_logs (check_at, hash) WHERE check_at IS NOT NULL;
CREATE INDEX bridge_logs_topic ON bridge_logs (contract, topic) WHERE check_at IS NOT NULL;
CREATE INDEX bridge_logs_height ON bridge_logs (contract, height);
`
