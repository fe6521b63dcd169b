export const unjudgedPayouts = `
-- Payouts of which nobody says how much, or of which id, by what moved for them; none where escrows are watched.
CREATE TABLE unjudged_payouts (
  transfer_key TEXT PRIMARY KEY, hash TEXT NOT NULL, payer TEXT NOT NULL, token TEXT NOT NULL, amount TEXT NOT NULL,
  lacks TEXT NOT NULL, at INTEGER NOT NULL, seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX unjudged_payouts_seen ON unjudged_payouts (seen_at);
`
