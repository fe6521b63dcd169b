export const caseTables = `
-- Alerts that share a cause. 'turn' counts how often it opened; 'money' is by token, as of now and as of when the turn began.
CREATE TABLE cases (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  state TEXT NOT NULL,
  merged_into INTEGER,
  turn INTEGER NOT NULL,
  turn_at INTEGER NOT NULL,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER,
  -- When the last of what keeps it open ends; NULL while something holds.
  close_at INTEGER,
  -- When to look whether more money is at risk than when it opened; NULL where nothing was added since.
  recheck_at INTEGER,
  severity TEXT NOT NULL,
  worst_alert INTEGER NOT NULL,
  members INTEGER NOT NULL,
  money TEXT NOT NULL,
  turn_money TEXT NOT NULL,
  by TEXT,
  by_at INTEGER,
  reason TEXT,
  assignee TEXT,
  changed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX cases_changed ON cases (changed_at);
CREATE INDEX cases_ending ON cases (close_at) WHERE state IN ('open', 'acknowledged', 'handled') AND close_at IS NOT NULL;
CREATE INDEX cases_recheck ON cases (recheck_at) WHERE recheck_at IS NOT NULL;
CREATE INDEX cases_open ON cases (state) WHERE state IN ('open', 'acknowledged', 'handled');

-- One row an episode of an alert. 'until_at' is NULL while it holds; an event's is when it no longer keeps its case open.
-- 'loss': it keeps its case open until somebody handles that.
CREATE TABLE case_members (
  alert_id INTEGER NOT NULL, episode INTEGER NOT NULL, case_id INTEGER NOT NULL, from_at INTEGER NOT NULL, until_at INTEGER,
  loss INTEGER NOT NULL,
  added_at INTEGER NOT NULL, keys TEXT NOT NULL, PRIMARY KEY (alert_id, episode)
) STRICT, WITHOUT ROWID;
CREATE INDEX case_members_case ON case_members (case_id, until_at);

-- From when to when each key was seen, and in which case: what comes near joins it.
CREATE TABLE case_spans (
  key TEXT NOT NULL, from_at INTEGER NOT NULL, until_at INTEGER NOT NULL, case_id INTEGER NOT NULL, PRIMARY KEY (key, from_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX case_spans_case ON case_spans (case_id);
-- The keys of conditions that still hold: their span reaches until now.
CREATE TABLE case_open_keys (
  key TEXT NOT NULL, alert_id INTEGER NOT NULL, episode INTEGER NOT NULL, PRIMARY KEY (key, alert_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX case_open_keys_alert ON case_open_keys (alert_id);

-- What each alert puts at risk; several may name the same unit of money.
CREATE TABLE case_risks (
  case_id INTEGER NOT NULL, token TEXT NOT NULL, place TEXT NOT NULL, unit TEXT NOT NULL, alert_id INTEGER NOT NULL,
  amount TEXT NOT NULL, PRIMARY KEY (case_id, token, place, unit, alert_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX case_risks_alert ON case_risks (alert_id);

-- What a channel was told of a case: where its thread is, and until when what joins waits for the next update.
CREATE TABLE case_channels (
  case_id INTEGER NOT NULL, channel TEXT NOT NULL, thread TEXT, window_at INTEGER NOT NULL, last_at INTEGER NOT NULL,
  tellings INTEGER NOT NULL, next_at INTEGER, money TEXT NOT NULL,
  kinds TEXT NOT NULL,
  PRIMARY KEY (case_id, channel)
) STRICT, WITHOUT ROWID;

-- The timeline of a case: what happened to it as a whole.
CREATE TABLE case_log (
  id INTEGER PRIMARY KEY, case_id INTEGER NOT NULL, at INTEGER NOT NULL, what TEXT NOT NULL, by TEXT, text TEXT NOT NULL
) STRICT;
CREATE INDEX case_log_case ON case_log (case_id);

CREATE TABLE case_escalations (
  case_id INTEGER NOT NULL, route TEXT NOT NULL, step INTEGER NOT NULL, turn INTEGER NOT NULL, after_ms INTEGER NOT NULL, due_at INTEGER,
  PRIMARY KEY (case_id, route, step)
) STRICT, WITHOUT ROWID;
CREATE INDEX case_escalations_due ON case_escalations (due_at) WHERE due_at IS NOT NULL;

-- The case that an item is told within; NULL for routes that group by something else. 'change': what happened to the case.
ALTER TABLE outbox ADD COLUMN case_id INTEGER;
ALTER TABLE outbox ADD COLUMN change TEXT;
CREATE INDEX outbox_case ON outbox (case_id) WHERE case_id IS NOT NULL;
-- The one case of a message under way.
ALTER TABLE deliveries ADD COLUMN case_id INTEGER;
`
