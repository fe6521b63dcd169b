export const eventAbi = `
-- Events as the verified ABI of a bridge contract, or of its implementation, declares them: 'event' is one entry as JSON.
CREATE TABLE bridge_abi (
  contract TEXT NOT NULL, topic TEXT NOT NULL, source TEXT NOT NULL, event TEXT NOT NULL,
  PRIMARY KEY (contract, topic)
) STRICT, WITHOUT ROWID;
`
