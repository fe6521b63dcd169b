export const held = `
-- Whether something of a token ever came to rest at its escrows, or was paid from there: 1 for good; 0 where contracts that
-- nobody named as escrows only passed it on, or burned it, so far; null before the first reading.
ALTER TABLE escrow_tokens ADD COLUMN held INTEGER;
UPDATE escrow_tokens SET held = 1 WHERE holdings <> '0'
  OR EXISTS (SELECT 1 FROM escrow_course c WHERE c.token = escrow_tokens.token AND c.holdings <> '0');
`
