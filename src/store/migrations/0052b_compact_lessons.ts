export const compactLessons = `
-- One row a lesson; samples of it name it by its number. Which transaction taught it, and whose, as bytes.
CREATE TABLE lessons (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (kind, name, value)
) STRICT;
INSERT INTO lessons (kind, name, value) SELECT DISTINCT kind, name, value FROM learned_samples WHERE kind <> 'dissent' ORDER BY 1, 2, 3;
-- Who disagreed with a meaning, and when others agreed: 'value' is agrees, suspended, disagrees or outlier.
CREATE TABLE dissent (
  name TEXT NOT NULL, value TEXT NOT NULL, hash TEXT NOT NULL, at INTEGER NOT NULL, party TEXT NOT NULL,
  PRIMARY KEY (name, value, hash)
) STRICT, WITHOUT ROWID;
INSERT INTO dissent SELECT name, value, hash, at, party FROM learned_samples WHERE kind = 'dissent';
CREATE INDEX dissent_at ON dissent (at);
CREATE INDEX dissent_hash ON dissent (hash);
ALTER TABLE learned_samples RENAME TO old_samples;
DROP INDEX learned_samples_at;
DROP INDEX learned_samples_hash;
CREATE TABLE learned_samples (
  id INTEGER PRIMARY KEY, lesson INTEGER NOT NULL, hash ANY NOT NULL, party ANY NOT NULL, at INTEGER NOT NULL
) STRICT;
INSERT INTO learned_samples (lesson, hash, party, at)
  SELECT l.id, iif(length(hash) IN (42, 66) AND hash GLOB '0x*' AND substr(hash, 3) NOT GLOB '*[^0-9a-f]*', unhex(substr(hash, 3)), hash),
    iif(length(party) IN (42, 66) AND party GLOB '0x*' AND substr(party, 3) NOT GLOB '*[^0-9a-f]*', unhex(substr(party, 3)), party), at
  FROM old_samples o JOIN lessons l ON l.kind = o.kind AND l.name = o.name AND l.value = o.value ORDER BY at;
DROP TABLE old_samples;
CREATE INDEX learned_samples_lesson ON learned_samples (lesson);
CREATE INDEX learned_samples_at ON learned_samples (at);
CREATE INDEX learned_samples_hash ON learned_samples (unhex(hex(substr(hash, 1, 4)) || hex(substr(hash, -4))));
`
