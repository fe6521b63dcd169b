import { coverMoney, type MoneySettings } from '../../meaning/coverMoney.ts'
import { destinationLeg, originLeg, type Transfer } from '../../bridge/transfer.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { EvidenceReading } from '../../ledger/evidence.ts'
import type { QueuedLeg } from '../../ledger/evidenceQueue.ts'
import type { createEarlierLogs, NamingTransaction } from './earlierLogs.ts'
import type { EvidenceReads } from './reads.ts'
import { readWhole } from './readWhole.ts'
import type { Commit, ExplorerReads, ReadOptions } from '../../kernel/reads.ts'

export interface EarlierPayoutsDeps {
  readonly clock: Clock
  readonly commit: Commit
  readonly reads: Pick<ExplorerReads, 'details' | 'feedByHash'>
  readonly evidence: Pick<EvidenceReads, 'mainLogs' | 'nativeLeg' | 'ownValue'>
  readonly findLogs: ReturnType<typeof createEarlierLogs>
  readonly settings: () => MoneySettings
  listQueued(limit: number): QueuedLeg[]
  saveQueued(leg: QueuedLeg): void
  dropQueued(hash: string): void
  /** Transfers whose origin this is. */
  transfersOf(hash: string): readonly Transfer[]
}

const maxPerRun = 5
const retryMs = 15_000
/** So often, at least half a minute apart in all, the past is asked for before it is said to hold nothing. */
const neededReads = 3
const maxTries = 40
const maxNaming = 10

/**
 * A payout that claims an origin of before the ledger: what the past tells of that origin is asked for then, in the list
 * by its hash, and in the events of the bridge. Records that are found are verified like any other; a transaction that
 * moved the same money to the same recipient, and names the same origin, has paid it.
 */
export function createEarlierPayoutsPoll(deps: EarlierPayoutsDeps): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    const due = deps.listQueued(maxPerRun).filter((leg) => leg.dueAt <= deps.clock.now())
    for (const leg of due) {
      try {
        await look(deps, leg, { priority: 'evidence', signal })
      } catch (error) {
        again(deps, leg)
        throw error
      }
    }
  }
}

async function look(deps: EarlierPayoutsDeps, leg: QueuedLeg, options: ReadOptions): Promise<void> {
  const [first] = deps.transfersOf(leg.hash)
  if (!first) return deps.dropQueued(leg.hash)
  const isKnown = await readRecords(deps, leg.hash, first, options)
  const all = deps.transfersOf(leg.hash)
  const reads = isKnown ? leg.reads + 1 : leg.reads
  // Records of other payouts are verified by themselves, and then set beside this one.
  if (countPayouts(all) > 1) return deps.dropQueued(leg.hash)
  const paid = first.direction === 'ZoneToMain' ? await findPaid(deps, first, options) : null
  if (paid === 'unclear') return again(deps, { ...leg, rests: leg.rests + 1 })
  if (paid !== null) deps.commit({ evidence: [paid] })
  if (paid !== null || reads >= neededReads || leg.rests >= maxTries) return deps.dropQueued(leg.hash)
  again(deps, { ...leg, reads })
}

/** What the list tells by the hash of the origin. @returns whether it holds what is known to be there */
async function readRecords(
  { reads, commit }: EarlierPayoutsDeps,
  hash: string,
  { direction }: Transfer,
  options: ReadOptions,
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

/** The transaction of the past that paid this withdrawal already; `unclear` when that could not be told. */
async function findPaid(
  deps: EarlierPayoutsDeps,
  transfer: Transfer,
  options: ReadOptions,
): Promise<EvidenceReading | 'unclear' | null> {
  const [origin, main] = [originLeg(transfer), destinationLeg(transfer)]
  if (origin === null || main === null || main.height === null) return null
  const since: UnixMs = origin.time ?? transfer.originAt
  const named = await deps.findLogs(origin.hash, { below: main.height, since }, options)
  if (named === null) return 'unclear'
  for (const one of named.filter(({ hash }) => hash !== main.hash).slice(0, maxNaming)) {
    const whole = await readMoves(deps, one, options)
    if (whole === 'unclear') return 'unclear'
    const moves = whole?.status === 'success' ? whole.moves : null
    const earlier = { ...transfer, main: { ...main, ...one } }
    if (moves && coverMoney(earlier, [earlier], moves, deps.settings()) === 'covered')
      return toReading(origin.hash, one, deps.clock.now())
  }
  return null
}

function readMoves(deps: EarlierPayoutsDeps, { hash, height }: NamingTransaction, options: ReadOptions) {
  const now = deps.clock.now()
  const how = { ...options, known: { logs: true }, callReads: neededReads }
  return readWhole(deps.evidence, { hash, height, addedAt: now }, how, now)
}

function toReading(hash: string, { hash: paidIn, time }: NamingTransaction, now: UnixMs): EvidenceReading {
  const of = { chain: 'zone', hash, source: 'E19', requestedAt: now, status: 'success' } as const
  return { ...of, errorMessage: '', moves: null, time, paidIn }
}

function again(deps: EarlierPayoutsDeps, leg: QueuedLeg): void {
  const at = deps.clock.now() + retryMs
  deps.saveQueued({ ...leg, readyAt: at, dueAt: at })
}
