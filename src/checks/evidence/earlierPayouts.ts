import {
  destinationLeg,
  type EarlierPayout,
  originLeg,
  paidBefore,
  type TokenMove,
  type Transfer,
} from '../../bridge/transfer.ts'
import { askEach, isAnswer } from '../../kernel/reads/askInParts.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ReadOptions } from '../../kernel/reads/reads.ts'
import type { EvidenceReading } from '../../ledger/evidence/evidence.ts'
import { dropQueued, listQueued, type QueuedLeg, saveQueued } from '../../ledger/evidence/evidenceQueue.ts'
import { mostOfTransaction } from '../../ledger/transfers/transferRows.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { coverMoney } from '../../meaning/coverMoney.ts'
import { toMoneySettings } from '../../meaning/toMoneySettings.ts'
import { createEarlierLogs, type LogPass, type NamingTransaction } from './earlierLogs.ts'
import { findCallControl, readWhole } from './readWhole.ts'
import type { EvidenceReads } from './reads.ts'

interface EarlierPayouts
  extends Pick<
    Kernel,
    'clock' | 'commit' | 'config' | 'contractReads' | 'db' | 'learned' | 'ledger' | 'log' | 'reads'
  > {
  readonly evidence: Pick<EvidenceReads, 'mainLogs' | 'nativeLeg' | 'ownValue'>
}

interface Search extends EarlierPayouts {
  readonly findLogs: ReturnType<typeof createEarlierLogs>
  /** By the hash of the origin. */
  readonly passes: Map<string, Pass>
}

/** How far the past was looked through for one origin, and what of it paid already. */
interface Pass extends LogPass {
  readonly examined: Set<string>
  paid: readonly EarlierPayout[]
}

const maxPerRun = 5

const retryMs = 15_000

/** How often the past is asked for, over at least half a minute in all, before it is said to hold nothing. */
const neededReads = 3

/** What could not be found out so often is asked for ever more rarely, and not given up. */
const maxTries = 40

const maxRestMs = 3_600_000

/** Transactions that name an origin, looked at in one run: anybody may have a bridge contract name one. */
const maxNaming = 10

/**
 * A payout that claims an origin of before the ledger: what the past shows of that origin is asked for then, in the list
 * by its hash, and in the events of the bridge. Records that are found are verified like any other; a transaction that
 * moved the same money to the same recipient, and names the same origin, has paid it.
 */
export function createEarlierPayoutsPoll(of: EarlierPayouts): (signal: AbortSignal) => Promise<void> {
  const { clock, db } = of
  const search: Search = { ...of, findLogs: createEarlierLogs(of), passes: new Map() }
  let taken = 0
  return async (signal) => {
    const queued = listQueued(db, 'past', false, clock.now(), maxPerRun, taken)
    const due = queued.filter((one) => one.dueAt <= clock.now())
    taken += due.length
    await askEach(due.map((leg) => () => attempt(search, leg, { priority: 'evidence', signal })))
  }
}

/** What could not be asked is asked again: one that the source stumbles over holds up none of the others. */
async function attempt(search: Search, leg: QueuedLeg, options: ReadOptions): Promise<void> {
  try {
    await look(search, leg, options)
  } catch (error) {
    again(search, isAnswer(error) ? { ...leg, rests: leg.rests + 1 } : leg)
    throw error
  }
}

/** Transfers whose origin this is. */
function transfersOf({ ledger }: Search, hash: string): Transfer[] {
  return ledger
    .listTransfers({ hash, limit: mostOfTransaction })
    .filter((one) => originLeg(one)?.hash === hash && one.isListed)
}

async function look(search: Search, leg: QueuedLeg, options: ReadOptions): Promise<void> {
  const drop = () => {
    search.passes.delete(leg.hash)
    dropQueued(search.db, 'past', leg.hash)
  }
  const [first] = transfersOf(search, leg.hash)
  if (!first) return drop()
  const isKnown = await readRecords(search, first, { ...options, hash: leg.hash })
  const all = transfersOf(search, leg.hash)
  const open = listOpen(search, all)
  if (open.length === 0) return drop()
  const end = first.direction === 'ZoneToMain' ? await findPaid(search, { open, all }, options) : 'whole'
  if (end === 'goes-on') return again(search, leg)
  search.passes.delete(leg.hash)
  const reads = end === 'whole' && isKnown ? leg.reads + 1 : leg.reads
  if (reads >= neededReads) return drop()
  again(search, { ...leg, reads, rests: reads > leg.reads ? leg.rests : leg.rests + 1 })
}

/**
 * Those that one payout alone is known of, of most value first. Records of other payouts of the same origin are verified by
 * themselves, and then set beside this one.
 */
function listOpen({ ledger }: Search, all: readonly Transfer[]): Transfer[] {
  const nameOf = ({ direction, id, zoneEventIndex, token, amountRaw, targetAddress }: Transfer) =>
    direction === 'MainToZone'
      ? ''
      : (id ?? zoneEventIndex ?? [token.address, token.id, amountRaw, targetAddress].join('|'))
  return [...Map.groupBy(all, nameOf).values()]
    .filter((ofOrigin) => countPayouts(ofOrigin) < 2)
    .flat()
    .filter((one) => !one.evidence.some((of) => of.earlier !== undefined && paidBefore(one, of) !== null))
    .map((transfer) => ({ transfer, risk: ledger.riskOf(transfer) }))
    .sort((a, b) => b.risk - a.risk)
    .map(({ transfer }) => transfer)
}

