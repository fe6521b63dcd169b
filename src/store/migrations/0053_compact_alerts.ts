export const compactAlerts = `
-- A finding may be bytes from now on; rows of before are rewritten little by little, and read as they are until then.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'finding TEXT NOT NULL', 'finding ANY NOT NULL') WHERE type = 'table' AND name = 'alerts';
PRAGMA writable_schema = RESET;
-- What is asked of many findings at once, in columns of its own: since when it is so, the transfer's direction, the text of its
-- error, 1 for what is over. NULL in rows of before.
ALTER TABLE alerts ADD COLUMN since_at INTEGER;
ALTER TABLE alerts ADD COLUMN direction TEXT;
ALTER TABLE alerts ADD COLUMN error TEXT;
ALTER TABLE alerts ADD COLUMN is_over INTEGER;

-- The hash of a key as bytes, and indexes that name a row by its number: each alert brings two hashes, and with the key in both
-- trees they were a tenth of all that it wrote, on pages of their own.
DROP INDEX case_spans_case;
ALTER TABLE case_spans RENAME TO old_spans;
CREATE TABLE case_spans (
  key ANY NOT NULL, from_at INTEGER NOT NULL, until_at INTEGER NOT NULL, case_id INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX case_spans_key ON case_spans (key, from_at);
INSERT INTO case_spans SELECT iif(key GLOB 'tx:0x*', unhex(substr(key, 6)), key), from_at, until_at, case_id FROM old_spans;
DROP TABLE old_spans;
CREATE INDEX case_spans_case ON case_spans (case_id);
`
