export const earlyFindings = `
-- What was told of a transaction before its block; next_at is when it is looked for by its hash, NULL once it is in a block.
CREATE TABLE early_findings (
  kind TEXT NOT NULL, subject TEXT NOT NULL, hash TEXT NOT NULL, told_at INTEGER NOT NULL, next_at INTEGER,
  misses INTEGER NOT NULL, finding TEXT NOT NULL, PRIMARY KEY (kind, subject)
) STRICT;
CREATE INDEX early_findings_hash ON early_findings (hash);
CREATE INDEX early_findings_next ON early_findings (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX early_findings_told ON early_findings (told_at);

-- Payouts that were preconfirmed, and whether they fitted a withdrawal that had been shown by then.
CREATE TABLE preconf_payouts (
  hash TEXT PRIMARY KEY, at INTEGER NOT NULL, verdict TEXT NOT NULL, named INTEGER NOT NULL,
  unfit TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX preconf_payouts_at ON preconf_payouts (at);
`
