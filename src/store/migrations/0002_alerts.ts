export const alertTables = `
CREATE TABLE alerts (fingerprint TEXT PRIMARY KEY) STRICT
`
