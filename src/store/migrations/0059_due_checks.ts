export const dueChecks = `
-- What E12 is asked about in twenties is found beside any number of transfers that have to be asked about one by one.
DROP INDEX transfers_check;
CREATE INDEX transfers_check ON transfers (zone_hash IS NULL, check_at) WHERE check_at IS NOT NULL;
`
