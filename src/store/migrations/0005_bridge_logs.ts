export const bridgeLogTables = `
-- How far each bridge contract's logs were read, as JSON: see checks/contracts/progressStore.ts.
CREATE TABLE bridge_contracts (address TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;

-- Ranges that could not be read, or were empty and are not yet believed to be.
CREATE TABLE bridge_gaps (
  id INTEGER PRIMARY KEY, address TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, attempts INTEGER NOT NULL,
  retry_at INTEGER NOT NULL, absence TEXT NOT NULL
) STRICT;
CREATE INDEX bridge_gaps_due ON bridge_gaps (address, retry_at);

-- Logs as read. 'check_at' is NULL once nothing about one is open.
CREATE TABLE bridge_logs (
  contract TEXT NOT NULL, hash TEXT NOT NULL, place TEXT NOT NULL, topic TEXT NOT NULL, height INTEGER NOT NULL,
  time INTEGER, seen_at INTEGER NOT NULL, check_at INTEGER, body TEXT NOT NULL,
  PRIMARY KEY (hash, contract, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX bridge_logs_due ON bridge_logs (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX bridge_logs_topic ON bridge_logs (contract, topic) WHERE check_at IS NOT NULL;
CREATE INDEX bridge_logs_height ON bridge_logs (contract, height);

-- What the events of one contract with one first topic were learned to mean.
CREATE TABLE bridge_topics (
  contract TEXT NOT NULL, topic TEXT NOT NULL, matched INTEGER NOT NULL, template TEXT, learned_at INTEGER,
  PRIMARY KEY (contract, topic)
) STRICT, WITHOUT ROWID;

-- Events whose transfers are known: the newest of each topic, from which is learned.
CREATE TABLE bridge_samples (
  id INTEGER PRIMARY KEY, contract TEXT NOT NULL, topic TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL,
  UNIQUE (contract, topic, name)
) STRICT;
`
