export const waitingFlowColumns = `
-- The chain, or the list, whose coming on the judgement of a movement waits for; '' while it waits for none.
ALTER TABLE escrow_flows ADD COLUMN waits_for TEXT NOT NULL DEFAULT '';
CREATE INDEX escrow_flows_waiting ON escrow_flows (token) WHERE waits_for <> '';
`
