import type { UnixMs } from '../lib/clock.ts'
import type { Channel, DeliveryResult } from './channels/message.ts'
import type { Delivery } from '../alerts/store/outboxDeliveries.ts'

/** What follows from a channel's answer. */
export type DeliveryStep =
  | { readonly do: 'ack' }
  /** Retried at `delivery.nextAt`. */
  | { readonly do: 'retry'; readonly delivery: Delivery; readonly reason: string }
  /** Nothing arrived and nothing can have: its items go back and join the next message. */
  | { readonly do: 'release'; readonly reason: string }
  /** Told in two messages from now on: perhaps it is one item that is refused. */
  | { readonly do: 'split'; readonly reason: string }
  /** Set aside, and sent to the fallback channel. */
  | { readonly do: 'bury'; readonly reason: string }

export interface Answer {
  readonly delivery: Delivery
  readonly result: DeliveryResult
  readonly channelType: Channel['type']
  /** From 0 to 1, for the jitter. */
  readonly random: number
  /** It tells of several things, which two messages can tell. */
  readonly canSplit: boolean
  /** The channel took something else since this message was made. */
  readonly tookOthers: boolean
  /** Nothing else fails beside it. */
  readonly isOnly: boolean
  /** When a channel that takes nothing is probed next: with something else, where something else waits. */
  readonly probeAt?: UnixMs | null
}

export const mostSuspicious = 3
/**
 * After so many failures of what tells of several things, where others are taken, it is not the channel; where there are none,
 * halves of it show which it is.
 */
const splitAttempts = 5
export const probeMs = 900_000
export const longestThrottleMs = 900_000

/** The delivery table, without its effects on the channel as a whole. */
export function planDelivery(answer: Answer, now: UnixMs): DeliveryStep {
  const { delivery, result } = answer
  switch (result.result) {
    case 'ack':
      return { do: 'ack' }
    case 'partial':
      if (result.retry.length === 0) return { do: 'ack' }
      return retryLater(
        { ...answer, delivery: { ...delivery, recipients: result.retry } },
        'some recipients deferred it',
        now,
      )
    case 'throttled':
      return handBack(
        delivery,
        Math.max(now + Math.min(result.retryAfterMs, longestThrottleMs), answer.probeAt ?? 0),
        result.reason,
      )
    case 'dead':
      return handBack(delivery, now + (result.probeAfterMs ?? probeMs), result.reason)
    case 'transient':
      if (answer.canSplit && (answer.tookOthers || answer.isOnly) && delivery.attempt >= splitAttempts)
        return { do: 'split', reason: result.reason }
      return retryLater(answer, result.reason, now)
    case 'suspicious': {
      const suspicious = delivery.suspicious + 1
      if (suspicious > mostSuspicious) return setAside(answer, result.reason)
      return retryLater({ ...answer, delivery: { ...delivery, suspicious } }, result.reason, now)
    }
    case 'bad_message': {
      // Uses up no attempt either.
      if (delivery.isDegraded) return setAside(answer, result.reason)
      const plain: Delivery = {
        ...delivery,
        state: 'waiting',
        attempt: delivery.attempt - 1,
        isDegraded: true,
        nextAt: now,
        lastError: result.reason,
      }
      return { do: 'retry', delivery: plain, reason: result.reason }
    }
  }
}

function setAside({ canSplit }: Answer, reason: string): DeliveryStep {
  return { do: canSplit ? 'split' : 'bury', reason }
}

/** Refused before anything was taken: uses up no attempt. What may have arrived in an earlier attempt stays as it is. */
function handBack(delivery: Delivery, nextAt: UnixMs, reason: string): DeliveryStep {
  if (delivery.attempt <= 1) return { do: 'release', reason }
  if (nextAt >= delivery.expiresAt) return giveUp(delivery, reason)
  const back: Delivery = {
    ...delivery,
    state: 'waiting',
    attempt: delivery.attempt - 1,
    nextAt,
    lastError: reason,
  }
  return { do: 'retry', delivery: back, reason }
}

function retryLater(
  { delivery, channelType, random, probeAt }: Answer,
  reason: string,
  now: UnixMs,
): DeliveryStep {
  const delayMs = retryDelayMs({ channelType, attempt: delivery.attempt, random })
  const nextAt = Math.max(now + delayMs, probeAt ?? 0)
  if (nextAt >= delivery.expiresAt) return giveUp(delivery, reason)
  return { do: 'retry', delivery: { ...delivery, state: 'waiting', nextAt, lastError: reason }, reason }
}

function giveUp({ attempt }: Delivery, reason: string): DeliveryStep {
  return {
    do: 'bury',
    reason: `given up after ${attempt} ${attempt === 1 ? 'attempt' : 'attempts'}: ${reason}`,
  }
}

/** Greylisting wants 5 minutes; a mail server that is asked each second answers worse. */
const mailMinutes = [1, 5, 15, 30, 60] as const

/**
 * 1 s, 2 s, 4 s … each ±50 %, at most 5 minutes. Mail: 1, 5, 15, 30, 60 minutes.
 * @example retryDelayMs({ channelType: 'slack', attempt: 3, random: 0.5 }) // 4_000
 */
export function retryDelayMs(of: {
  readonly channelType: Channel['type']
  /** The one that failed, from 1. */
  readonly attempt: number
  readonly random: number
}): number {
  if (of.channelType === 'email') return (mailMinutes[of.attempt - 1] ?? 60) * 60_000
  const base = 1_000 * 2 ** Math.min(of.attempt - 1, 20)
  return Math.min(Math.round(base * (0.5 + of.random)), 300_000)
}
