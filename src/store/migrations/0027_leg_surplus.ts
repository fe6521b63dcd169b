export const legSurplusColumns = `
-- At most so much more may have moved than the amount; 'fee' is what may have been kept of it.
ALTER TABLE escrow_legs ADD COLUMN more TEXT NOT NULL DEFAULT '0';
UPDATE escrow_legs SET more = fee;
`
