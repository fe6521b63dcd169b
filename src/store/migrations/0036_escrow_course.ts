export const escrowCourse = `
-- Of each step of so many ms the judgement of a token's escrows that had the least to spare. Base units.
CREATE TABLE escrow_course (
  token TEXT NOT NULL, step INTEGER NOT NULL, at INTEGER NOT NULL, holdings TEXT NOT NULL, owed TEXT NOT NULL,
  open_out TEXT NOT NULL, PRIMARY KEY (token, step, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX escrow_course_old ON escrow_course (step, at);

-- The largest movements of a time are found without reading the others.
CREATE INDEX escrow_flows_at ON escrow_flows (token, at, net);
`
