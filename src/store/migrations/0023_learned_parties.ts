export const learnedParties = `
-- Whose transfer taught it: of one party only a few count. What was learned before counts as of different ones.
ALTER TABLE learned_samples ADD COLUMN party TEXT NOT NULL DEFAULT '';
UPDATE learned_samples SET party = hash;
-- What transfers teach of kinds of actions is learned with the rest.
ALTER TABLE zone_actions DROP COLUMN withdrawals;
ALTER TABLE zone_actions DROP COLUMN deposits;
CREATE INDEX learned_samples_hash ON learned_samples (hash);
`
