export const compactSums = `
-- Texts that come back in many rows: a row holds the number of one.
CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO names (name) SELECT token FROM escrow_legs UNION SELECT token FROM flow_steps UNION SELECT token FROM flow_slots
  UNION SELECT token FROM flow_amounts UNION SELECT token FROM latency_steps;

-- What each transfer adds to what is owed. Its main transaction's hash stands in the transfer's own row. Amounts are
-- numbers where a number is exact, else text.
ALTER TABLE escrow_legs RENAME TO old_legs;
CREATE TABLE escrow_legs (
  key INTEGER PRIMARY KEY, token INTEGER NOT NULL, credit INTEGER NOT NULL, amount ANY, fee ANY NOT NULL, more ANY NOT NULL,
  -- Whether it has a transaction on the main chain.
  on_main INTEGER NOT NULL,
  main_height INTEGER, main_time INTEGER, zone_time INTEGER, counted INTEGER NOT NULL
) STRICT;
INSERT INTO escrow_legs SELECT CAST(substr(key, 2) AS INTEGER) AS number, n.id, credit, iif(length(amount) < 16, CAST(amount AS INTEGER), amount),
    iif(length(fee) < 16, CAST(fee AS INTEGER), fee), iif(length(more) < 16, CAST(more AS INTEGER), more),
    main_hash IS NOT NULL, main_height, main_time, zone_time, counted
  FROM old_legs JOIN names n ON n.name = token WHERE key GLOB 't[0-9]*' ORDER BY number;
DROP TABLE old_legs;
CREATE INDEX escrow_legs_main ON escrow_legs (token, main_height);
CREATE INDEX escrow_legs_zone ON escrow_legs (token, zone_time);
CREATE INDEX escrow_legs_unknown ON escrow_legs (token) WHERE amount IS NULL AND counted = 1;

-- What is counted of transfers by time: tokens by their number, direction and side by their place (0: to the zone chain, left).
ALTER TABLE flow_steps RENAME TO old_steps;
CREATE TABLE flow_steps (
  at INTEGER NOT NULL, token INTEGER NOT NULL, direction INTEGER NOT NULL, side INTEGER NOT NULL,
  count INTEGER NOT NULL, sum ANY NOT NULL, PRIMARY KEY (at, token, direction, side)
) STRICT, WITHOUT ROWID;
INSERT INTO flow_steps SELECT at, n.id, direction = 'ZoneToMain', side = 'arrived', count, iif(length(sum) < 16, CAST(sum AS INTEGER), sum)
  FROM old_steps JOIN names n ON n.name = token;
DROP TABLE old_steps;
ALTER TABLE flow_slots RENAME TO old_slots;
CREATE TABLE flow_slots (
  at INTEGER NOT NULL, token INTEGER NOT NULL, direction INTEGER NOT NULL, side INTEGER NOT NULL,
  count INTEGER NOT NULL, sum ANY NOT NULL, PRIMARY KEY (at, token, direction, side)
) STRICT, WITHOUT ROWID;
INSERT INTO flow_slots SELECT at, n.id, direction = 'ZoneToMain', side = 'arrived', count, iif(length(sum) < 16, CAST(sum AS INTEGER), sum)
  FROM old_slots JOIN names n ON n.name = token;
DROP TABLE old_slots;

-- An amount is text where it is of one of many pieces of a token, or too long for a number.
ALTER TABLE flow_amounts RENAME TO old_amounts;
DROP INDEX flow_amounts_amount;
CREATE TABLE flow_amounts (
  at INTEGER NOT NULL, token INTEGER NOT NULL, direction INTEGER NOT NULL, amount ANY NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (at, token, direction, amount)
) STRICT, WITHOUT ROWID;
INSERT INTO flow_amounts SELECT at, n.id, direction = 'ZoneToMain', iif(length(amount) < 16 AND amount NOT GLOB '*#*', CAST(amount AS INTEGER), amount), count
  FROM old_amounts JOIN names n ON n.name = token;
DROP TABLE old_amounts;
CREATE INDEX flow_amounts_amount ON flow_amounts (token, direction, amount, at);

ALTER TABLE latency_steps RENAME TO old_latency;
CREATE TABLE latency_steps (
  at INTEGER NOT NULL, token INTEGER NOT NULL, direction INTEGER NOT NULL, class INTEGER NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (at, token, direction, class)
) STRICT, WITHOUT ROWID;
INSERT INTO latency_steps SELECT at, n.id, direction = 'ZoneToMain', class, count FROM old_latency JOIN names n ON n.name = token;
DROP TABLE old_latency;
`
