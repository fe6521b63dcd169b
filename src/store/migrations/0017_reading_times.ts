export const readingTimes = `
-- Block time of the height that balances were asked for; NULL where they are of the moment of the question.
ALTER TABLE escrow_readings ADD COLUMN block_time INTEGER;
`
