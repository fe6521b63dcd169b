export const refunds = `
-- What gave failed deposits back is judged anew whenever a deposit of its recipient changes.
CREATE INDEX escrow_flows_refunds ON escrow_flows (party) WHERE verdict = 'refund';
`
