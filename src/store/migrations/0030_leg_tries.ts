export const legTries = `
-- How often a second answer about movements that do not fit the record was asked for in vain.
ALTER TABLE evidence_queue ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
`
