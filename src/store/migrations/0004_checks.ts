export const checkTables = `
-- Who was paid before whom: a recipient never seen before is told by this index alone.
CREATE INDEX transfers_target ON transfers (target_address, origin_at);

-- Transfers whose record was not where it should be: read again, and told once it is gone for good.
CREATE TABLE missing_records (
  key INTEGER PRIMARY KEY, due_at INTEGER NOT NULL, reads INTEGER NOT NULL, first_at INTEGER, last_at INTEGER
) STRICT;
CREATE INDEX missing_records_due ON missing_records (due_at);
`
