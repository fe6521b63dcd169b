import {
  type BridgeLog,
  contentFields,
  type EventContent,
  type EventSample,
  topicOf,
} from '../bridge/bridgeLog.ts'
import { type Direction, directions } from '../bridge/observation.ts'
import type { Transfer } from '../bridge/transfer.ts'
import { findPlaces, toNeedle } from './eventPlaces.ts'
import { capParties, countKnown, countParties, type EventTemplate, isForOther } from './learnEvent.ts'
import { fitsTemplate, noContent, readEvent } from './readEvent.ts'

/** What a log means, as far as it is known; null for one that means no transfer. */
export interface LogMeaning {
  readonly direction: Direction
  /** Null where the configuration alone says what it means: its parts are then unknown. */
  readonly template: EventTemplate | null
  readonly isConfigured: boolean
}

interface JudgedLog {
  readonly log: BridgeLog
  readonly direction: Direction
  readonly content: EventContent
}

export interface EventJudgement {
  /** Events beside the transfer that each stands for: what is learned from. */
  readonly samples: readonly { readonly log: BridgeLog; readonly sample: EventSample }[]
  /** All events of a kind of which there are more than records; the ledger's matching finds which are left over. */
  readonly missing: readonly JudgedLog[]
  /** Whether records or a known meaning say what all these logs are. */
  readonly isExplained: boolean
}

/** How many deposits of different parties must have shown that an event names whom the zone credits. */
export const neededSamples = 20

/**
 * Sets the bridge's events of one main transaction beside the transfers that records name in it. One transfer often
 * has several events, of one contract or of several: only the kind that shows most of it counts, or each would count
 * as a transfer of its own.
 */
export function judgeEvents(
  logs: readonly BridgeLog[],
  listed: readonly Transfer[],
  meaningOf: (log: BridgeLog) => LogMeaning | null,
): EventJudgement {
  const kinds = [...Map.groupBy(logs, (log) => `${log.contract}|${topicOf(log)}`).values()]
  const samples = kinds.flatMap((kind) => {
    const paired = pairEvents(kind, listed)
    return paired.map((sample, index) => ({ log: kind[index] as BridgeLog, sample }))
  })
  const known = kinds.flatMap((kind) => readKind(kind, meaningOf))
  const missing = directions.flatMap((direction) => {
    const counting = choose(known.filter((kind) => kind.direction === direction))
    const records = listed.filter((transfer) => transfer.direction === direction)
    const hasBatch = records.some(({ crossType }) => crossType === 'BatchWithdraw')
    return counting.length > records.length && !hasBatch ? counting : []
  })
  return { samples, missing, isExplained: isExplained(kinds, listed, meaningOf) }
}

/** Of an event that nothing is known about, more of one kind than there are transfers may yet turn out to be some. */
function isExplained(
  kinds: readonly (readonly BridgeLog[])[],
  listed: readonly Transfer[],
  meaningOf: (log: BridgeLog) => LogMeaning | null,
): boolean {
  if (listed.some(({ crossType }) => crossType === 'BatchWithdraw')) return true
  return kinds.every(
    (kind) => (listed.length > 0 && kind.length <= listed.length) || meaningOf(kind[0] as BridgeLog) !== null,
  )
}

interface KnownKind {
  readonly direction: Direction
  readonly rank: number
  readonly topic: string
  readonly logs: readonly JudgedLog[]
}

function readKind(kind: readonly BridgeLog[], meaningOf: (log: BridgeLog) => LogMeaning | null): KnownKind[] {
  const meaning = meaningOf(kind[0] as BridgeLog)
  if (meaning === null) return []
  const { direction, template, isConfigured } = meaning
  const logs = kind.flatMap((log): JudgedLog[] => {
    const fits = template !== null && fitsTemplate(template, log)
    if (!fits && !isConfigured) return []
    const content = fits && template ? readEvent(template, log) : noContent
    // Nothing moved: no transfer.
    return content.amount === '0' ? [] : [{ log, direction, content }]
  })
  const amountRank = template && template.places.amount.length > 0 ? 10 : 0
  const rank = (isConfigured ? 100 : 0) + amountRank + (template ? countKnown(template) : 0)
  return [{ direction, rank, topic: topicOf(kind[0] as BridgeLog), logs }]
}

