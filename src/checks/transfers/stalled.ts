import { z } from 'zod'
import { describeTransfer, labelTransfer } from '../../bridge/describeTransfer.ts'
import { type Chain, type Direction, directions } from '../../bridge/observation.ts'
import { destinationLeg, originChain, type Transfer } from '../../bridge/transfer.ts'
import { clockLeadMs } from '../../kernel/clockLead.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import { logsShownUntil } from '../../kernel/logsShown.ts'
import { isRefused } from '../../meaning/mayHaveFailed.ts'
import type { LatencyFacts } from '../../ledger/transfers/readLatency.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/duration.ts'
import { afterText, boundText, type LearnedBound } from '../../rules/durationText.ts'
import type { FactsOf } from '../../rules/factTable.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf, type Said } from '../../rules/kind.ts'

/** How long a head must stand still to be named in a stalled transfer's message, ms. */
const haltedMs = 120_000

const params = z
  .strictObject({
    direction: z.enum(directions).optional(),
    after: afterText.default(30 * 60_000),
    /** Of a learned time: never less, never more, from so many samples on, and what holds below. */
    floor: boundText.default(5 * 60_000),
    ceiling: boundText.optional(),
    minSamples: z.number().int().min(1).default(100),
    otherwise: boundText.default(30 * 60_000),
  })
  .refine(
    ({ after, floor, ceiling }) => typeof after === 'number' || ceiling === undefined || floor <= ceiling,
    {
      path: ['ceiling'],
      error: 'expected at least the floor, which is 5m where it is left out',
    },
  )

const factTypes = declareFacts({
  limitMs: 'int',
  limitFrom: ['fixed', 'token', 'direction', 'otherwise'],
  usualMs: 'int|null',
  p99Ms: 'int|null',
  destinationChain: ['main', 'zone'],
  destinationHeight: 'int|null',
  destinationHeadAgeMs: 'int|null?',
  destinationHalted: 'bool|null',
})

/**
 * A transfer without its destination leg, or with one that failed or is not there, although its time is over. Age is by our clock; it is said as soon as one
 * answer asked for after the deadline shows no destination. Until then nothing can be said of it. A halted chain is a
 * fact of the message, not a reason for silence.
 */
export const transferStalled = defineCondition({
  kind: 'transfer.stalled',
  docs: 'Value left one chain and has not arrived on the other in time.',
  remedy:
    "Check whether the destination chain and the relayer are alive; if they are, ask the bridge's operator about this one transfer.",
  words: { open: sayStalled, many: 'have not arrived in time' },
  sources: ['explorer'],
  ties: ['transfer', 'delay'],
  risksTransfer: true,
  restsOn: ['source'],
  joins: { of: 'transfer', rank: 5, saysAllAtOnce: true },
  endsWhenPaid: true,
  judgesPast: true,
  cannotTell: 'no answer since the bound passed says whether it arrived',
  isAsOldAsAfter: true,
  hasTransfer: true,
  subjectNames: [],
  facts: factTypes,
  params,
  judge: judgeStalled,
})

interface LimitParams {
  readonly after: number | LearnedBound
  readonly floor: number
  readonly ceiling?: number | undefined
  readonly minSamples: number
  readonly otherwise: number
}

interface Limit {
  readonly ms: number
  /** Whose past it was learned from, if it was. */
  readonly from: 'fixed' | 'token' | 'direction' | 'otherwise'
}

