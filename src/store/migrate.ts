import { randomUUID } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { MonitorError } from '../lib/errors.ts'
import { formName } from './migrations/formName.ts'
import { ledgerTables } from './migrations/0001_ledger.ts'
import { alertTables } from './migrations/0002_alerts.ts'
import { evidenceTables } from './migrations/0003_evidence.ts'
import { checkTables } from './migrations/0004_checks.ts'
import { bridgeLogTables } from './migrations/0005_bridge_logs.ts'
import { escrowTables } from './migrations/0006_escrow.ts'
import { preconfTables } from './migrations/0007_preconf.ts'
import { flowTables } from './migrations/0008_flow.ts'
import { operateTables } from './migrations/0009_operate.ts'
import { reportTables } from './migrations/0010_reports.ts'
import { auditTables } from './migrations/0012_audit.ts'
import { flowSlotTables } from './migrations/0013_flow_slots.ts'
import { learnedTables } from './migrations/0014_learned.ts'
import { correctionTables } from './migrations/0015_corrections.ts'
import { addressIndexes } from './migrations/0016_addresses.ts'
import { readingTimes } from './migrations/0017_reading_times.ts'
import { headDoubtColumns } from './migrations/0018_head_doubts.ts'
import { grossFlowColumns } from './migrations/0019_gross_flows.ts'
import { legFeeColumns } from './migrations/0020_leg_fees.ts'
import { waitingFlowColumns } from './migrations/0021_waiting_flows.ts'
import { riskOfLegs } from './migrations/0022_risk_of_legs.ts'
import { learnedParties } from './migrations/0023_learned_parties.ts'
import { eventAbi } from './migrations/0024_event_abi.ts'
import { wordTables } from './migrations/0025_words.ts'
import { openLessons } from './migrations/0026_open_lessons.ts'
import { legSurplusColumns } from './migrations/0027_leg_surplus.ts'
import { firstEvents } from './migrations/0028_first_events.ts'
import { unjudgedPayouts } from './migrations/0029_unjudged_payouts.ts'
import { legTries } from './migrations/0030_leg_tries.ts'
import { auditLogTables } from './migrations/0031_audit_log.ts'
import { caseTables } from './migrations/0032_cases.ts'
import { caseRanks } from './migrations/0033_case_ranks.ts'
import { breakEntryTables } from './migrations/0034_break_entries.ts'
import { caseCrowds } from './migrations/0035_case_crowds.ts'
import { escrowCourse } from './migrations/0036_escrow_course.ts'
import { gateIndexes } from './migrations/0040_gate.ts'
import { stageEvents } from './migrations/0042_stages.ts'
import { accountTables } from './migrations/0045_accounts.ts'
import { operatorBurn } from './migrations/0043_operator_burn.ts'
import { escrowHeadroom } from './migrations/0044_escrow_headroom.ts'
import { supplyTables } from './migrations/0046_supply.ts'
import { sourceWords } from './migrations/0047_source_words.ts'
import { compactRows } from './migrations/0048_compact.ts'
import { compactQueue } from './migrations/0049_compact_queue.ts'
import { bothEnds } from './migrations/0050_both_ends.ts'
import { compactAddresses } from './migrations/0051_compact_addresses.ts'
import { compactSums } from './migrations/0052a_compact_sums.ts'
import { compactLessons } from './migrations/0052b_compact_lessons.ts'
import { compactAccounts } from './migrations/0052c_compact_accounts.ts'
import { compactFlows } from './migrations/0052d_compact_flows.ts'
import { compactLogs } from './migrations/0052e_compact_logs.ts'
import { compactAlerts } from './migrations/0053_compact_alerts.ts'
import { ruleTimes } from './migrations/0054_rule_times.ts'
import { namedTokens } from './migrations/0055_named_tokens.ts'
import { replicaTables } from './migrations/0056_replicas.ts'
import { teachers } from './migrations/0057_teachers.ts'
import { settledAnswers } from './migrations/0058_settled_answers.ts'
import { dueChecks } from './migrations/0059_due_checks.ts'
import { refunds } from './migrations/0060_refunds.ts'
import { alertsByKind } from './migrations/0061_alerts_by_kind.ts'
import { held } from './migrations/0062_held.ts'
import { escrowSurplus } from './migrations/0063_escrow_surplus.ts'
import { ruleAsks } from './migrations/0064_rule_asks.ts'
import { headSwings } from './migrations/0065_head_swings.ts'
import { stageNames } from './migrations/0066_stage_names.ts'
import { earlyFindings } from './migrations/0037_early_findings.ts'

