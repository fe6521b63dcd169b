import { formatMatcher, parseMatcher } from '../../alerts/matchers.ts'
import { checkSilence } from '../../alerts/silences.ts'
import { parseKey } from '../../ledger/transfers/transferRows.ts'
import { int } from '../../store/table.ts'
import type { HandedSilence, HandedSilenceEnd } from './handed.ts'
import { findKey } from './names.ts'
import type { Taken, Taking } from './taking.ts'

/** The very silence that was made there, with the transfers that it names as they are called here. */
export function takeSilence(taking: Taking, of: HandedSilence): Taken {
  const { store, db, actor, now, way } = taking
  if (findSilence(taking, of) !== null) return { done: 'it was made already' }
  if (of.endsAt <= now) return { done: 'it is over' }
  const keys = new Map(Object.entries(of.keys).map(([key, names]) => [key, findKey(db, names)]))
  const matchers = of.matchers.map((text) => translate(text, keys))
  if (matchers.includes(null)) return { wait: 'the transfer that it is about is not known here' }
  const { author, comment, startsAt, endsAt, createdAt } = of
  const named = matchers.filter((one) => one !== null)
  const checked = checkSilence({ matchers: named, startsAt, endsAt, author, comment }, now)
  if (!checked.ok) return { wait: `this silence is refused: ${checked.problems.join('; ')}` }
  const key = of.transfer === null ? null : keys.get(of.transfer.key.toLowerCase())
  if (key === undefined || (of.transfer !== null && key === null))
    return { wait: 'the transfer that it is about is not known here' }
  // What its transfer's alerts said then, which is what somebody wanted to be silent.
  const transfer = of.transfer && { ...of.transfer, key: key ?? '' }
  const id = store.insertSilence({ ...checked.silence, createdAt, transfer })
  const reason = `${named.join(' ')} until ${new Date(endsAt).toISOString()}, by ${author}: ${comment}; made ${way}`
  store.recordDecision({
    at: now,
    alertId: null,
    rule: '',
    subject: `silence #${id}`,
    what: 'silence added',
    reason,
  })
  store.recordChange(actor, { what: 'made', about: 'silence', aboutId: String(id), detail: reason }, now)
  return { done: `silence ${id}` }
}

/** Null where it names a transfer that is not known here. @throws nothing: a pattern over keys is of no use elsewhere, and null */
function translate(text: string, keys: ReadonlyMap<string, string | null>): string | null {
  const parsed = parseMatcher(text)
  if (!parsed.ok || parsed.matcher.label !== 'transfer') return text
  const { operator, value } = parsed.matcher
  if (operator === '=~' || operator === '!~') return null
  if (parseKey(value.toLowerCase()) === null) return text
  const key = keys.get(value.toLowerCase()) ?? null
  return key === null ? null : formatMatcher({ ...parsed.matcher, value: key })
}

function findSilence(
  { db }: Pick<Taking, 'db'>,
  { createdAt, author, comment }: Pick<HandedSilence, 'createdAt' | 'author' | 'comment'>,
): number | null {
  const sql = 'SELECT id FROM silences WHERE created_at = ? AND author = ? AND comment = ? LIMIT 1'
  return int.get(db, sql, createdAt, author, comment)
}

export function takeSilenceEnd(taking: Taking, of: HandedSilenceEnd): Taken {
  const { store, operations, actor, now } = taking
  const id = findSilence(taking, of)
  const silence = id === null ? null : store.getSilence(id)
  if (silence === null || silence.endsAt <= now) return { done: 'it is over' }
  operations.expireSilence(silence.id, actor)
  return { done: `silence ${silence.id} is over` }
}
