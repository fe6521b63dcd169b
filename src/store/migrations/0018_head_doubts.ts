export const headDoubtColumns = `
-- When a head was last read to be so far, and readings that are not believed yet, as JSON: lower ones, and one far ahead.
ALTER TABLE heads ADD COLUMN seen_at INTEGER;
ALTER TABLE heads ADD COLUMN below TEXT;
ALTER TABLE heads ADD COLUMN ahead TEXT;
`
