import { randomUUID } from 'node:crypto'
import { chmodSync, rmSync, statSync } from 'node:fs'
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementResultingChanges,
  type StatementSync,
} from 'node:sqlite'
import type { Clock } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import { type Commits, createCommits, type MayWait, type OnOutcome } from './commits.ts'
import { type ChangeLog, createChangeLog } from './changeLog.ts'
import { assertWhole, isBroken, toDamaged } from './damage.ts'
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
]

type Row = Record<string, SQLOutputValue>

interface Statement {
  all(...values: SQLInputValue[]): Row[]
  get(...values: SQLInputValue[]): Row | undefined
  iterate(...values: SQLInputValue[]): Iterable<Row>
  run(...values: SQLInputValue[]): StatementResultingChanges
}

/** What a checkpoint left: pages in the write-ahead log, and how many of them the file has by now. */
interface Checkpoint {
  readonly pages: number
  readonly copied: number
}

export interface Database {
  /** Prepared once for each text, then reused. Integers come back as numbers; amounts are TEXT. */
  prepare(sql: string): Statement
  /**
   * Runs `work` in one durable commit; a throw rolls all of it back. Called inside a transaction it joins that one:
   * what belongs together commits together. `work` is synchronous, or its commit would hold half of another's.
   * One that `mayWait` is on the disk with the next that may not: nothing may leave by it before that one.
   */
  transaction<T>(work: () => T, mayWait?: MayWait<T>): T
  /** For a disk that takes nothing: commits stay in memory until they are released. */
  readonly held: Pick<Commits, 'hold' | 'isHeld' | 'isUnsaved' | 'save' | 'heldBytes' | 'release'>
  /** Identifies this ledger file for its whole life; a restored backup has an older `commits` count. */
  readonly generation: string
  /** Whether this opening made its tables. */
  readonly isNew: boolean
  /** How many transactions came to nothing so far: what was remembered of them is not so. */
  rollbacks(): number
  /** What is recorded for other nodes, or taken over from one. */
  readonly changes: ChangeLog
  /** Copies what was committed into the file itself, as far as no reader is in the way; waits for nobody. Not while commits are held. */
  checkpoint(): Checkpoint
  /** The same, and gives back the room of the write-ahead log where nobody reads. */
  truncateLog(): void
  /** Gives at most so many pages that hold nothing back to the file system, where they are many. @returns whether there are more */
  giveBack(pages: number): boolean
  /** What the write-ahead log takes up on the disk, bytes. */
  logBytes(): number
  close(): void
}

export interface DatabaseOptions {
  readonly readOnly?: boolean
  /** Looks through the whole file before it is used: for one that is small. */
  readonly check?: boolean
  /** Why no new ledger may be begun here. */
  readonly refuseNew?: Error
  /** Aborted with a DamagedLedger when SQLite finds the file broken; the same is thrown to the caller. */
  readonly damage?: AbortController
  readonly onOutcome?: OnOutcome
  /** How long a commit took to be on disk. */
  readonly timing?: { readonly clock: Pick<Clock, 'monotonicMs' | 'now'>; commit(seconds: number): void }
}

/** Opens, creates or migrates a ledger. `path` may be `:memory:`. @throws DamagedLedger */
export function openDatabase(path: string, options: DatabaseOptions = {}): Database {
  const guarded = createGuard(path, options.damage)
  return guarded(() => {
    const connection = new DatabaseSync(path, { readOnly: options.readOnly ?? false, timeout: 5_000 })
    try {
      const isNew = prepareFile(connection, path, options)
      return toDatabase({ path, connection, isNew, guarded }, options)
    } catch (error) {
      connection.close()
      throw error
    }
  })
}

/** @returns whether the ledger is a new one */
function prepareFile(connection: DatabaseSync, path: string, options: DatabaseOptions): boolean {
  if (options.check) assertWhole(connection, path)
  if (options.readOnly) {
    assertVersion(connection, path)
    return false
  }
  const isNew = readVersion(connection) === 0
  if (isNew && options.refuseNew) throw options.refuseNew
  // Only a file without tables takes it: one that was begun before keeps what is free within it for what comes.
  if (isNew) connection.exec('PRAGMA auto_vacuum = INCREMENTAL')
  // FULL: a commit that was acknowledged survives a power loss.
  connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;')
  // Copied back at its own times (`logCopies.ts`): a commit that has to do it as well is a slow one. What a burst left of
  // the log is cut off when the log begins anew.
  connection.exec(
    'PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 8000; PRAGMA journal_size_limit = 4194304;',
  )
  migrate(connection, path)
  return isNew
}

interface Opened {
  readonly path: string
  readonly connection: DatabaseSync
  readonly isNew: boolean
  readonly guarded: Guard
}

type Guard = <T>(work: () => T) => T

/** The one place where a broken file is noticed: everything that is asked of SQLite goes through it. */
function createGuard(path: string, damage: DatabaseOptions['damage']): Guard {
  return (work) => {
    try {
      return work()
    } catch (error) {
      if (!isBroken(error)) throw error
      const damaged = toDamaged(path, error)
      damage?.abort(damaged)
      throw damaged
    }
  }
}

