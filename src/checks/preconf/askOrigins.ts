import type { ReadOptions } from '../../kernel/reads/reads.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import { isBeyond } from '../../meaning/horizon.ts'
import { listUnknownNames } from './claims.ts'
import type { PayoutWatch, Waiting } from './payoutWatch.ts'

/** E9 takes twenty: two are control questions. */
const mostNames = 18
/** Of each payout the zone's head is the matter of so many questions, and the origins that it names of so many. */
const mostHeads = 4
const mostOrigins = 3

/**
 * What is asked for payouts that fit nothing: how far the zone has come, and then what it knows of the origins that they
 * name. All that wait share each question; one that no answer came to in time is left to the checks that read blocks.
 */
export async function askOrigins(of: PayoutWatch, signal: AbortSignal): Promise<void> {
  if (of.waiting.size === 0) return
  const isHeadRead = await askHead(of, signal)
  const isAnswered = await askNames(of, signal)
  if (isHeadRead || isAnswered) of.trigger('preconfPayouts')
}

/** @returns whether the head was read */
async function askHead(
  { commit, horizons, reads, waiting }: PayoutWatch,
  signal: AbortSignal,
): Promise<boolean> {
  const before = horizons.read()
  const behind = [...waiting.values()].filter(
    ({ asked, shownAt }) => isBeyond(before, 'zone', shownAt) && asked.heads < mostHeads,
  )
  if (behind.length === 0) return false
  for (const { asked } of behind) asked.heads += 1
  const head = await reads.zoneHead({ priority: 'tail', signal, attempts: 1 })
  if (head) commit({ heads: [{ ...head, chain: 'zone' }] })
  return head !== null
}

/** @returns whether something was answered */
async function askNames(of: PayoutWatch, signal: AbortSignal): Promise<boolean> {
  const { horizons, reads, waiting } = of
  const shown = horizons.read()
  const open = [...waiting.values()].filter(
    ({ asked, shownAt }) => !isBeyond(shown, 'zone', shownAt) && asked.origins < mostOrigins,
  )
  const asking = choose(of, open)
  const known = asking.size === 0 ? null : findControl(of, asking)
  if (known === null) return false
  for (const one of new Set(asking.values())) one.asked.origins += 1
  const options = { priority: 'tail', signal, attempts: 1 } as const
  const newest = isListFresh(of, asking) ? null : await findNewest(of, asking, options)
  const controls = newest === null ? [known] : [known, newest]
  const read = await reads.zoneTransactions([...new Set([...asking.keys(), ...controls])], options)
  const found = new Map(read.records.map(({ hash, status }) => [hash, status]))
  // An answer without what is known to be there, or with a row that cannot be read, says nothing of the others.
  const hasControls = controls.every((control) => found.has(control))
  if (!hasControls || read.bad.length > 0 || read.isUnfiltered === true) return false
  for (const [name, one] of asking) {
    const status = found.get(name)
    const says = status === undefined ? 'absent' : status === 'failed' ? 'failed' : 'shown'
    one.answers.set(name, { at: read.requestedAt, says })
  }
  return true
}

/** The names that are open, of those first that have waited longest. */
function choose(of: PayoutWatch, open: readonly Waiting[]): Map<string, Waiting> {
  const chosen = new Map<string, Waiting>()
  for (const one of open) {
    for (const name of listUnknownNames(of, one)) {
      if (chosen.size >= mostNames) return chosen
      if (!one.answers.has(name)) chosen.set(name, one)
    }
  }
  return chosen
}

/** A transaction that the zone knows: the newest that was proven, else one of a transfer that is whole. */
function findControl({ ledger, clock }: PayoutWatch, asking: ReadonlyMap<string, unknown>): string | null {
  const known = ledger.listArrived({ until: settledBy(clock.now()), limit: 20 })
  const legs = known.filter(({ zone }) => zone !== null && !asking.has(zone.hash))
  const best = legs.find(({ originProof }) => originProof === 'proven') ?? legs[0]
  return best?.zone?.hash ?? null
}

/** The list shows withdrawals before they are paid: where it shows others of just before, it would have shown these. */
function isListFresh({ ledger }: PayoutWatch, asking: ReadonlyMap<string, Waiting>): boolean {
  const since = firstShown(asking) - freshMs
  return ledger
    .listTransfers({ originAtOrAfter: since, limit: mostLooked })
    .some(({ isListed, main, zone }) => isListed && Math.max(main?.time ?? 0, zone?.time ?? 0) >= since)
}

const freshMs = 30_000
const mostLooked = 20

/** Else whoever is asked has to know what the zone's newest blocks hold: he and the list may lag together. */
async function findNewest(
  { reads }: PayoutWatch,
  asking: ReadonlyMap<string, Waiting>,
  options: ReadOptions,
): Promise<string | null> {
  try {
    return (await reads.zoneTransactionBy(firstShown(asking) - leastMs, options))?.hash ?? null
  } catch (error) {
    options.signal.throwIfAborted()
    if (error instanceof MonitorError) return null
    throw error
  }
}

/** A withdrawal is on the zone for so long at least before it is paid. */
const leastMs = 3_000

function firstShown(asking: ReadonlyMap<string, Waiting>): UnixMs {
  return Math.min(...[...asking.values()].map(({ shownAt }) => shownAt))
}

/** What happened a minute ago is shown by every server. */
function settledBy(now: UnixMs): UnixMs {
  return now - 60_000
}
