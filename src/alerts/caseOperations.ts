import { MonitorError } from '../lib/errors.ts'
import { readWritten } from '../lib/readWritten.ts'
import { cleanText } from '../lib/text.ts'
import { openAgain } from '../cases/judgeCase.ts'
import type { CaseRow } from '../cases/store/caseRows.ts'
import { tellChange } from './caseOf.ts'
import type { ByHand } from './byHand.ts'
import type { AlertStore } from './store/alertStore.ts'

/** What somebody does with a case. */
export interface CaseCommand {
  /** As printed, `c42`. */
  readonly id: string
  /**
   * `ack`: somebody looks at it: no reminders, no escalation. `handle`: dealt with, for the reason in `text`: it leaves
   * the verdict. `reopen` takes either back. `assign` to the name in `text`, null is nobody; `note` the text.
   */
  readonly do: (typeof caseVerbs)[number]
  readonly text: string | null
  /** How often the case had opened as whoever does it saw it: what opened again since is taken by nobody unseen. */
  readonly turn?: number | undefined
}

export const caseVerbs = ['ack', 'assign', 'note', 'handle', 'reopen'] as const

/** What brings a case back that somebody acknowledged or handled. */
export const comesBack =
  'it opens again when something critical joins it, or when its money at risk grows by a tenth'

/** @throws MonitorError `usage` for what cannot be meant, `not_found` for what is not there */
export function changeCase(deps: ByHand, { id, do: verb, text, turn }: CaseCommand): CaseRow {
  if (turn !== undefined && (verb === 'ack' || verb === 'handle')) assertSeen(deps, id, turn)
  switch (verb) {
    case 'ack':
      return ack(deps, id)
    case 'assign':
      return assign(deps, id, text)
    case 'note':
      return addNote(deps, id, text ?? '')
    case 'handle':
      return handle(deps, id, text ?? '')
    case 'reopen':
      return reopen(deps, id, text ?? '')
  }
}

/** @throws MonitorError `usage` for what is no name of a case */
function readCaseId(text: string): number {
  const [, digits] = /^#?c?(\d{1,15})$/i.exec(text.trim()) ?? []
  if (digits === undefined)
    throw new MonitorError('usage', `expected the id of a case such as c42, got ${cleanText(text, 40)}`)
  return Number(digits)
}

/** By its name; one that was merged is the case that it goes on as. @throws MonitorError `not_found`, `usage` */
export function findCaseNamed(store: Pick<AlertStore, 'findCase'>, id: string): CaseRow {
  const row = store.findCase(readCaseId(id))
  if (row === null)
    throw new MonitorError('not_found', `There is no case ${cleanText(id, 40)}: spanwatch cases list`)
  return row
}

/** Saves what somebody did, where everybody looks: the case, its timeline, the audit log, the channels that follow it. */
function record(
  deps: ByHand,
  row: CaseRow,
  of: {
    readonly what: 'acknowledged' | 'assigned' | 'noted' | 'handled' | 'opened again'
    readonly text: string
  },
): CaseRow {
  const { store, actor, now } = deps
  const changed = { ...row, changedAt: now }
  store.saveCase(changed)
  store.addCaseLog({ caseId: row.id, at: now, what: of.what, by: actor.by, text: of.text })
  deps.record({ what: of.what, about: 'case', aboutId: `c${row.id}`, detail: of.text })
  tellChange({ store, now, following: deps.following }, { row: changed, change: of.what })
  return changed
}

function assertNamed({ actor }: ByHand): void {
  if (actor.by === '') throw new MonitorError('usage', 'expected who does it: --by NAME')
}

/** Who looked at a case before it opened again, or went into another one, has not seen what did that. */
function assertSeen({ store }: ByHand, id: string, turn: number): void {
  const row = findCaseNamed(store, id)
  if (row.id !== readCaseId(id))
    throw new MonitorError(
      'usage',
      `${cleanText(id, 40)} goes on as c${row.id} since you looked: look at that.`,
    )
  if (row.turn !== turn)
    throw new MonitorError(
      'usage',
      `Case c${row.id} opened again since you looked: look at what is new, then repeat it.`,
    )
}

function assertOpen(row: CaseRow): void {
  if (row.state === 'closed')
    throw new MonitorError('usage', `Case c${row.id} is over: nothing of it holds any more.`)
}

function ack(deps: ByHand, id: string): CaseRow {
  assertNamed(deps)
  const row = findCaseNamed(deps.store, id)
  assertOpen(row)
  if (row.state === 'acknowledged' || row.state === 'handled')
    throw new MonitorError('usage', `Case c${row.id} is ${row.state} already, by ${row.by ?? 'somebody'}.`)
  const { store, actor, now } = deps
  store.ackCase(row.id, actor.by, now)
  store.endEscalations(row.id)
  const taken: CaseRow = {
    ...row,
    state: 'acknowledged',
    by: actor.by,
    byAt: now,
    reason: null,
    turnMoney: row.money,
  }
  return record(deps, taken, { what: 'acknowledged', text: comesBack })
}

function assign(deps: ByHand, id: string, to: string | null): CaseRow {
  assertNamed(deps)
  const row = findCaseNamed(deps.store, id)
  const assignee = to === null ? null : readWritten(to, 100)
  if (assignee === '') throw new MonitorError('usage', 'expected whose it is: --to NAME')
  return record(
    deps,
    { ...row, assignee },
    { what: 'assigned', text: assignee === null ? 'to nobody' : `to ${assignee}` },
  )
}

function addNote(deps: ByHand, id: string, text: string): CaseRow {
  assertNamed(deps)
  const row = findCaseNamed(deps.store, id)
  const note = readWritten(text, 2_000)
  if (note === '') throw new MonitorError('usage', 'expected a text')
  return record(deps, row, { what: 'noted', text: note })
}

function handle(deps: ByHand, id: string, reason: string): CaseRow {
  assertNamed(deps)
  const row = findCaseNamed(deps.store, id)
  assertOpen(row)
  const why = readWritten(reason, 500)
  if (why === '') throw new MonitorError('usage', 'expected a reason: why does it need nobody any more?')
  const { store, actor, now } = deps
  store.ackCase(row.id, actor.by, now)
  store.endEscalations(row.id)
  const handled: CaseRow = {
    ...row,
    state: 'handled',
    by: actor.by,
    byAt: now,
    reason: why,
    turnMoney: row.money,
  }
  return record(deps, { ...handled, closeAt: store.readCaseEnd(handled) }, { what: 'handled', text: why })
}

function reopen(deps: ByHand, id: string, reason: string): CaseRow {
  assertNamed(deps)
  const row = findCaseNamed(deps.store, id)
  assertOpen(row)
  if (row.state === 'open') throw new MonitorError('usage', `Case c${row.id} is open.`)
  const { store, now } = deps
  store.clearAcks(row.id)
  const again = openAgain(row, now)
  const opened = { ...again, closeAt: store.readCaseEnd(again) }
  store.beginEscalations(row.id, opened.turn, now)
  return record(deps, opened, { what: 'opened again', text: readWritten(reason, 500) || 'by hand' })
}