/** What the list shows by the hash of the origin. @returns whether it holds what is known to be there */
async function readRecords(
  { reads, commit }: Search,
  { direction }: Transfer,
  { hash, ...options }: ReadOptions & { readonly hash: string },
): Promise<boolean> {
  const answers = [await reads.feedByHash(hash, options)]
  if (direction === 'ZoneToMain') answers.push(await reads.details([hash], options))
  const own = answers.map(({ records }) =>
    records.filter((record) => record.zoneHash === hash || record.mainHash === hash),
  )
  commit({ answers: own, bad: answers.flatMap(({ bad }) => bad) })
  return own.every((records) => records.length > 0)
}

function countPayouts(all: readonly Transfer[]): number {
  return new Set(all.flatMap((one) => destinationLeg(one)?.hash ?? [])).size
}

/**
 * Looks for the transactions of the past that paid these withdrawals already; `goes-on` where there is more to look at
 * than one run does, `unclear` where something of it could not be read.
 */
async function findPaid(
  search: Search,
  { open, all }: { readonly open: readonly Transfer[]; readonly all: readonly Transfer[] },
  options: ReadOptions,
): Promise<'whole' | 'unclear' | 'goes-on'> {
  const hash = originLeg(open[0] as Transfer)?.hash ?? ''
  const below = Math.max(...open.map(({ main }) => main?.height ?? -1))
  if (below < 0) return 'whole'
  const since: UnixMs = Math.min(...open.map((one) => originLeg(one)?.time ?? one.originAt))
  const pass = search.passes.get(hash) ?? startPass(all)
  search.passes.set(hash, pass)
  await search.findLogs(hash, { below, since, pass }, options)
  // What their records say of them is compared by itself.
  const known = new Set(all.flatMap(({ main }) => main?.hash ?? []))
  const left = [...pass.found.values()].filter((one) => !known.has(one.hash) && !pass.examined.has(one.hash))
  for (const one of left.slice(0, maxNaming)) {
    const whole = await readMoves(search, one, options)
    if (whole === 'unclear') return 'unclear'
    pass.examined.add(one.hash)
    const moves = whole?.status === 'success' ? whole.moves : null
    const paid = moves === null ? [] : listPaid(search, open, { one, moves })
    if (paid.length === 0) continue
    pass.paid = [...pass.paid, ...paid]
    search.commit({ evidence: [toReading(hash, one, { paid: pass.paid, now: search.clock.now() })] })
  }
  if (left.length > maxNaming || !pass.isRead) return 'goes-on'
  return pass.isCut ? 'unclear' : 'whole'
}

/** What was found before stays found: one answer holds all of an origin. */
function startPass(all: readonly Transfer[]): Pass {
  const known = all.flatMap(({ evidence }) => evidence.flatMap(({ earlier }) => (earlier ? [earlier] : [])))
  const [paid = []] = known
  return { next: null, isRead: false, isCut: false, found: new Map(), examined: new Set(), paid }
}

function listPaid(
  { config, learned }: Search,
  open: readonly Transfer[],
  { one, moves }: { readonly one: NamingTransaction; readonly moves: readonly TokenMove[] },
): EarlierPayout[] {
  const money = toMoneySettings(config.bridge, learned)
  return open.flatMap((transfer) => {
    const { main, amountRaw, targetAddress: recipient } = transfer
    if (main === null || (main.height ?? -1) < one.height) return []
    const earlier = { ...transfer, main: { ...main, ...one } }
    if (coverMoney(earlier, [earlier], moves, money) !== 'covered') return []
    return [{ hash: one.hash, recipient, amountRaw: `${amountRaw ?? ''}` }]
  })
}

function readMoves(search: Search, { hash, height }: NamingTransaction, options: ReadOptions) {
  const now = search.clock.now()
  const calls = { callReads: neededReads, callControl: findCallControl(search, hash) }
  const how = { ...options, ...calls, known: { logs: true } }
  return readWhole(search.evidence, { hash, height, addedAt: now }, how, now)
}

function toReading(
  hash: string,
  { hash: paidIn, time }: NamingTransaction,
  { paid, now }: { readonly paid: readonly EarlierPayout[]; readonly now: UnixMs },
): EvidenceReading {
  const of = { chain: 'zone', hash, source: 'E19', requestedAt: now, status: 'success' } as const
  return { ...of, errorMessage: '', moves: null, time, paidIn, earlier: paid }
}

function again(search: Search, leg: QueuedLeg): void {
  if (leg.rests === maxTries)
    search.log.warn(
      { hash: leg.hash },
      'whether an origin was paid before the ledger began could not be read so far',
    )
  const restMs = Math.min(retryMs * 2 ** Math.min(Math.max(leg.rests - maxTries, 0), 10), maxRestMs)
  const at = search.clock.now() + restMs
  saveQueued(search.db, { ...leg, readyAt: at, dueAt: at })
}
