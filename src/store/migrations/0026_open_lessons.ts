export const openLessons = `
-- Transfers that are judged again once this was learned; 'lesson' is one as JSON.
CREATE TABLE open_lessons (
  lesson TEXT NOT NULL, transfer_key TEXT NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (lesson, transfer_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX open_lessons_transfer ON open_lessons (transfer_key);
`
