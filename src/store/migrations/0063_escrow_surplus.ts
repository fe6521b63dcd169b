export const escrowSurplus = `
-- Payouts of an origin that was paid before: how much of each nothing stands behind, in base units of the token that left.
CREATE TABLE escrow_surplus (
  key INTEGER PRIMARY KEY, token TEXT NOT NULL, amount TEXT NOT NULL, whole INTEGER NOT NULL, height INTEGER
) STRICT;
CREATE INDEX escrow_surplus_token ON escrow_surplus (token);
`