/** Numbered from 1 by position, forward only. A migration that has been released is never edited. */
export const migrations: readonly string[] = [
  ledgerTables,
  alertTables,
  evidenceTables,
  checkTables,
  bridgeLogTables,
  escrowTables,
  preconfTables,
  flowTables,
  operateTables,
  reportTables,
  auditTables,
  flowSlotTables,
  learnedTables,
  correctionTables,
  addressIndexes,
  readingTimes,
  headDoubtColumns,
  grossFlowColumns,
  legFeeColumns,
  waitingFlowColumns,
  riskOfLegs,
  learnedParties,
  eventAbi,
  wordTables,
  openLessons,
  legSurplusColumns,
  firstEvents,
  unjudgedPayouts,
  legTries,
  auditLogTables,
  caseTables,
  caseRanks,
  breakEntryTables,
  caseCrowds,
  escrowCourse,
  gateIndexes,
  accountTables,
  operatorBurn,
  escrowHeadroom,
  supplyTables,
  stageEvents,
  earlyFindings,
  sourceWords,
  compactRows,
  compactQueue,
  bothEnds,
  compactAddresses,
  compactSums,
  compactLessons,
  compactAccounts,
  compactFlows,
  compactLogs,
  compactAlerts,
  ruleTimes,
  namedTokens,
  replicaTables,
  teachers,
  settledAnswers,
  dueChecks,
  refunds,
  alertsByKind,
  held,
  escrowSurplus,
  ruleAsks,
  headSwings,
  stageNames,
]

export function readVersion(connection: DatabaseSync): number {
  return Number(connection.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
}

/** A ledger that is only read has to be of this version. */
export function assertVersion(connection: DatabaseSync, path: string): void {
  const version = readVersion(connection)
  if (version === migrations.length) return
  if (version === 0)
    throw new MonitorError(
      'state.invalid',
      `${path} holds nothing yet: a daemon that starts begins it in a moment.`,
    )
  const problem =
    version > migrations.length
      ? 'It was written by a newer spanwatch: use that one.'
      : 'It was written by an older spanwatch: start the daemon once, which migrates it.'
  throw new MonitorError(
    'state.invalid',
    `${path} has ledger version ${version}, expected ${migrations.length}. ${problem}`,
  )
}

/** The name of the value in `meta` that is there from the copy of the old version to the last migration. */
const underWay = 'migrating'

/**
 * The ledger as it was, beside the migrated one: the way back to the version that wrote it. What a migration that was cut off came
 * to is none's, and a disk that it filled has no room for another copy.
 */
function keepOldVersion(connection: DatabaseSync, path: string, version: number): void {
  if (path === ':memory:') return
  if (connection.prepare('SELECT 1 FROM meta WHERE name = ?').get(underWay) !== undefined) return
  const copy = `${path}.version-${version}`
  // One from an attempt that was cut off may be half a file; the ledger itself is still the old version.
  rmSync(copy, { force: true })
  connection.prepare('VACUUM INTO ?').run(copy)
  chmodSync(copy, 0o600)
  connection.prepare('INSERT INTO meta (name, value) VALUES (?, ?)').run(underWay, String(version))
}

/** Makes the tables of a new ledger, or brings one of before to this version. Beside it stays a copy as it was. */
export function migrate(connection: DatabaseSync, path: string): void {
  const version = readVersion(connection)
  if (version > migrations.length) assertVersion(connection, path)
  if (version > 0 && version < migrations.length) keepOldVersion(connection, path, version)
  // The type of a column is changed where the table's own text stands. Node before 24.12 has no such guard.
  connection.enableDefensive?.(false)
  if (version === 0) makeTables(connection, path)
  else
    for (const [index, sql] of migrations.entries()) {
      if (index < version) continue
      connection.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${index + 1}; COMMIT;`)
    }
  connection.prepare('DELETE FROM meta WHERE name = ?').run(underWay)
  connection.enableDefensive?.(true)
  connection.prepare("INSERT OR IGNORE INTO meta (name, value) VALUES ('generation', ?)").run(randomUUID())
}

/** The tables of an empty ledger in memory: a test of a rule, or of the code, begins with one, and there are thousands. */
let emptyInMemory: Uint8Array | undefined

/** The tables of a new ledger in one commit: cut off, there are none. */
function makeTables(connection: DatabaseSync, path: string): void {
  const isInMemory = path === ':memory:'
  if (isInMemory && emptyInMemory) {
    connection.deserialize(emptyInMemory)
    return
  }
  connection.exec(
    `BEGIN IMMEDIATE; ${migrations.join(';')}; INSERT INTO meta (name, value) VALUES ('${formName}', ${migrations.length});
     PRAGMA user_version = ${migrations.length}; COMMIT;`,
  )
  // Node before 26 cannot.
  if (isInMemory) emptyInMemory = connection.serialize?.()
}
