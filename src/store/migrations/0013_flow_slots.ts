export const flowSlotTables = `
-- flow_steps by five minutes, so that long windows cost little to read.
CREATE TABLE flow_slots (
  at INTEGER NOT NULL, token TEXT NOT NULL, direction TEXT NOT NULL, side TEXT NOT NULL,
  count INTEGER NOT NULL, sum TEXT NOT NULL, PRIMARY KEY (at, token, direction, side)
) STRICT, WITHOUT ROWID;

-- Slots whose steps changed since they were summed up.
CREATE TABLE flow_dirty (at INTEGER PRIMARY KEY) STRICT;
INSERT INTO flow_dirty SELECT DISTINCT at - at % 300000 FROM flow_steps;

-- latency_steps over all kept time: percentiles are read often.
CREATE TABLE latency_totals (
  token TEXT NOT NULL, direction TEXT NOT NULL, class INTEGER NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (token, direction, class)
) STRICT, WITHOUT ROWID;
INSERT INTO latency_totals SELECT token, direction, class, sum(count) FROM latency_steps GROUP BY token, direction, class;
`
