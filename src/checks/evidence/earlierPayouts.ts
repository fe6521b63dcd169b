import { destinationLeg, originLeg, type Transfer } from '../../bridge/transfer.ts'
import type { BlockSpan } from '../../kernel/contractReads.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { maxSpanBlocks } from '../../kernel/readSpan.ts'
import type { ReadOptions } from '../../kernel/reads.ts'
import type { EvidenceReading } from '../../ledger/evidence.ts'
import { dropQueued, listQueued, type QueuedLeg, saveQueued } from '../../ledger/evidenceQueue.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { coverMoney } from '../../meaning/coverMoney.ts'
import { toMoneySettings } from '../../meaning/toMoneySettings.ts'
import { maxSharing } from './confirmMoves.ts'
import { readWhole } from './readWhole.ts'
import type { EvidenceReads } from './reads.ts'

interface EarlierPayouts
  extends Pick<
    Kernel,
    'clock' | 'commit' | 'config' | 'contractReads' | 'db' | 'learned' | 'ledger' | 'reads'
  > {
  readonly evidence: Pick<EvidenceReads, 'mainLogs' | 'nativeLeg' | 'ownValue'>
}

interface Search extends EarlierPayouts {
  readonly findLogs: ReturnType<typeof createEarlierLogs>
}

const maxPerRun = 5

const retryMs = 15_000

/** How often the past is asked for, over at least half a minute in all, before it is said to hold nothing. */
const neededReads = 3

const maxTries = 40

const maxNaming = 10

type Past = Pick<Kernel, 'config' | 'contractReads' | 'reads'>

/** A transaction of the past in which a bridge contract named something. */
interface NamingTransaction {
  readonly hash: string
  readonly height: number
  readonly time: UnixMs | null
}

/** Below a block, back to the one of a time. */
interface Span {
  readonly below: number
  readonly since: UnixMs
}

/** Pieces of the past that one search reads, at most. */
const maxPieces = 60

/** So much of what was read is kept: withdrawals that waited for the start ask for the same past. */
const maxKept = 50_000

interface Words extends NamingTransaction {
  /** Topics and data, hex without marks. */
  readonly text: string
}

/**
 * A payout that claims an origin of before the ledger: what the past shows of that origin is asked for then, in the list
 * by its hash, and in the events of the bridge. Records that are found are verified like any other; a transaction that
 * moved the same money to the same recipient, and names the same origin, has paid it.
 */
export function createEarlierPayoutsPoll(of: EarlierPayouts): (signal: AbortSignal) => Promise<void> {
  const { clock, db } = of
  const search: Search = { ...of, findLogs: createEarlierLogs(of) }
  return async (signal) => {
    const queued = listQueued(db, 'past', false, clock.now(), maxPerRun)
    for (const leg of queued.filter((one) => one.dueAt <= clock.now())) {
      try {
        await look(search, leg, { priority: 'evidence', signal })
      } catch (error) {
        again(search, leg)
        throw error
      }
    }
  }
}

/** Transfers whose origin this is. */
function transfersOf({ ledger }: Search, hash: string): Transfer[] {
  return ledger
    .listTransfers({ hash, limit: maxSharing })
    .filter((one) => originLeg(one)?.hash === hash && one.isListed)
}

