export const compactRows = `
-- What was text may be bytes from now on: rows of before are rewritten little by little, and read as they are until then.
-- The values stay as they stand in the file, so that only what the columns are called changes.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(replace(replace(sql, 'body TEXT NOT NULL', 'body ANY NOT NULL'),
  'rec_id TEXT', 'rec_id ANY'), 'zone_hash TEXT', 'zone_hash ANY'), 'main_hash TEXT', 'main_hash ANY')
  WHERE type = 'table' AND name = 'transfers';
PRAGMA writable_schema = RESET;
-- Seen in one form alone: the decimals in which its two amounts agree, -1 where they do not; NULL with more forms, or unknown.
ALTER TABLE transfers ADD COLUMN plain INTEGER;

-- Eight bytes of a name find candidates, the whole name decides: an index of whole names is larger than all else.
DROP INDEX transfers_rec_id;
DROP INDEX transfers_zone_hash;
DROP INDEX transfers_main_hash;
CREATE INDEX transfers_rec_id ON transfers (substr(rec_id, -8)) WHERE rec_id IS NOT NULL;
CREATE INDEX transfers_zone_hash ON transfers (substr(zone_hash, 1, 8)) WHERE zone_hash IS NOT NULL;
CREATE INDEX transfers_main_hash ON transfers (substr(main_hash, 1, 8)) WHERE main_hash IS NOT NULL;

-- What second sources say of the legs of one transaction: the newest answer of each, packed together. What leg_evidence still
-- holds of before is moved here little by little.
CREATE TABLE leg_answers (
  id INTEGER PRIMARY KEY, hash ANY NOT NULL,
  -- 1 where one of them says more than that it succeeded.
  telling INTEGER NOT NULL,
  answers ANY NOT NULL
) STRICT;
CREATE INDEX leg_answers_hash ON leg_answers (substr(hash, 1, 8));
`
