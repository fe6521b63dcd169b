export const breakEntryTables = `
-- What people settled by hand of what does not reconcile. An entry is never changed nor removed; another one takes it back.
CREATE TABLE break_entries (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, what TEXT NOT NULL, who TEXT NOT NULL, via TEXT NOT NULL, address TEXT, role TEXT,
  session TEXT, reason TEXT NOT NULL,
  -- Of a matching: the payout less the origin, token units; NULL where that cannot be said.
  difference TEXT,
  -- The entry that this one takes back.
  undoes INTEGER UNIQUE
) STRICT;
CREATE INDEX break_entries_at ON break_entries (at);
CREATE TRIGGER break_entries_fixed BEFORE UPDATE ON break_entries
  BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END;
CREATE TRIGGER break_entries_kept BEFORE DELETE ON break_entries
  BEGIN SELECT RAISE(ABORT, 'entries are never removed'); END;

-- What an entry settles of each break. 'whole': all that the chains showed of it then. NULL is an amount that was not known.
CREATE TABLE break_shares (
  entry_id INTEGER NOT NULL, name TEXT NOT NULL, transfer_key INTEGER, part TEXT NOT NULL, kind TEXT NOT NULL, token TEXT NOT NULL,
  in_base_units INTEGER NOT NULL, amount TEXT, whole TEXT, PRIMARY KEY (entry_id, name)
) STRICT, WITHOUT ROWID;

-- Transfers that arrived and do not reconcile all the same are known by their alerts alone.
CREATE INDEX alerts_breaks ON alerts (id) WHERE kind IN ('transfer.duplicate', 'transfer.unbacked', 'transfer.mismatch', 'batch.mismatch');
`
