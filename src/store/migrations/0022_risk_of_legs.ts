export const riskOfLegs = `
-- What of an escrow's holdings the transfer of a leg is: the most is asked for first.
ALTER TABLE evidence_queue ADD COLUMN risk REAL NOT NULL DEFAULT 0;
CREATE INDEX evidence_queue_risk ON evidence_queue (ask, late, risk);
`