function judgeStalled(facts: SharedFacts, settings: z.output<typeof params>): JudgementOf<typeof factTypes> {
  const { direction } = settings
  const findings: Found<typeof factTypes>[] = []
  const unknown: string[] = []
  const leadMs = clockLeadMs(facts)
  const present = facts.now - leadMs
  const leastMs = leastLimitMs(facts.latency, settings, direction ? [direction] : directions)
  const old = facts.listPending({ direction: direction ?? null, originAtOrBefore: present - leastMs })
  for (const transfer of old) {
    if (transfer.state !== 'pending' || mayHaveArrived(transfer) || hasNotLeft(transfer)) continue
    if (direction !== undefined && transfer.direction !== direction) continue
    const of = { token: transfer.token.address, direction: transfer.direction }
    const limit = limitOf(facts.latency, settings, of)
    if (present - transfer.originAt < limit.ms) continue
    const isHeld = isHeldByRule(facts, transfer, present - limit.ms)
    if (isHeld === true) continue
    const readAt = readAtOf(facts, transfer, limit.ms)
    if (isHeld === null || isDestinationUnsaid(transfer) || mayHaveFailed(transfer, facts.now))
      unknown.push(transfer.key)
    else if (readAt - leadMs < transfer.originAt + limit.ms) unknown.push(transfer.key)
    else
      findings.push(toFinding(facts, transfer, readAt, { ...limit, minSamples: settings.minSamples, leadMs }))
  }
  return { findings, unknown }
}

/**
 * Whether it waits in a stage that is not over, or was over no longer ago than it may take from then on; null where the
 * logs that would show the next stage are not read so far.
 */
function isHeldByRule(facts: SharedFacts, transfer: Transfer, overBefore: UnixMs): boolean | null {
  const standing = facts.standingOf?.(transfer) ?? null
  if (standing === null) return false
  if (standing.until === null || standing.until > overBefore) return true
  const shown = logsShownUntil(facts)
  return shown !== null && shown > standing.until ? false : null
}

/** A reorganisation took the transaction that an event of the chain showed, and nobody lists it. */
function hasNotLeft({ isListed, originProof }: Transfer): boolean {
  return !isListed && originProof === 'absent'
}

/** By a leg that nothing speaks against. One that failed, or is not there, brought nothing. */
function mayHaveArrived(transfer: Transfer): boolean {
  const leg = destinationLeg(transfer)
  return leg !== null && !isRefused(transfer, leg)
}

/** It may have arrived: its records do not say whether. */
function isDestinationUnsaid({ direction, unsaid }: Transfer): boolean {
  return unsaid?.includes(originChain(direction) === 'main' ? 'zoneHash' : 'mainHash') === true
}

/** How long the second answer may take that says whether a transfer failed, ms: three ticks of `openTransfers`. */
const confirmMs = 30_000

/** Its record has just said that it failed: a second answer decides which of the two it is reported as. */
function mayHaveFailed({ status, confirmedStatus, changedAt }: Transfer, now: UnixMs): boolean {
  return status === 'failed' && confirmedStatus === 'unknown' && now - changedAt < confirmMs
}

/**
 * When it was last looked whether it arrived. A record that is gone does not say that it did. No answer shows a transfer
 * that has no record. Of one that was heard of in
 * time every reading of the list's newest part says that it did not arrive; of one that was heard of late only the answer
 * to a question for it does: its record may lie in a past that was not read. So it is where a row of the list that could
 * not be read may be its record.
 */
function readAtOf(facts: SharedFacts, transfer: Transfer, limitMs: number): UnixMs {
  const { isListed, readAt, soughtAt, originAt, firstSeenAt } = transfer
  const list = facts.pollers.find(({ poller }) => poller === 'transfers')
  if (isListed || !list) return Math.max(readAt, soughtAt ?? 0)
  const isLate = firstSeenAt - originAt >= limitMs
  const isShown = !isLate && facts.mayBeUnread?.(transfer) !== true
  // A reading that ended just now may have begun before; and what it left out a walk still has to read.
  const shownAt = Math.min((list.lastSuccessAt ?? 0) - list.intervalMs, facts.listReadAt ?? Infinity)
  return Math.max(soughtAt ?? 0, isShown ? shownAt : 0)
}

function toFinding(
  facts: SharedFacts,
  transfer: Transfer,
  readAt: UnixMs,
  limit: Limit & { readonly minSamples: number; readonly leadMs: number },
): Found<typeof factTypes> {
  const leftAt = transfer.originAt + limit.leadMs
  const destination = originChain(transfer.direction) === 'main' ? 'zone' : 'main'
  return {
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: {
      limitMs: limit.ms,
      limitFrom: limit.from,
      ...describeUsual(facts, transfer, limit.minSamples),
      ...describeHead(facts, destination),
    },
    labels: labelTransfer(transfer),
    evidence: [
      {
        source: transfer.confirmedStatus === 'unknown' ? 'E3' : 'E3, E12',
        at: readAt,
        says: `${sayMissing(transfer, destination)}, ${formatDuration(readAt - leftAt)} after the origin`,
      },
    ],
    // By our clock, as the present that its age is counted to.
    since: leftAt,
  }
}

