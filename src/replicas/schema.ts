/*
 * What stands in PostgreSQL: plain SQL, from version 14 on. docs/replicas.md describes the tables that people query.
 * Numbered from 1 by position, forward only; one that was released is never edited.
 */

/** What replicas stand on: who watches, what was committed, and what one node asks of another. */
const replication = `
CREATE TABLE spanwatch.leases (
  bridge text PRIMARY KEY,
  -- Counts who held it: a write under an older one finds no row.
  epoch bigint NOT NULL DEFAULT 0,
  node text,
  since timestamptz,
  until timestamptz NOT NULL DEFAULT '-infinity',
  -- The last change that is here.
  head_seq bigint NOT NULL DEFAULT 0,
  head_hash bytea NOT NULL DEFAULT '\\x',
  ledger_version integer NOT NULL DEFAULT 0,
  -- Who shall hold it next; null when that is nobody's wish.
  wanted text
) WITH (fillfactor = 50);

CREATE TABLE spanwatch.nodes (
  bridge text NOT NULL,
  node text NOT NULL,
  role text NOT NULL,
  seq bigint NOT NULL,
  program text NOT NULL,
  ledger_version integer NOT NULL,
  page_url text,
  seen_at timestamptz NOT NULL,
  -- What somebody wants of it: demote, rebuild.
  asked text,
  PRIMARY KEY (bridge, node)
) WITH (fillfactor = 50);

CREATE TABLE spanwatch.changes (
  bridge text NOT NULL,
  seq bigint NOT NULL,
  epoch bigint NOT NULL,
  -- Of the change before, so that a follower sees that it is of the same line.
  previous bytea NOT NULL,
  hash bytea NOT NULL,
  -- An SQLite changeset, zstd.
  body bytea NOT NULL,
  ledger_version integer NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (bridge, seq)
);
-- What is compressed already is not tried again.
ALTER TABLE spanwatch.changes ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE spanwatch.snapshots (
  bridge text NOT NULL,
  id bigint NOT NULL,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  epoch bigint NOT NULL,
  ledger_version integer NOT NULL,
  pieces integer NOT NULL,
  bytes bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (bridge, id)
);

CREATE TABLE spanwatch.snapshot_pieces (
  bridge text NOT NULL,
  snapshot bigint NOT NULL,
  piece integer NOT NULL,
  -- A part of an SQLite file, zstd.
  body bytea NOT NULL,
  PRIMARY KEY (bridge, snapshot, piece)
);
ALTER TABLE spanwatch.snapshot_pieces ALTER COLUMN body SET STORAGE EXTERNAL;

-- What is asked of a bridge's holder from outside, and what a node that held before hands over.
CREATE TABLE spanwatch.requests (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  bridge text NOT NULL,
  what text NOT NULL,
  body jsonb NOT NULL,
  actor jsonb NOT NULL,
  -- The node that hands it over; null for what a person asks.
  from_node text,
  -- The change that it is of, by its hash, and its place in what that handed over: a repeat hands over nothing twice.
  of_change bytea,
  part integer,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  answered_at timestamptz,
  answer jsonb,
  UNIQUE (bridge, from_node, of_change, part)
);
CREATE INDEX requests_open ON spanwatch.requests (bridge, id) WHERE answered_at IS NULL;
`

/** An index can be over this, unlike over date_trunc, which asks for the time zone of the session. */
const hourOf = (column: string) => `date_bin('1 hour', ${column}, timestamptz '2000-01-01 00:00:00+00')`

