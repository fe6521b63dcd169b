export const teachers = `
-- One row a transaction that taught, whatever it taught: a transfer teaches several lessons, and with its hash and party in each
-- of them, and in their indexes, they took more than the transfer's answers.
CREATE TABLE teachers (id INTEGER PRIMARY KEY, hash ANY NOT NULL, party ANY NOT NULL, at INTEGER NOT NULL) STRICT;
INSERT INTO teachers (hash, party, at) SELECT hash, party, at FROM learned_samples GROUP BY hash, party, at ORDER BY at, min(id);
CREATE INDEX teachers_hash ON teachers (unhex(hex(substr(hash, 1, 4)) || hex(substr(hash, -4))));
ALTER TABLE learned_samples RENAME TO old_samples;
CREATE TABLE learned_samples (lesson INTEGER NOT NULL, teacher INTEGER NOT NULL, PRIMARY KEY (lesson, teacher)) STRICT, WITHOUT ROWID;
INSERT INTO learned_samples SELECT o.lesson, t.id FROM old_samples o
  JOIN teachers t ON unhex(hex(substr(t.hash, 1, 4)) || hex(substr(t.hash, -4))) = unhex(hex(substr(o.hash, 1, 4)) || hex(substr(o.hash, -4)))
    AND t.hash = o.hash AND t.party = o.party AND t.at = o.at GROUP BY o.lesson, t.id;
DROP TABLE old_samples;
`
