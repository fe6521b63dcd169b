export const firstEvents = `
-- Where each event of a contract was first emitted, as far as is known; before all that is known where 'hash' is empty.
CREATE TABLE bridge_events (
  contract TEXT NOT NULL, topic TEXT NOT NULL, hash TEXT NOT NULL, height INTEGER NOT NULL,
  PRIMARY KEY (contract, topic)
) STRICT, WITHOUT ROWID;
INSERT INTO bridge_events SELECT contract, topic, '', 0 FROM bridge_topics;
INSERT OR IGNORE INTO bridge_events SELECT contract, topic, hash, min(height) FROM bridge_logs GROUP BY contract, topic;
`
