export const compactRows = `
-- What was text may be bytes from now on: rows of before are rewritten little by little, and read as they are until then.
-- The values stay as they stand in the file, so that only what the columns are called changes.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'body TEXT NOT NULL', 'body ANY NOT NULL') WHERE type = 'table' AND name = 'transfers';
PRAGMA writable_schema = RESET;
-- Seen in one form alone: the decimals in which its two amounts agree, -1 where they do not; NULL with more forms, or unknown.
ALTER TABLE transfers ADD COLUMN plain INTEGER;
`
