export const caseCrowds = `
-- When each finding began of those that are one case where many come at once: a key and a time of each alert.
CREATE TABLE case_crowds (
  alert_id INTEGER NOT NULL, key TEXT NOT NULL, from_at INTEGER NOT NULL, PRIMARY KEY (alert_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX case_crowds_near ON case_crowds (key, from_at);
`
