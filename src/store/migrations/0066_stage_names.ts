export const stageNames = `
-- What is known of a withdrawal's stages is asked by its name, not held in memory.
CREATE INDEX stage_events_name ON stage_events (name) WHERE name <> '';
`
