export const sourceWords = `
-- What accusations of the present rest on that go by absence or by a balance, by what was asked (\`what\` and \`about\`): who
-- says it, as JSON, and whether the sources contradict each other.
CREATE TABLE source_words (
  what TEXT NOT NULL, about TEXT NOT NULL, chain TEXT NOT NULL, is_contradicted INTEGER NOT NULL, body TEXT NOT NULL,
  since INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (what, about, is_contradicted)
) STRICT, WITHOUT ROWID;
CREATE INDEX source_words_at ON source_words (at);
`
