import { alertIdOf } from '../../alerts/fingerprint.ts'
import type { AlertHead } from '../../alerts/store/alertRows.ts'
import { hasGrown } from '../../cases/money.ts'
import type { CaseRow } from '../../cases/store/caseRows.ts'
import { cleanText } from '../../lib/text.ts'
import { int } from '../../store/table.ts'
import type { Handed, HandedCase } from './handed.ts'
import { findHanded } from './names.ts'
import type { Taken, Taking } from './taking.ts'

/** No reminders of an alert, as somebody decided there; its case is handed over by itself. */
export function takeAlertAck(
  { db, store, actor, now, way }: Taking,
  { alert: given, episode }: Extract<Handed, { kind: 'alert' }>,
): Taken {
  const alert = findHanded(db, given)
  if (alert === null || alert.episode < episode) return { wait: 'this alert is not known here' }
  if (alert.ackedAt !== null) return { done: 'it was acknowledged already' }
  if (alert.episode > episode) return { done: 'it came back since' }
  if (isOver(alert)) return { done: 'it is over' }
  store.ackAlert(alert.id, actor.by, now)
  const { id, rule, subject } = alert
  const reason = `by ${actor.by}, ${way}`
  store.recordDecision({ at: now, alertId: id, rule, subject, what: 'acknowledged', reason })
  store.recordChange(
    actor,
    {
      what: 'acknowledged',
      about: 'alert',
      aboutId: alertIdOf(alert.fingerprint),
      detail: `${rule}: ${subject}; ${way}`,
    },
    now,
  )
  return { done: 'acknowledged' }
}

function isOver({ state }: AlertHead): boolean {
  return state === 'resolved' || state === 'inactive' || state === 'merged'
}

/** What somebody did about a case, which is found by its alerts. */
export function takeCaseWork(taking: Taking, of: HandedCase): Taken {
  const cases = findCases(taking, of.members)
  const [first] = cases
  if (first === undefined) return { wait: 'this case is not known here' }
  if (isKnown(taking, first, of)) return { done: 'it is known here' }
  // Taking one is taking all that became of it; what is said once is said in the case of what is worst.
  if (of.do === 'ack' || of.do === 'handle')
    return { done: cases.map((row) => take(taking, row, of)).join('; ') }
  return { done: take(taking, first, of) }
}

function findCases({ db, store }: Taking, members: HandedCase['members']): CaseRow[] {
  const rows = new Map<number, CaseRow>()
  for (const member of members) {
    const alert = findHanded(db, member)
    const row = alert && store.findCaseOfAlert(alert.id)
    if (row) rows.set(row.id, row)
  }
  return [...rows.values()]
}

const whats: Readonly<Record<HandedCase['do'], string>> = {
  ack: 'acknowledged',
  assign: 'assigned',
  note: 'noted',
  handle: 'handled',
  reopen: 'opened again',
  seen: '',
  escalated: 'escalated',
}

/** The very entry that was made there. */
function isKnown({ db, actor }: Taking, { id }: CaseRow, of: HandedCase): boolean {
  const sql = 'SELECT 1 FROM case_log WHERE case_id = ? AND at = ? AND what = ? AND by IS ? LIMIT 1'
  const by = of.do === 'escalated' ? null : actor.by
  return int.get(db, sql, id, of.at, whats[of.do], by) !== null
}

function take(taking: Taking, row: CaseRow, of: HandedCase): string {
  const { operations, actor, way } = taking
  const id = `c${row.id}`
  switch (of.do) {
    case 'ack':
    case 'handle':
      return takeCase(taking, row, of)
    case 'assign':
      if (row.assignee === of.text) return `${id} is assigned so already`
      operations.changeCase({ id, do: 'assign', text: of.text }, actor)
      return sayHow(taking, row, `assigned ${way}`)
    case 'note':
      operations.changeCase({ id, do: 'note', text: withWay(of.text ?? '', way, 2_000) }, actor)
      return `noted in ${id}`
    case 'reopen':
      if (row.state === 'open') return `${id} is open`
      if (row.state === 'closed') return `${id} is over`
      operations.changeCase({ id, do: 'reopen', text: withWay(of.text ?? '', way, 500) }, actor)
      return `${id} is open`
    case 'seen':
      return sayHow(taking, row, `${of.text ?? ''} (${way}; it opened again since)`)
    case 'escalated':
      log(taking, row, { what: 'escalated', by: null, text: withWay(of.text ?? '', way, 500) })
      return `written down in ${id}`
  }
}

/** Acknowledged or handled, unless there is more to it here than whoever did it has seen. */
function takeCase(taking: Taking, row: CaseRow, of: HandedCase): string {
  const { operations, actor, way } = taking
  const id = `c${row.id}`
  if (row.state === 'closed') return `${id} is over`
  if (row.state === 'handled' || (row.state === 'acknowledged' && of.do === 'ack'))
    return `${id} is ${row.state} already`
  const unseen = findUnseen(taking, row, of)
  if (unseen !== null) return sayHow(taking, row, `${whats[of.do]} ${way}; left as it is, because ${unseen}`)
  operations.changeCase({ id, do: of.do === 'ack' ? 'ack' : 'handle', text: of.text }, actor)
  return sayHow(taking, row, `${whats[of.do]} ${way}`)
}

const mostLookedAt = 2_000

/** What of a case nobody saw on the node where it was taken; null for nothing. */
function findUnseen({ db, store, now }: Taking, row: CaseRow, of: HandedCase): string | null {
  if (row.turn > of.turn) return 'it opened again here'
  if (hasGrown(of.money, row.money)) return 'more money is at risk here'
  const seen = new Set(of.members.map((member) => findHanded(db, member)?.id))
  const unseen = store
    .listStanding(row.id, { now, limit: mostLookedAt })
    .find(({ severity, id }) => severity === 'critical' && !seen.has(id))
  return unseen === undefined ? null : `#${alertIdOf(unseen.fingerprint)} is critical and was not seen there`
}

/** Into the timeline and the audit log, in the name of whoever did it. */
function sayHow(taking: Taking, row: CaseRow, how: string): string {
  const { store, actor, now } = taking
  const text = cleanText(how, 500)
  log(taking, row, { what: 'noted', by: actor.by, text })
  store.recordChange(actor, { what: 'noted', about: 'case', aboutId: `c${row.id}`, detail: text }, now)
  return `c${row.id}: ${text}`
}

function log(
  { store, now }: Taking,
  row: CaseRow,
  entry: { readonly what: string; readonly by: string | null; readonly text: string },
): void {
  store.addCaseLog({ caseId: row.id, at: now, ...entry })
}

/** What somebody wrote, and how it came here, in what there is room for. */
export function withWay(text: string, way: string, most: number): string {
  const tail = ` (${way})`
  return `${cleanText(text, most - tail.length)}${tail}`
}
