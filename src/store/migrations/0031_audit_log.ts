export const auditLogTables = `
-- What people changed: who, when and from where. Rows are never changed; only their retention removes them.
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, who TEXT NOT NULL, via TEXT NOT NULL, address TEXT, role TEXT, session TEXT,
  what TEXT NOT NULL, about TEXT NOT NULL, about_id TEXT NOT NULL, detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_log_at ON audit_log (at);
CREATE INDEX audit_log_about ON audit_log (about, about_id);
CREATE TRIGGER audit_log_fixed BEFORE UPDATE ON audit_log BEGIN SELECT RAISE(ABORT, 'the audit log is never changed'); END;

-- What the alerts of one transfer said when a silence of it was made, as JSON: what goes beyond that is sent. NULL for others.
ALTER TABLE silences ADD COLUMN transfer TEXT;
`
