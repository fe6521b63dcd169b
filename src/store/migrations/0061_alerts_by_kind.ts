export const alertsByKind = `
-- The few of one kind are found among however many of others that a storm brought.
CREATE INDEX alerts_kind ON alerts (kind, changed_at) WHERE state IN ('new', 'delivered', 'firing', 'recovering');
`
