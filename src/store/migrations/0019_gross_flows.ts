export const grossFlowColumns = `
-- What came in and what went out by token id, as JSON; NULL where only the difference was kept.
ALTER TABLE escrow_flows ADD COLUMN gross TEXT;
`
