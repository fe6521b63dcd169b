export const namedTokens = `
-- A row may hold the number of its token (names) from now on: rows of before are rewritten little by little, and read as they
-- are until then.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'token TEXT NOT NULL', 'token ANY NOT NULL') WHERE type = 'table' AND name = 'transfers';
PRAGMA writable_schema = RESET;
`
