export const operatorBurn = `
-- What an operator's balance lost in an hour, by its readings: wei. Of covered_ms it is known how much that was; an increase is
-- none of it. The newest decrease is kept so that it can be taken back, and the least that was held.
CREATE TABLE operator_burn (
  address TEXT NOT NULL, at INTEGER NOT NULL, spent TEXT NOT NULL, covered_ms INTEGER NOT NULL, last_drop TEXT NOT NULL,
  least TEXT NOT NULL, PRIMARY KEY (address, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX operator_burn_old ON operator_burn (at);
`
