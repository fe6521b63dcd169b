export const legFeeColumns = `
-- The most that may have been kept on the way; until now it was part of the amount.
ALTER TABLE escrow_legs ADD COLUMN fee TEXT NOT NULL DEFAULT '0';
`