function toDatabase({ path, connection, isNew, guarded }: Opened, options: DatabaseOptions): Database {
  const statements = new Map<string, Statement>()
  const { recorder, ...changes } = createChangeLog(connection)
  const commits = createCommits(
    {
      exec: (sql) => guarded(() => connection.exec(sql)),
      prepare: (sql) => connection.prepare(sql),
      get isTransaction() {
        return connection.isTransaction
      },
    },
    options.timing?.clock ?? null,
    (outcome) => {
      if ('tookMs' in outcome) options.timing?.commit(outcome.tookMs / 1_000)
      options.onOutcome?.(outcome)
    },
    recorder,
  )
  const prepare = (sql: string) => {
    let statement = statements.get(sql)
    if (!statement)
      statements.set(
        sql,
        (statement = guardStatement(
          guarded(() => connection.prepare(sql)),
          guarded,
          { isRecorded: () => changes.state() !== null, commits },
        )),
      )
    return statement
  }

  return {
    prepare,
    transaction: (work, mayWait) => commits.transaction(work, mayWait),
    rollbacks: () => commits.rollbacks(),
    held: commits,
    changes: {
      ...changes,
      become(state) {
        commits.save()
        guarded(() => changes.become(state))
      },
      apply(list) {
        guarded(() => changes.apply(list))
        commits.forget()
      },
    },
    generation: String(prepare("SELECT value FROM meta WHERE name = 'generation'").get()?.['value'] ?? ''),
    isNew,
    checkpoint() {
      commits.save()
      return guarded(() => checkpoint(connection, 'PASSIVE'))
    },
    truncateLog() {
      commits.save()
      guarded(() => checkpoint(connection, 'TRUNCATE'))
    },
    giveBack(pages) {
      commits.save()
      return guarded(() => giveBack(connection, pages))
    },
    logBytes: () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    close() {
      try {
        commits.save()
      } finally {
        connection.close()
      }
    },
  }
}

/** What is written beside a transaction is on the disk when it returns, and what waits is with it. */
function guardStatement(
  statement: StatementSync,
  guarded: Guard,
  { isRecorded, commits }: { readonly isRecorded: () => boolean; readonly commits: Commits },
): Statement {
  return {
    all: (...values: SQLInputValue[]) => guarded(() => statement.all(...values)),
    get: (...values: SQLInputValue[]) => guarded(() => statement.get(...values)),
    run(...values: SQLInputValue[]) {
      const work = () => guarded(() => statement.run(...values))
      if (isRecorded()) return commits.transaction(work)
      commits.save()
      return work()
    },
    *iterate(...values: SQLInputValue[]) {
      const rows = guarded(() => statement.iterate(...values))
      for (;;) {
        const next = guarded(() => rows.next())
        if (next.done) return
        yield next.value
      }
    },
  }
}

/** Never waits for a reader: it is done again in seconds. */
function checkpoint(connection: DatabaseSync, mode: 'PASSIVE' | 'TRUNCATE'): Checkpoint {
  if (connection.isTransaction) return { pages: 0, copied: 0 }
  connection.exec('PRAGMA busy_timeout = 0')
  try {
    const [, pages, copied] = Object.values(connection.prepare(`PRAGMA wal_checkpoint(${mode})`).get() ?? {})
    return { pages: Number(pages ?? 0), copied: Number(copied ?? 0) }
  } finally {
    connection.exec('PRAGMA busy_timeout = 5000')
  }
}

/** Pages that are soon needed again. */
const keptFree = 32

function giveBack(connection: DatabaseSync, pages: number): boolean {
  const count = (name: string) => Number(Object.values(connection.prepare(`PRAGMA ${name}`).get() ?? {})[0])
  const spare = count('freelist_count') - keptFree
  if (spare <= 0 || count('auto_vacuum') === 0) return false
  connection.exec(`PRAGMA incremental_vacuum(${Math.min(pages, spare)})`)
  return spare > pages
}

function readVersion(connection: DatabaseSync): number {
  return Number(connection.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
}

function assertVersion(connection: DatabaseSync, path: string): void {
  const version = readVersion(connection)
  if (version === migrations.length) return
  const problem =
    version > migrations.length
      ? 'It was written by a newer spanwatch: use that one.'
      : 'It was written by an older spanwatch: start the daemon once, which migrates it.'
  throw new MonitorError(
    'state.invalid',
    `${path} has ledger version ${version}, expected ${migrations.length}. ${problem}`,
  )
}

/** The ledger as it was, beside the migrated one: the way back to the version that wrote it. */
function keepOldVersion(connection: DatabaseSync, path: string, version: number): void {
  if (path === ':memory:') return
  const copy = `${path}.version-${version}`
  // One from an attempt that was cut off may be half a file; the ledger itself is still the old version.
  rmSync(copy, { force: true })
  connection.prepare('VACUUM INTO ?').run(copy)
  chmodSync(copy, 0o600)
}

function migrate(connection: DatabaseSync, path: string): void {
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