function choose(kinds: readonly KnownKind[]): readonly JudgedLog[] {
  const [best] = [...kinds].sort(
    (a, b) => b.rank - a.rank || b.logs.length - a.logs.length || (a.topic < b.topic ? -1 : 1),
  )
  if (!best) return []
  const [only, ...others] = best.logs
  if (!only || others.length > 0) return best.logs
  // One event of each kind stands for one transfer: what the best one does not say another may.
  const further = kinds.flatMap((kind) => (kind.logs.length === 1 ? kind.logs : []))
  const content = further.reduce((known, { content }) => fill(known, content), only.content)
  return [{ ...only, content }]
}

function fill(known: EventContent, more: EventContent): EventContent {
  const entries = contentFields.map((field) => [field, known[field] || more[field]] as const)
  // One entry for each field.
  return Object.fromEntries(entries) as Record<(typeof contentFields)[number], string>
}

/**
 * Which event of a transaction stands for which of its transfers: one of each is a pair; of several, each event must
 * hold more of one transfer than of any other, and each transfer have its own. Otherwise nothing is taught.
 * `logs` have one first topic and one contract; `transfers` are those that have records.
 */
function pairEvents(logs: readonly BridgeLog[], transfers: readonly Transfer[]): EventSample[] {
  if (logs.length !== transfers.length || logs.length === 0) return []
  const contents = transfers.map(toContent)
  if (logs.length === 1) return [toSample(logs[0] as BridgeLog, transfers[0] as Transfer)]
  const chosen = logs.map((log) => {
    const scores = contents.map((content) => countHeld(log, content))
    const best = Math.max(...scores)
    const winners = scores.flatMap((score, index) => (score === best ? [index] : []))
    return best > 0 && winners.length === 1 ? (winners[0] as number) : -1
  })
  if (chosen.includes(-1) || new Set(chosen).size !== chosen.length) return []
  return logs.map((log, index) => toSample(log, transfers[chosen[index] as number] as Transfer))
}

function toSample(log: BridgeLog, transfer: Transfer): EventSample {
  const { hash, topics, data } = log
  return { hash, topics, data, direction: transfer.direction, content: toContent(transfer) }
}

function toContent(transfer: Transfer): EventContent {
  return {
    token: transfer.token.address,
    recipient: transfer.targetAddress,
    sender: transfer.sourceAddress,
    amount: transfer.amountRaw?.toString() ?? '',
    tokenId: transfer.token.id,
    zoneHash: transfer.direction === 'ZoneToMain' ? (transfer.zone?.hash ?? '') : '',
  }
}

function countHeld(log: BridgeLog, content: EventContent): number {
  return contentFields.filter((field) => {
    const needle = toNeedle(field, content[field])
    return needle !== null && findPlaces(log, needle).size > 0
  }).length
}

/** Whom a deposit's event names in the place of whom its record credits. */
export interface OtherRecipient {
  readonly recipient: string
  /** Nearly all who were seen deposited for themselves: the event may name who pays. */
  readonly isFew: boolean
}

/** So many parties that deposited for others have to show whether an event names who pays or whom it is for. */
const neededTelling = 3

/**
 * Whom a deposit's own event names, where its record credits another; null where that is not known. Nothing but the
 * event says who a deposit is for: its money goes to the bridge either way. Who deposits for himself stands for both
 * sides: whether an event names the one or the other, deposits for others alone show.
 * @param samples what the event's meaning was learned from
 */
export function findOtherRecipient(
  sample: EventSample,
  template: EventTemplate,
  samples: readonly EventSample[],
): OtherRecipient | null {
  const { recipient } = sample.content
  const said = recipientOf(sample, template)
  if (recipient === '' || said === '' || said === recipient) return null
  const others = capParties(
    samples.filter(({ hash, content }) => hash !== sample.hash && content.recipient !== ''),
  )
  if (others.length < neededSamples) return null
  const wrong = others.filter((one) => recipientOf(one, template) !== one.content.recipient)
  if (!wrong.every(isForOther)) return null
  const right = countParties(others.filter((one) => isForOther(one) && !wrong.includes(one)))
  const against = countParties(wrong)
  if (against >= neededTelling && against >= right) return null
  return { recipient: said, isFew: against > 0 || right < neededTelling }
}

function recipientOf(sample: EventSample, template: EventTemplate): EventContent['recipient'] {
  return fitsTemplate(template, sample) ? readEvent(template, sample).recipient : ''
}
