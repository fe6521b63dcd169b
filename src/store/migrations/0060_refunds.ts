export const refunds = `
-- What gives failed deposits back: by its movement how much of a token id, and by which main transaction that came in.
CREATE TABLE refunds (
  flow INTEGER NOT NULL, deposit TEXT NOT NULL, token_id TEXT NOT NULL, amount TEXT NOT NULL,
  PRIMARY KEY (flow, deposit, token_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX refunds_deposit ON refunds (deposit);
-- What is told may have gone to who made a deposit that failed.
CREATE INDEX escrow_flows_told_to ON escrow_flows (party) WHERE verdict = 'unexplained' AND direction = 'out';
`
