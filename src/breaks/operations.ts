import { listKeysNamed } from '../alerts/store/transferNames.ts'
import { formatDecimal } from '../bridge/decimal.ts'
import { tellChange } from '../alerts/caseOf.ts'
import { type NewOutboxItem, queueItem } from '../alerts/store/outboxItems.ts'
import { listCaseChannels } from '../cases/store/caseChannels.ts'
import { addCaseLog, getCase } from '../cases/store/caseRows.ts'
import { parseKey } from '../ledger/transfers/transferRows.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import { readWritten } from '../lib/readWritten.ts'
import { cleanText } from '../lib/text.ts'
import { type Actor, cleanActor } from '../store/actor.ts'
import { recordChange } from '../store/auditLog.ts'
import { completeHash, hash as hashCodec, isHash } from '../store/hash.ts'
import { nameOf } from '../store/names.ts'
import { columns, text } from '../store/table.ts'
import { type BreakLedger, openBreakSources } from './breakSources.ts'
import { type Break, breakWords, type Share } from './break.ts'
import { checkMatch, type Side } from './checkMatch.ts'
import { findCaseOf } from './describeBreak.ts'
import { findEntry, insertEntry, listHeldShares, listShares, type NewEntry } from './entryStore.ts'
import { type BreakSources, findBreak, splitName } from './readBreaks.ts'
import { settle } from './settle.ts'
import { type ShownEntry, showEntry } from './showEntry.ts'

interface MatchInput {
  /** A key, an id, a hash, or a movement's name. */
  readonly payout: string
  readonly origin: string
  readonly reason: string
  /** Also of different tokens, and where nobody knows how much it is. */
  readonly force: boolean
}

interface WriteOffInput {
  readonly name: string
  readonly reason: string
}

interface UndoInput {
  /** As printed, `e3`. */
  readonly entry: string
  readonly reason: string
}

/** What people do about breaks. Each call is one commit: an entry, a note in the case, and one in the audit log. */
export interface BreakOperations {
  /** This payout belongs to that origin. What one of them is more than the other stays a break. */
  matchBreaks(input: MatchInput, actor: Actor): ShownEntry
  writeOffBreak(input: WriteOffInput, actor: Actor): ShownEntry
  /** Takes an entry back: its breaks are on the list again. */
  undoEntry(input: UndoInput, actor: Actor): ShownEntry
}

export interface BreakOperationsDeps extends BreakLedger {
  readonly clock: Pick<Clock, 'now'>
  /** The channels that are told what happens to a case as a whole. */
  readonly following: ReadonlySet<string>
  /** Run after each commit. */
  readonly after: Iterable<() => void>
}

/** One change by a person, under way. */
interface ByHand extends BreakSources {
  readonly actor: Actor
  readonly now: UnixMs
  readonly following: ReadonlySet<string>
}

/** @throws MonitorError (in each call) `usage` for what cannot be meant, `not_found` for what is not there */
export function createBreakOperations(deps: BreakOperationsDeps): BreakOperations {
  const { following } = deps
  const commit = (given: Actor, work: (by: ByHand) => number): ShownEntry => {
    const actor = cleanActor(given)
    if (actor.by === '') throw new MonitorError('usage', 'expected who does it: --by NAME')
    const sources = openBreakSources(deps)
    const entry = sources.db.transaction(() => {
      const now = deps.clock.now()
      return showEntry(sources, work({ ...sources, actor, now, following }), now)
    })
    for (const run of deps.after) run()
    return entry
  }
  return {
    matchBreaks: (input, actor) => commit(actor, (by) => matchBreaks(by, input)),
    writeOffBreak: (input, actor) => commit(actor, (by) => writeOffBreak(by, input)),
    undoEntry: (input, actor) => commit(actor, (by) => undoEntry(by, input)),
  }
}

function matchBreaks(by: ByHand, input: MatchInput): number {
  const reason = readReason(input.reason)
  const [payout, origin] = [getOpen(by, input.payout), getOpen(by, input.origin)]
  for (const { of, shares } of [payout, origin]) {
    const other = shares.find(({ part }) => part !== 'all')
    if (other)
      throw new MonitorError(
        'usage',
        `${of.name} is matched already, by e${other.entryId}: one origin pays one payout. Take that back first.`,
      )
  }
  const checked = checkMatch(payout, origin, input.force)
  if ('problem' in checked) throw new MonitorError('usage', `This matching is refused: ${checked.problem}`)
  const { match } = checked
  const entry = { what: 'matched', reason, difference: match.difference, undoes: null } as const
  return record(by, entry, [
    toShare(payout.of, 'payout', match.payout),
    toShare(origin.of, 'origin', match.origin),
  ])
}

function writeOffBreak(by: ByHand, input: WriteOffInput): number {
  const reason = readReason(input.reason)
  const { of, left } = getOpen(by, input.name)
  return record(by, { what: 'written off', reason, difference: null, undoes: null }, [
    toShare(of, 'all', left),
  ])
}

