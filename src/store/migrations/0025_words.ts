export const wordTables = `
-- Words of fields that hold words: how many rows had each first, and the lowest height, or time, that one of them has.
CREATE TABLE words (
  field TEXT NOT NULL, word TEXT NOT NULL, rows INTEGER NOT NULL, lowest INTEGER NOT NULL,
  PRIMARY KEY (field, word)
) STRICT, WITHOUT ROWID;
INSERT INTO words
  SELECT 'challengeStatus', status, count(*), min(height) FROM challenges WHERE status <> '' GROUP BY status;
INSERT INTO words
  SELECT 'challengeStatus', value, 0, min(height) FROM challenges, json_each(past) WHERE true GROUP BY value
  ON CONFLICT DO NOTHING;
`
