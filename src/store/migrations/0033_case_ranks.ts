export const caseRanks = `
-- How much a finding says: its severity, then how much it puts at risk. The worst of a case are read by it, however many there are.
ALTER TABLE case_members ADD COLUMN rank TEXT NOT NULL DEFAULT '';
UPDATE case_members SET rank = COALESCE((
  SELECT CASE a.severity WHEN 'critical' THEN '2' WHEN 'warning' THEN '1' ELSE '0' END || a.amount_rank
  FROM alerts a WHERE a.id = case_members.alert_id), '');
CREATE INDEX case_members_rank ON case_members (case_id, rank DESC, alert_id);
`
