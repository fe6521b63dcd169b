export const compactAddresses = `
-- What was text may be bytes from now on, as hashes are since version 44: rows of before are rewritten little by little.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(sql, 'source_address TEXT', 'source_address ANY'), 'target_address TEXT', 'target_address ANY')
  WHERE type = 'table' AND name = 'transfers';
PRAGMA writable_schema = RESET;

-- Who sends to himself, which most do, is found as the recipient: x'' stands for the same address.
DROP INDEX transfers_source;
CREATE INDEX transfers_source ON transfers (source_address, origin_at) WHERE source_address <> x'';
`
