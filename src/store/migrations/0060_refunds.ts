export const refunds = `
-- What gives failed deposits back: by its movement how much of a token id, and by which main transaction that came in.
CREATE TABLE refunds (
  flow INTEGER NOT NULL, deposit TEXT NOT NULL, token_id TEXT NOT NULL, amount TEXT NOT NULL,
  PRIMARY KEY (flow, deposit, token_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX refunds_deposit ON refunds (deposit);
`
