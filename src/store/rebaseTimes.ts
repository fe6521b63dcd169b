import type { UnixMs } from '../lib/clock.ts'
import type { Database } from './database.ts'

/** Columns that hold a moment of our own clock from which a length is measured. Ends of silences are none: they are dates. */
const moments: Readonly<Record<string, { readonly columns: readonly string[]; readonly where: string }>> = {
  alerts: {
    columns: ['active_at', 'fired_at', 'keep_since', 'refreshed_at', 'acked_at'],
    where: "WHERE state IN ('pending', 'firing', 'recovering')",
  },
  rule_evaluations: { columns: ['evaluated_at', 'failing_since', 'unknown_since'], where: '' },
  alert_groups: { columns: ['flush_at', 'flushed_at'], where: '' },
  group_channels: { columns: ['acked_at', 'repeat_at'], where: '' },
  outbox: { columns: ['created_at', 'not_before', 'expires_at'], where: "WHERE state = 'queued'" },
  deliveries: { columns: ['next_at', 'created_at', 'expires_at'], where: '' },
  channels: { columns: ['opened_at', 'probe_at'], where: '' },
  cases: { columns: ['turn_at', 'close_at', 'recheck_at'], where: '' },
  case_channels: { columns: ['window_at', 'last_at', 'next_at'], where: '' },
  case_escalations: { columns: ['due_at'], where: 'WHERE due_at IS NOT NULL' },
  heads: { columns: ['advanced_at', 'read_at', 'seen_at', 'other_at'], where: '' },
  transfers: { columns: ['check_at'], where: 'WHERE check_at IS NOT NULL' },
  evidence_queue: {
    columns: ['added_at', 'ready_at', 'due_at', 'first_at', 'last_at', 'control_at'],
    where: '',
  },
  // When they were read is given by numbers of requests.
  missing_records: { columns: ['due_at'], where: '' },
  bridge_gaps: { columns: ['retry_at'], where: '' },
  bridge_logs: { columns: ['check_at'], where: 'WHERE check_at IS NOT NULL' },
  escrow_flows: { columns: ['check_at'], where: 'WHERE check_at IS NOT NULL' },
  // 0 is no moment: it is to be read.
  main_streams: { columns: ['deep_at'], where: 'WHERE deep_at > 0' },
  challenge_ranges: { columns: ['check_at'], where: '' },
  audit_lacks: {
    columns: ['due_at', 'first_at', 'last_at', 'control_at'],
    where: 'WHERE due_at IS NOT NULL',
  },
  held_judgements: { columns: ['due_at'], where: '' },
  preconf_dropped: { columns: ['told_at', 'next_at'], where: '' },
  early_findings: { columns: ['next_at'], where: 'WHERE next_at IS NOT NULL' },
  reports: { columns: ['next_at', 'expires_at'], where: 'WHERE sent_at IS NULL' },
}

/** When the verified source of a contract is read next, and until when it was another: they stand within a text. */
const ofContracts = ['$.verifyAt', '$.earlier.until'].map(
  (path) =>
    `UPDATE bridge_contracts SET body = json_replace(body, '${path}', json_extract(body, '${path}') + ?1)`,
)

/** The machine slept for `byMs`: whatever was measured so far goes on from the same length. */
export function rebaseTimes(db: Database, byMs: number): void {
  for (const [table, { columns, where }] of Object.entries(moments)) {
    const changes = columns.map((column) => `${column} = ${column} + ?1`).join(', ')
    db.prepare(`UPDATE ${table} SET ${changes} ${where}`).run(byMs)
  }
  for (const sql of ofContracts) db.prepare(sql).run(byMs)
}

/** No reminder before its group's next interval is over. */
export function holdRepeats(db: Database, now: UnixMs): void {
  db.prepare(
    `UPDATE group_channels SET repeat_at = MAX(repeat_at,
      ?1 + COALESCE((SELECT interval_ms FROM alert_groups g WHERE g.key = group_key), 0))`,
  ).run(now)
}
