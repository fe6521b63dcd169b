import type { UnixMs } from '../../lib/clock.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type EvidenceReading, listKnownHashes } from '../../ledger/evidence/evidence.ts'
import type { QueuedLeg } from '../../ledger/evidence/evidenceQueue.ts'
import type { EvidenceReads } from './reads.ts'
import type { EvidenceAskOptions } from './legsRead.ts'

/** An answer about a leg, `null` when nobody knows it, `unclear` when it could not be found out. */
export type Whole = EvidenceReading | 'unclear' | null

/** A block's list that stays empty is waited for no longer than this. */
const patienceMs = 300_000

/** The calls within a transaction. An empty answer about one has no control in it: it is asked for a few times. */
async function readCalls(
  reads: Pick<EvidenceReads, 'nativeLeg'>,
  hash: string,
  options: EvidenceAskOptions,
): Promise<EvidenceReading | undefined> {
  for (let ask = 1; ; ask += 1) {
    const [calls] = (await reads.nativeLeg(hash, options)).readings
    if (calls !== undefined || ask === callAsks) return calls
  }
}

const callAsks = 3

/**
 * `callReads` is how often this was asked before; `mayCome` whether lists may show calls yet; `callControl` a transaction
 * with calls in it, where one is known.
 */
type WholeOptions = EvidenceAskOptions & {
  readonly callReads: number
  readonly callControl?: string | null
  readonly mayCome?: () => Promise<boolean>
}

/** Another transaction of which calls are known, by whoever would show them. */
export function findCallControl({ db }: Pick<Kernel, 'db'>, hash: string): string | null {
  return listKnownHashes(db, 'main', ['E15', 'E16']).find((one) => one !== hash) ?? null
}

/** What a transaction itself carried, beside what an answer shows; that alone, where no answer shows anything. */
export async function addOwnValue(
  reads: Pick<EvidenceReads, 'ownValue'>,
  leg: Pick<QueuedLeg, 'hash' | 'height' | 'addedAt'>,
  first: EvidenceReading | null,
  options: WholeOptions,
  now: UnixMs,
): Promise<Whole> {
  const height = first?.height ?? leg.height
  const own = height === null ? null : await reads.ownValue(leg.hash, height, options)
  if (own === 'unclear') return now - leg.addedAt < patienceMs ? 'unclear' : null
  // One empty answer of a party's list proves nothing either.
  if (own === 'others')
    return options.callReads < neededReads || first === null ? 'unclear' : { ...first, unasked: 'E7' }
  if (own === null || own.status !== 'success') return own
  return {
    ...own,
    // Only as new as its older half.
    requestedAt: Math.min(own.requestedAt, first?.requestedAt ?? own.requestedAt),
    moves: first?.moves === null ? null : [...(first?.moves ?? []), ...(own.moves ?? [])],
  }
}

/** What is known to be there, so that an empty answer about it is none. */
interface Known {
  readonly logs?: boolean
  readonly calls?: boolean
}

/** One empty answer about a transaction proves nothing: how many readings before it have to agree. */
const neededReads = 2

/**
 * Everything that one transaction moved: by its logs, by the calls within it, and by itself. Where its own value cannot
 * be read, the movements stay unknown: half of them would be another story. So it is with calls that one answer does
 * not show.
 */
export async function readWhole(
  reads: Pick<EvidenceReads, 'ownValue' | 'nativeLeg' | 'mainLogs'>,
  leg: Pick<QueuedLeg, 'hash' | 'height' | 'addedAt'>,
  options: WholeOptions & { readonly known?: Known },
  now: UnixMs,
): Promise<Whole> {
  const { known, ...how } = options
  const [logs] = (await reads.mainLogs(leg.hash, { ...how, isKnown: known?.logs === true })).readings
  // Found out before they are asked for: how far they have come later says nothing of the answer.
  const mayCome = options.callReads < neededReads || (await options.mayCome?.()) === true
  const calls = await readCalls(reads, leg.hash, { ...how, isKnown: known?.calls === true })
  if (calls === undefined && mayCome) return 'unclear'
  // Who shows no call of any transaction denies none of this one.
  if (calls === undefined && options.callControl != null)
    await reads.nativeLeg(options.callControl, { ...how, isKnown: true })
  const first = logs ?? calls ?? null
  const moves =
    logs?.moves === null || calls?.moves === null ? null : [...(logs?.moves ?? []), ...(calls?.moves ?? [])]
  const joined = first && { ...first, moves }
  const whole = await addOwnValue(reads, leg, joined, how, now)
  if (whole === null) return joined && { ...joined, moves: null }
  // Without logs it shows native currency alone.
  return whole === 'unclear' || logs === undefined ? whole : { ...whole, isWhole: true }
}
