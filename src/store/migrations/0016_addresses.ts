export const addressIndexes = `
-- Search by address; the recipient has an index already.
CREATE INDEX transfers_source ON transfers (source_address, origin_at);
`