function undoEntry(by: ByHand, input: UndoInput): number {
  const reason = readReason(input.reason)
  const [, digits] = /^#?e?(\d{1,15})$/i.exec(input.entry.trim()) ?? []
  if (digits === undefined)
    throw new MonitorError('usage', `expected an entry such as e3, got ${cleanText(input.entry, 40)}`)
  const entry = findEntry(by.db, Number(digits))
  if (entry === null)
    throw new MonitorError('not_found', `There is no entry e${digits}: spanwatch breaks list`)
  if (entry.undoes !== null)
    throw new MonitorError(
      'usage',
      `e${entry.id} takes back e${entry.undoes}: match or write off anew instead.`,
    )
  if (entry.undoneBy !== null)
    throw new MonitorError('usage', `e${entry.id} was taken back already, by e${entry.undoneBy}.`)
  const undone = listShares(by.db, entry.id)
  const id = record(by, { what: 'taken back', reason, difference: null, undoes: entry.id }, [])
  const text = `e${id} takes back e${entry.id} (${entry.what}): ${reason}`
  noteEach(by, undone, { what: 'taken back', text })
  return id
}

function readReason(given: string): string {
  const reason = readWritten(given, 500)
  if (reason === '') throw new MonitorError('usage', 'expected a reason: why is it so?')
  return reason
}

interface Found extends Side {
  /** What entries that were not taken back say of it. */
  readonly shares: readonly Share[]
}

/** The open break that somebody means. */
function getOpen(by: ByHand, given: string): Found {
  const [found, ...others] = listNamed(by, given)
  const shown = cleanText(given, 200)
  if (found === undefined)
    throw new MonitorError(
      'not_found',
      `Nothing named ${shown} fails to reconcile: spanwatch breaks list shows what does.`,
    )
  if (others.length > 0)
    throw new MonitorError(
      'usage',
      `${shown} is of several breaks: ${[found, ...others]
        .slice(0, 5)
        .map(({ name }) => name)
        .join(', ')}. Name one of them.`,
    )
  const shares = listHeldShares(by.db).get(found.name) ?? []
  const { isOpen, left, entries } = settle(found, shares)
  if (!isOpen)
    throw new MonitorError(
      'usage',
      `${found.name} is settled already, by ${entries.map((id) => `e${id}`).join(', ')}. Take that back first.`,
    )
  return { of: found, left, shares }
}

/** How many transfers of one name are looked at. */
const mostNamed = 100

const places = columns({ escrow: text, token: text, hash: hashCodec })
const ofHash = `SELECT ${nameOf('escrow')} AS escrow, ${nameOf('token')} AS token, hash FROM escrow_flows WHERE ${isHash('hash', '?1')} LIMIT ?2`

function listNamed(by: ByHand, given: string): Break[] {
  const name = given.trim()
  const keys = listKeysNamed(by.db, name, mostNamed)
  const hash = completeHash(name).toLowerCase()
  const moves =
    hash.includes(':') && !hash.startsWith('balance:')
      ? [hash]
      : places
          .all(by.db, ofHash, hash, mostNamed)
          .map((one) => `${one.escrow}:${one.token || 'native'}:${one.hash}`)
  return [...new Set([...keys, ...moves])].flatMap((one) => findBreak(by, one, by.now) ?? [])
}

function toShare(of: Break, part: Share['part'], amount: Share['amount']): Omit<Share, 'entryId'> {
  const { name, kind, token, inBaseUnits } = of
  return { name, part, kind, token, inBaseUnits, amount, whole: of.amount }
}

function record(
  by: ByHand,
  entry: Pick<NewEntry, 'what' | 'reason' | 'difference' | 'undoes'>,
  shares: readonly Omit<Share, 'entryId'>[],
): number {
  const { db, actor, now } = by
  const id = insertEntry(db, { at: now, who: actor.by, ...actor.from, ...entry }, shares)
  noteEach(by, shares, { what: entry.what, text: `e${id}: ${entry.reason}` })
  return id
}

/** As the audit log says who did it; a timeline says by whom it was done. */
const done = { matched: 'matched', 'written off': 'wrote off', 'taken back': 'took back' } as const

/** Where everybody looks: the timelines of the cases, the channels that follow these, and the audit log. */
function noteEach(
  by: ByHand,
  shares: readonly Omit<Share, 'entryId'>[],
  of: { readonly what: NewEntry['what']; readonly text: string },
): void {
  const { db, actor, now } = by
  const noted = new Set<string>()
  for (const share of shares) {
    const { name } = share
    const isTransfer = parseKey(name) !== null
    const line = `${of.text}; ${sayShare(by, share)}`
    const about = isTransfer ? 'transfer' : 'movement'
    recordChange(db, actor, { what: done[of.what], about, aboutId: name, detail: line }, now)
    const mainHash = isTransfer ? null : (splitName(name)[2] ?? null)
    const caseId = findCaseOf(db, { name, transferKey: isTransfer ? name : null, mainHash })
    if (caseId === null || noted.has(caseId)) continue
    noted.add(caseId)
    const row = getCase(db, Number(caseId.slice(1)))
    if (row === null) continue
    addCaseLog(db, { caseId: row.id, at: now, what: of.what, by: actor.by, text: line })
    tellChange({ store: channelsOf(db), now, following: by.following }, { row, change: of.what })
  }
}

function channelsOf(db: BreakSources['db']) {
  return {
    listCaseChannels: (caseId: number) => listCaseChannels(db, caseId),
    queueItem: (item: NewOutboxItem) => queueItem(db, item),
  }
}

function sayShare(
  { tokens }: ByHand,
  { name, amount, token, inBaseUnits, kind }: Omit<Share, 'entryId'>,
): string {
  const symbol = tokens.find(token).symbol ?? (token || 'of the native currency')
  const sum =
    amount === null
      ? 'an unknown amount of'
      : `${formatDecimal(amount)}${inBaseUnits ? ' base units of' : ''}`
  return `${name}: ${sum} ${symbol}, ${breakWords[kind]}`
}
