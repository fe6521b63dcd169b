export const gateIndexes = `
-- What the gate asks of one transfer within milliseconds, whatever is stored.
-- Findings that are of no transfer: each may be of all of them.
CREATE INDEX alerts_apart ON alerts (severity, nature, state) WHERE transfer_key IS NULL;
-- What people settled of a transfer.
CREATE INDEX break_shares_transfer ON break_shares (transfer_key) WHERE transfer_key IS NOT NULL;
-- What arrived for somebody and is of no origin yet.
CREATE INDEX transfers_open_to ON transfers (target_address) WHERE state IN ('pending', 'unbacked', 'failed');
`