async function look(search: Search, leg: QueuedLeg, options: ReadOptions): Promise<void> {
  const drop = () => dropQueued(search.db, 'past', leg.hash)
  const [first] = transfersOf(search, leg.hash)
  if (!first) return drop()
  const isKnown = await readRecords(search, first, { ...options, hash: leg.hash })
  const all = transfersOf(search, leg.hash)
  const reads = isKnown ? leg.reads + 1 : leg.reads
  // Records of other payouts are verified by themselves, and then set beside this one.
  if (countPayouts(all) > 1) return drop()
  const paid = first.direction === 'ZoneToMain' ? await findPaid(search, first, options) : null
  if (paid === 'unclear') return again(search, { ...leg, rests: leg.rests + 1 })
  if (paid !== null) search.commit({ evidence: [paid] })
  if (paid !== null || reads >= neededReads || leg.rests >= maxTries) return drop()
  again(search, { ...leg, reads })
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

/** The transaction of the past that paid this withdrawal already; `unclear` when that could not be found out. */
async function findPaid(
  search: Search,
  transfer: Transfer,
  options: ReadOptions,
): Promise<EvidenceReading | 'unclear' | null> {
  const [origin, main] = [originLeg(transfer), destinationLeg(transfer)]
  if (origin === null || main === null || main.height === null) return null
  const since: UnixMs = origin.time ?? transfer.originAt
  const named = await search.findLogs(origin.hash, { below: main.height, since }, options)
  if (named === null) return 'unclear'
  for (const one of named.filter(({ hash }) => hash !== main.hash).slice(0, maxNaming)) {
    const whole = await readMoves(search, one, options)
    if (whole === 'unclear') return 'unclear'
    const moves = whole?.status === 'success' ? whole.moves : null
    const earlier = { ...transfer, main: { ...main, ...one } }
    const money = toMoneySettings(search.config.bridge, search.learned)
    if (moves && coverMoney(earlier, [earlier], moves, money) === 'covered')
      return toReading(origin.hash, one, search.clock.now())
  }
  return null
}

function readMoves(search: Search, { hash, height }: NamingTransaction, options: ReadOptions) {
  const now = search.clock.now()
  const how = { ...options, known: { logs: true }, callReads: neededReads }
  return readWhole(search.evidence, { hash, height, addedAt: now }, how, now)
}

function toReading(hash: string, { hash: paidIn, time }: NamingTransaction, now: UnixMs): EvidenceReading {
  const of = { chain: 'zone', hash, source: 'E19', requestedAt: now, status: 'success' } as const
  return { ...of, errorMessage: '', moves: null, time, paidIn }
}

function again(search: Search, leg: QueuedLeg): void {
  const at = search.clock.now() + retryMs
  saveQueued(search.db, { ...leg, readyAt: at, dueAt: at })
}

/**
 * Finds, below a block and back to a time, the transactions in whose events of the bridge a hash stands, whatever those
 * events mean. Null when the past could not be read so far.
 */
function createEarlierLogs(past: Past) {
  const contracts = past.config.bridge.contracts.map((address) => address.toLowerCase())
  const kept = new Map<string, readonly Words[]>()
  let count = 0

  async function readPiece(
    address: string,
    span: BlockSpan,
    options: ReadOptions,
  ): Promise<readonly Words[]> {
    const name = `${address} ${span.first} ${span.last}`
    const known = kept.get(name)
    if (known) return known
    const read = await past.contractReads.logs(address, span, options)
    const words = read.records.map(({ hash, height, time, topics, data }) => ({
      hash,
      height,
      time,
      text: [...topics, data].join(' ').toLowerCase().replaceAll('0x', ''),
    }))
    // What is empty or cut off may be more the next time.
    if (!read.complete || words.length === 0) return words
    count += words.length
    if (count > maxKept) {
      kept.clear()
      count = words.length
    }
    kept.set(name, words)
    return words
  }

  return async (wanted: string, span: Span, options: ReadOptions): Promise<NamingTransaction[] | null> => {
    const needle = wanted.toLowerCase().replace('0x', '')
    const found = new Map<string, NamingTransaction>()
    let last = span.below
    for (let piece = 0; piece < maxPieces && last >= 0; piece += 1) {
      // Whole thousands, so that the next search asks for the same pieces.
      const first = Math.max(0, Math.floor(last / maxSpanBlocks) * maxSpanBlocks)
      for (const address of contracts) {
        const words = await readPiece(address, { first, last }, options)
        for (const { hash, height, time, text } of words)
          if (text.includes(needle)) found.set(hash, { hash, height, time })
      }
      if (first === 0 || (await isBefore(past, first, span.since, options))) return [...found.values()]
      last = first - 1
    }
    return found.size > 0 ? [...found.values()] : null
  }
}

async function isBefore(
  { reads }: Past,
  height: number,
  time: UnixMs,
  options: ReadOptions,
): Promise<boolean> {
  const block = await reads.mainBlock(height, options)
  return typeof block !== 'string' && block.blockTime !== null && block.blockTime < time
}