/** What people query: docs/replicas.md. */
const shown = `
CREATE TABLE spanwatch.bridges (
  bridge text PRIMARY KEY,
  verdict text NOT NULL,
  reasons jsonb NOT NULL,
  main_chain text NOT NULL,
  zone_chain text NOT NULL,
  page_url text,
  in_flight bigint NOT NULL,
  open_cases integer NOT NULL,
  at_risk_usd numeric,
  program text NOT NULL,
  at timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE spanwatch.transfers (
  bridge text NOT NULL,
  key bigint NOT NULL,
  state text NOT NULL,
  direction text NOT NULL,
  main_hash bytea,
  zone_hash bytea,
  token text,
  symbol text,
  amount numeric,
  sender text,
  recipient text,
  origin_at timestamptz,
  destination_at timestamptz,
  PRIMARY KEY (bridge, key)
);
CREATE INDEX transfers_main_hash ON spanwatch.transfers (main_hash);
CREATE INDEX transfers_zone_hash ON spanwatch.transfers (zone_hash);
CREATE INDEX transfers_hour ON spanwatch.transfers (${hourOf('origin_at')}, bridge);

CREATE TABLE spanwatch.cases (
  bridge text NOT NULL,
  id bigint NOT NULL,
  title text NOT NULL,
  severity text NOT NULL,
  state text NOT NULL,
  assignee text,
  by text,
  alerts integer NOT NULL,
  at_risk_usd numeric,
  -- [{"token", "symbol", "amount", "usd"}], the most first.
  money jsonb NOT NULL,
  opened_at timestamptz NOT NULL,
  ended_at timestamptz,
  PRIMARY KEY (bridge, id)
);
CREATE INDEX cases_open ON spanwatch.cases (at_risk_usd DESC NULLS LAST) WHERE state IN ('open', 'acknowledged');

CREATE TABLE spanwatch.alerts (
  bridge text NOT NULL,
  -- Of its row in the ledger; people know it by its id.
  number bigint NOT NULL,
  id text NOT NULL,
  case_id bigint,
  rule text NOT NULL,
  kind text NOT NULL,
  severity text NOT NULL,
  state text NOT NULL,
  subject text NOT NULL,
  summary text NOT NULL,
  transfer_key bigint,
  -- Every hash that it names.
  hashes bytea[] NOT NULL,
  since timestamptz NOT NULL,
  ended_at timestamptz,
  PRIMARY KEY (bridge, number)
);
CREATE INDEX alerts_id ON spanwatch.alerts (id);
CREATE INDEX alerts_of_case ON spanwatch.alerts (bridge, case_id);
CREATE INDEX alerts_of_transfer ON spanwatch.alerts (bridge, transfer_key);
-- A list of what is still to be put into it would be read through by every search.
CREATE INDEX alerts_hashes ON spanwatch.alerts USING gin (hashes) WITH (fastupdate = off);
CREATE INDEX alerts_since ON spanwatch.alerts (since);

CREATE TABLE spanwatch.coverage (
  bridge text NOT NULL,
  source text NOT NULL,
  last_good_at timestamptz,
  stale_after interval NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (bridge, source)
) WITH (fillfactor = 50);

CREATE TABLE spanwatch.daily (
  bridge text NOT NULL,
  day date NOT NULL,
  -- The numbers of the report, as in its JSON.
  body jsonb NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (bridge, day)
);

-- Up to which change of which ledger these tables are written, and how far a walk through all of it has come.
CREATE TABLE spanwatch.shown (
  bridge text PRIMARY KEY,
  epoch bigint NOT NULL,
  ledger text NOT NULL,
  seq bigint NOT NULL,
  -- The table that is walked; null when none is.
  walk text,
  walk_after bigint NOT NULL DEFAULT 0,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);

-- The reports over all bridges: each is sent by whoever has its row.
CREATE TABLE spanwatch.fleet_reports (
  day date PRIMARY KEY,
  first_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempt integer NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL,
  -- Who still has to get it; null is everybody.
  recipients text[],
  sent_at timestamptz,
  last_error text
);

CREATE VIEW spanwatch.bridges_now AS
  SELECT b.bridge, b.verdict, b.reasons, b.main_chain, b.zone_chain, b.page_url, b.in_flight, b.open_cases, b.at_risk_usd,
    b.program, b.at, extract(epoch FROM clock_timestamp() - b.at)::double precision AS age_seconds,
    l.node AS holder, l.since, l.until > clock_timestamp() AS is_held,
    l.until > clock_timestamp() AND b.at > clock_timestamp() - interval '30 s' AS is_watched,
    CASE WHEN s.walk IS NULL THEN GREATEST(l.head_seq - s.seq, 0) END AS changes_behind
  FROM spanwatch.bridges b
    JOIN spanwatch.leases l ON l.bridge = b.bridge
    LEFT JOIN spanwatch.shown s ON s.bridge = b.bridge;

CREATE VIEW spanwatch.open_cases AS
  SELECT c.bridge, c.id, c.title, c.severity, c.state, c.assignee, c.by, c.alerts, c.at_risk_usd, c.money, c.opened_at,
    b.page_url || '/cases/c' || c.id AS url
  FROM spanwatch.cases c LEFT JOIN spanwatch.bridges b ON b.bridge = c.bridge
  WHERE c.state IN ('open', 'acknowledged');

CREATE VIEW spanwatch.transfers_hourly AS
  SELECT bridge, ${hourOf('origin_at')} AS hour, direction, token, symbol, count(*) AS transfers, sum(amount) AS amount,
    count(*) FILTER (WHERE amount IS NULL) AS unknown_amounts,
    count(*) FILTER (WHERE state = 'completed') AS completed, count(*) FILTER (WHERE state = 'pending') AS pending,
    count(*) FILTER (WHERE state = 'failed') AS failed, count(*) FILTER (WHERE state = 'unbacked') AS unbacked
  FROM spanwatch.transfers WHERE origin_at IS NOT NULL
  GROUP BY bridge, ${hourOf('origin_at')}, direction, token, symbol;

CREATE VIEW spanwatch.coverage_now AS
  SELECT bridge, source, last_good_at, extract(epoch FROM clock_timestamp() - last_good_at)::double precision AS silent_seconds,
    extract(epoch FROM stale_after)::double precision AS stale_after_seconds,
    last_good_at IS NOT NULL AND last_good_at > clock_timestamp() - stale_after AS is_fresh
  FROM spanwatch.coverage;
`

/** @returns the statements of each version after the one that is there, in order */
export const schemaVersions: readonly string[] = [`${replication}${shown}`]

export const createSchema = `
CREATE SCHEMA IF NOT EXISTS spanwatch;
CREATE TABLE IF NOT EXISTS spanwatch.schema_version (version integer NOT NULL);
`
