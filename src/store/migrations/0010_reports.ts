export const reportTables = `
-- One row a reported day. 'content' is the report as JSON: what was sent can be looked at again.
CREATE TABLE reports (
  day TEXT PRIMARY KEY, zone TEXT NOT NULL, built_at INTEGER NOT NULL, content TEXT NOT NULL,
  -- queued, sent, dead; none when there is no channel for it.
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL, next_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
  -- Who still has to get it, as a JSON list; NULL is everybody.
  recipients TEXT, last_error TEXT, sent_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX reports_queued ON reports (next_at) WHERE state = 'queued';
-- Which transfers ended in a day.
CREATE INDEX transfers_destination ON transfers (destination_at) WHERE destination_at IS NOT NULL;
`
