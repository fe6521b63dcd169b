export const stageEvents = `
-- What contracts said of the stages of withdrawals. 'name' is the transfer that an event is about, '' for none; 'zone_height'
-- is up to where a proposal covers the zone, or from where one was removed.
CREATE TABLE stage_events (
  id INTEGER PRIMARY KEY, contract TEXT NOT NULL, hash TEXT NOT NULL, place TEXT NOT NULL, stage TEXT NOT NULL,
  height INTEGER NOT NULL, at INTEGER NOT NULL, name TEXT NOT NULL, zone_height INTEGER, UNIQUE (hash, contract, place)
) STRICT;
CREATE INDEX stage_events_at ON stage_events (at);
`
