export const headSwings = `
-- Where a head stood before it was read elsewhere: back there, it has come no further.
ALTER TABLE heads ADD COLUMN other_height INTEGER;
ALTER TABLE heads ADD COLUMN other_at INTEGER;
`
