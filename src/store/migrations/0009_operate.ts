export const operateTables = `
-- 1 while inhibited, 2 while silenced or in a mute time: what could not be said then is looked at when it ends.
ALTER TABLE group_members ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0;
-- Reminders of a group grow up to here; NULL when they do not grow.
ALTER TABLE alert_groups ADD COLUMN max_repeat_ms INTEGER;
CREATE TABLE group_repeats (
  group_key TEXT NOT NULL, channel TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (group_key, channel)
) STRICT, WITHOUT ROWID;
-- Since when every evaluation of a rule could say nothing.
ALTER TABLE rule_evaluations ADD COLUMN unknown_since INTEGER;

ALTER TABLE silences ADD COLUMN expired_at INTEGER;
CREATE INDEX silences_ends ON silences (ends_at);

-- Events that are not told while a silence or a mute time holds. 'until' is when that is looked at again.
CREATE TABLE held_events (
  alert_id INTEGER NOT NULL, channel TEXT NOT NULL, what TEXT NOT NULL, episode INTEGER NOT NULL,
  held_at INTEGER NOT NULL, until INTEGER NOT NULL, silence_id INTEGER, PRIMARY KEY (alert_id, channel, what, episode)
) STRICT, WITHOUT ROWID;
CREATE INDEX held_events_until ON held_events (until);
CREATE INDEX held_events_silence ON held_events (silence_id) WHERE silence_id IS NOT NULL;

CREATE INDEX outbox_state ON outbox (state, id) WHERE state <> 'sent';
`