function sayMissing(transfer: Transfer, destination: Chain): string {
  const { isListed, readAt, soughtAt = 0, evidence } = transfer
  const hash = destinationLeg(transfer)?.hash
  if (hash !== undefined) {
    const isFailed = evidence.some((one) => one.hash === hash && one.status === 'failed')
    return `the ${destination} transaction that it names ${isFailed ? 'failed' : 'is not there'}`
  }
  if (!isListed) return 'no record'
  return soughtAt > readAt ? 'no record any more' : `no ${destination} transaction`
}

/** What a message says of it. */
function sayStalled({ what, finding: { facts, since }, now }: Said): string {
  const { usualMs, p99Ms } = facts
  const usual =
    typeof usualMs === 'number' && typeof p99Ms === 'number'
      ? ` (usually ${formatDuration(usualMs)}, p99 ${formatDuration(p99Ms)})`
      : ''
  return `${what} has not arrived after ${formatDuration(now - since)}${usual}`
}

/** What such transfers usually take: of the token where enough are known, else of the direction. */
function describeUsual(
  { latency }: SharedFacts,
  { token, direction }: Transfer,
  minSamples: number,
): Pick<FactsOf<typeof factTypes>, 'usualMs' | 'p99Ms'> {
  const isEnough = (of: string | null) => (latency.of(of, direction, 0.5)?.samples ?? 0) >= minSamples
  const of = isEnough(token.address) ? token.address : null
  if (!isEnough(of)) return { usualMs: null, p99Ms: null }
  const read = (share: number) => latency.of(of, direction, share)?.ms ?? null
  return { usualMs: read(0.5), p99Ms: read(0.99) }
}

function describeHead(
  facts: SharedFacts,
  chain: 'main' | 'zone',
): Omit<FactsOf<typeof factTypes>, 'limitMs' | 'limitFrom' | 'usualMs' | 'p99Ms'> {
  const head = facts.heads.find((one) => one.chain === chain)
  if (!head) return { destinationChain: chain, destinationHeight: null, destinationHalted: null }
  const ageMs = Math.max(facts.now - head.advancedAt, 0)
  return {
    destinationChain: chain,
    destinationHeight: head.height,
    destinationHeadAgeMs: ageMs,
    // A head that was not read since says nothing of halting.
    destinationHalted: ageMs < haltedMs ? false : head.readAt >= head.advancedAt + haltedMs ? true : null,
  }
}

/** How long a transfer may take: by its token's past, else by that of all tokens in its direction, else as stated. */
function limitOf(
  latency: LatencyFacts,
  params: LimitParams,
  of: { readonly token: string | null; readonly direction: Direction },
): Limit {
  const { after, minSamples } = params
  if (typeof after === 'number') return { ms: after, from: 'fixed' }
  for (const token of of.token === null ? [null] : [of.token, null]) {
    const learned = latency.of(token, of.direction, after.share)
    if (learned === null || learned.samples < minSamples) continue
    const ms = bound(params, Math.ceil(learned.ms * after.factor))
    return { ms, from: token === null ? 'direction' : 'token' }
  }
  return { ms: bound(params, params.otherwise), from: 'otherwise' }
}

/** The least that any transfer may take: what is younger needs no look. */
function leastLimitMs(latency: LatencyFacts, params: LimitParams, directions: readonly Direction[]): number {
  if (typeof params.after === 'number') return params.after
  const limits = directions.flatMap((direction) =>
    [null, ...latency.tokens(direction)].map((token) => limitOf(latency, params, { token, direction }).ms),
  )
  return Math.min(...limits)
}

function bound({ floor, ceiling }: LimitParams, ms: number): number {
  return Math.max(floor, Math.min(ms, ceiling ?? ms))
}
