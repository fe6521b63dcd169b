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
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  answered_at timestamptz,
  answer jsonb
);
CREATE INDEX requests_open ON spanwatch.requests (bridge, id) WHERE answered_at IS NULL;
`

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
  id text NOT NULL,
  case_id bigint,
  rule text NOT NULL,
  kind text NOT NULL,
  severity text NOT NULL,
  state text NOT NULL,
  subject text NOT NULL,
  summary text NOT NULL,
  transfer_key bigint,
  since timestamptz NOT NULL,
  ended_at timestamptz,
  PRIMARY KEY (bridge, id)
);
CREATE INDEX alerts_of_case ON spanwatch.alerts (bridge, case_id);
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
`

/** @returns the statements of each version after the one that is there, in order */
export const schemaVersions: readonly string[] = [`${replication}${shown}`]

export const createSchema = `
CREATE SCHEMA IF NOT EXISTS spanwatch;
CREATE TABLE IF NOT EXISTS spanwatch.schema_version (version integer NOT NULL);
`
