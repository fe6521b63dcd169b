export const alertTables = `
-- One row an alert, for its whole life. 'finding' is its newest finding as JSON; all wording is derived from it.
CREATE TABLE alerts (
  id INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,
  rule TEXT NOT NULL,
  kind TEXT NOT NULL,
  nature TEXT NOT NULL,
  severity TEXT NOT NULL,
  labels TEXT NOT NULL,
  subject TEXT NOT NULL,
  transfer_key TEXT,
  state TEXT NOT NULL,
  -- Counts how often a condition fired anew; what was told is told of one episode.
  episode INTEGER NOT NULL,
  active_at INTEGER NOT NULL,
  fired_at INTEGER,
  keep_since INTEGER,
  resolved_at INTEGER,
  resolved_reason TEXT,
  finding TEXT NOT NULL,
  refreshed_at INTEGER NOT NULL,
  -- Events: digests of the material facts that were told, newest last, as a JSON list.
  material TEXT NOT NULL,
  -- Sorts as text in the order of the amounts; '' without one.
  amount_rank TEXT NOT NULL,
  runbook TEXT,
  acked_by TEXT,
  acked_at INTEGER,
  changed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX alerts_active ON alerts (rule) WHERE state IN ('pending', 'firing', 'recovering');
CREATE INDEX alerts_transfer ON alerts (transfer_key) WHERE transfer_key IS NOT NULL;
CREATE INDEX alerts_changed ON alerts (nature, changed_at);

-- How each rule's evaluations went: restarts and errors are judged by it.
CREATE TABLE rule_evaluations (
  rule TEXT PRIMARY KEY, evaluated_at INTEGER, errors INTEGER NOT NULL, failing_since INTEGER, reason TEXT
) STRICT;

-- Timers of the conditions' groups. 'dirty' while a change waits to be told.
CREATE TABLE alert_groups (
  key TEXT PRIMARY KEY, route TEXT NOT NULL, dirty INTEGER NOT NULL, flush_at INTEGER NOT NULL, interval_ms INTEGER NOT NULL,
  repeat_ms INTEGER NOT NULL, flushed_at INTEGER
) STRICT;
CREATE INDEX alert_groups_due ON alert_groups (flush_at) WHERE dirty = 1;
CREATE TABLE group_members (
  group_key TEXT NOT NULL, alert_id INTEGER NOT NULL, PRIMARY KEY (group_key, alert_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_members_alert ON group_members (alert_id);
-- The notification log: written when a channel acknowledges.
CREATE TABLE group_channels (
  group_key TEXT NOT NULL, channel TEXT NOT NULL, acked_at INTEGER NOT NULL, repeat_at INTEGER NOT NULL,
  PRIMARY KEY (group_key, channel)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_channels_repeat ON group_channels (repeat_at);

-- What one channel is to be told of one alert. 'delivery_id' names the message that carries it.
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  alert_id INTEGER NOT NULL,
  channel TEXT NOT NULL,
  episode INTEGER NOT NULL,
  what TEXT NOT NULL,
  group_key TEXT,
  critical INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  not_before INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  state TEXT NOT NULL,
  delivery_id INTEGER,
  -- 1 once a copy went to the fallback channel.
  rerouted INTEGER NOT NULL,
  sent_at INTEGER,
  message_id TEXT
) STRICT;
CREATE INDEX outbox_queue ON outbox (channel, critical, not_before) WHERE state = 'queued' AND delivery_id IS NULL;
CREATE INDEX outbox_alert ON outbox (alert_id);
CREATE INDEX outbox_delivery ON outbox (delivery_id) WHERE delivery_id IS NOT NULL;
CREATE INDEX outbox_done ON outbox (sent_at) WHERE state <> 'queued';

-- A message under way. Written before it is sent, so that a restart knows it may have arrived.
CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  channel TEXT NOT NULL,
  critical INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  suspicious INTEGER NOT NULL,
  degraded INTEGER NOT NULL,
  -- Mail: who still has to get it, as a JSON list; NULL is everybody.
  recipients TEXT,
  last_error TEXT
) STRICT;
CREATE INDEX deliveries_channel ON deliveries (channel, critical);

CREATE TABLE channels (
  name TEXT PRIMARY KEY, circuit TEXT NOT NULL, opened_at INTEGER, probe_at INTEGER, reason TEXT, refused TEXT NOT NULL,
  last_ack_at INTEGER, last_error TEXT, last_error_at INTEGER
) STRICT;

CREATE TABLE silences (
  id INTEGER PRIMARY KEY, matchers TEXT NOT NULL, starts_at INTEGER NOT NULL, ends_at INTEGER NOT NULL, author TEXT NOT NULL,
  comment TEXT NOT NULL, created_at INTEGER NOT NULL
) STRICT;

-- One row a transition and a suppression, with its reason. Bounded: the oldest go.
CREATE TABLE decisions (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, alert_id INTEGER, rule TEXT NOT NULL, subject TEXT NOT NULL, what TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT;
CREATE INDEX decisions_alert ON decisions (alert_id) WHERE alert_id IS NOT NULL;
`
