export const ruleTimes = `
-- When each rule found something last, and how many events it found of late, without a look at all that is kept. They grow at
-- their end, on pages that the alert before wrote as well.
CREATE INDEX alerts_found ON alerts (rule, COALESCE(fired_at, active_at)) WHERE state NOT IN ('pending', 'merged');
CREATE INDEX alerts_events ON alerts (rule, changed_at) WHERE nature = 'event';
CREATE INDEX alerts_merged ON alerts (rule, changed_at) WHERE state = 'merged';
`
