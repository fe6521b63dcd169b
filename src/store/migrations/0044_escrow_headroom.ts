export const escrowHeadroom = `
-- What the escrows that pay a token's withdrawals held at a block, and what withdrawals on their way wanted of it then. Base units.
-- NULL where one of these does not say how much. payers: a JSON list, empty where several may pay and none was seen to.
CREATE TABLE escrow_headroom (
  token TEXT PRIMARY KEY, payers TEXT NOT NULL, held TEXT NOT NULL, on_its_way TEXT, height INTEGER NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
