import * as caseChannels from '../../cases/store/caseChannels.ts'
import * as caseMembers from '../../cases/store/caseMembers.ts'
import * as caseRows from '../../cases/store/caseRows.ts'
import * as escalations from '../../cases/store/escalations.ts'
import * as places from '../../cases/placeMember.ts'
import * as groups from './alertGroups.ts'
import * as rows from './alertRows.ts'
import * as ofCase from './alertsOfCase.ts'
import * as held from './heldEvents.ts'
import * as deliveries from './outboxDeliveries.ts'
import * as contents from './outboxContents.ts'
import * as claims from './outboxClaims.ts'
import * as fallback from './outboxFallback.ts'
import * as items from './outboxItems.ts'
import * as totals from './outboxTotals.ts'
import * as operations from './outboxOperations.ts'
import * as audit from '../../store/auditLog.ts'
import * as times from '../../store/rebaseTimes.ts'
import * as purges from './purgeAlerts.ts'
import * as silenced from './silencedRows.ts'
import * as silences from './silenceRows.ts'
import * as names from './transferNames.ts'
import * as wrapping from '../../store/wrapping.ts'
import type { Database } from '../../store/database.ts'
import { attempt } from '../../store/misread.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { deleteEvaluation, listEvaluations, type RuleEvaluation, saveEvaluation } from './alertGroups.ts'

const tables = {
  ...rows,
  ...ofCase,
  ...groups,
  ...items,
  ...claims,
  ...fallback,
  ...contents,
  ...totals,
  ...deliveries,
  ...silences,
  ...held,
  ...operations,
  ...times,
  ...audit,
  ...names,
  ...wrapping,
  ...caseRows,
  ...caseMembers,
  ...caseChannels,
  ...escalations,
  ...places,
  ...silenced,
  ...purges,
}

/** A store function without its database. */
type Bound<F> = F extends (db: Database, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never
type StoreFunctions = { readonly [Name in keyof typeof tables]: Bound<(typeof tables)[Name]> }
type Unbindable = 'alertColumns' | 'droppedMark' | 'activeAlerts' | 'alertTable' | 'outboxTable'

/** Everything that is stored about alerts and their messages. Each call is SQL and nothing else. */
export type AlertStore = Omit<StoreFunctions, Unbindable> &
  Pick<Database, 'transaction' | 'generation'> & {
    /** One part of a transaction, which a row that cannot be read stops alone. @returns why it was stopped; null when it was not */
    attempt(work: () => void): string | null
  }

export function createAlertStore(db: Database): AlertStore {
  const bound = Object.entries(tables).flatMap(([name, value]) =>
    typeof value === 'function'
      ? [[name, (...rest: never[]) => (value as UnknownStoreFunction)(db, ...rest)]]
      : [],
  )
  // Bound<> says the same of the types as the lines above do of the values.
  const store = Object.fromEntries(bound) as Omit<StoreFunctions, Unbindable>
  const { forget, ...evaluations } = createEvaluationBook(db)
  return {
    ...store,
    ...evaluations,
    ...createQuietBook(db, store),
    rebaseTimes(byMs) {
      store.rebaseTimes(byMs)
      forget()
    },
    transaction: (work) => db.transaction(work),
    attempt: (work) => attempt(db, work),
    generation: db.generation,
  }
}

type UnknownStoreFunction = (db: Database, ...rest: never[]) => unknown

/**
 * How the rules' evaluations went, read once and then kept in memory. That one went as well as the one before is
 * written every few seconds only: a monitor in which nothing happens does not write to its disk every second. A crash
 * forgets at most that much of the time, which then counts as time spent down.
 */
interface EvaluationBook {
  getEvaluation(rule: string): RuleEvaluation | null
  listEvaluations(): RuleEvaluation[]
  saveEvaluation(entry: RuleEvaluation): void
  deleteEvaluation(rule: string): void
  /** The ledger was changed by other means. */
  readonly forget: () => void
}

const writeMs = 5_000

interface Entry {
  readonly evaluation: RuleEvaluation
  readonly writtenAt: UnixMs | null
}

function createEvaluationBook(db: Database): EvaluationBook {
  let known: Map<string, Entry> | null = null
  let rollbacks = -1

  /** What was noted in a transaction that came to nothing never was. */
  function open(): Map<string, Entry> {
    if (known !== null && rollbacks === db.rollbacks()) return known
    rollbacks = db.rollbacks()
    known = new Map(
      listEvaluations(db).map((evaluation) => [
        evaluation.rule,
        { evaluation, writtenAt: evaluation.evaluatedAt },
      ]),
    )
    return known
  }

  return {
    getEvaluation: (rule) => open().get(rule)?.evaluation ?? null,
    listEvaluations: () => [...open().values()].map(({ evaluation }) => evaluation),
    saveEvaluation(entry) {
      const entries = open()
      const before = entries.get(entry.rule)
      const isWritten = before !== undefined && isSame(before.evaluation, entry)
      const agoMs = (entry.evaluatedAt ?? 0) - (before?.writtenAt ?? 0)
      const rests = isWritten && agoMs >= 0 && agoMs < writeMs
      if (!rests) saveEvaluation(db, entry)
      entries.set(entry.rule, { evaluation: entry, writtenAt: rests ? before.writtenAt : entry.evaluatedAt })
    },
    deleteEvaluation(rule) {
      open().delete(rule)
      deleteEvaluation(db, rule)
    },
    forget() {
      known = null
    },
  }
}

/**
 * Which rules have no open alert: each second every condition is judged, and hardly any has one. Only what is written here
 * opens an alert.
 */
function createQuietBook(
  db: Database,
  store: Pick<AlertStore, 'listActiveOf' | 'insertAlert' | 'updatePhase'>,
): Pick<AlertStore, 'listActiveOf' | 'insertAlert' | 'updatePhase'> {
  const quiet = new Set<string>()
  let rollbacks = -1
  return {
    listActiveOf(rule) {
      // An alert that ended in a transaction that came to nothing goes on.
      if (rollbacks !== db.rollbacks()) quiet.clear()
      rollbacks = db.rollbacks()
      if (quiet.has(rule)) return []
      const active = store.listActiveOf(rule)
      if (active.length === 0) quiet.add(rule)
      return active
    },
    insertAlert(row) {
      quiet.delete(row.rule)
      return store.insertAlert(row)
    },
    updatePhase(...given) {
      quiet.clear()
      store.updatePhase(...given)
    },
  }
}

function isSame(a: RuleEvaluation, b: RuleEvaluation): boolean {
  return (
    a.errors === b.errors &&
    a.failingSince === b.failingSince &&
    a.reason === b.reason &&
    a.unknownSince === b.unknownSince &&
    a.asks === b.asks
  )
}
