import { isIPv6 } from 'node:net'
import type { Clock } from '../lib/clock.ts'
import { putNewest } from '../lib/putNewest.ts'
import { toPlain } from './clientAddress.ts'

interface TryLimits {
  readonly maxTries: number
  readonly windowMs: number
  /** Bounds the memory; beyond it the address that failed longest ago is forgotten. */
  readonly maxAddresses: number
}

export interface TryLimiter {
  /** How long until the next wrong token of this address is answered at once; 0 when it would be now. */
  waitMs(address: string): number
  countFailure(address: string): void
}

const defaultLimits: TryLimits = { maxTries: 10, windowMs: 60_000, maxAddresses: 1_000 }

/**
 * Counts wrong tokens by address. It slows a guesser down and keeps him out of the log; it never holds up a right
 * token, or whoever guesses would lock out all who share his address. What keeps him out is the token's length.
 */
export function createTryLimiter(clock: Pick<Clock, 'monotonicMs'>, limits = defaultLimits): TryLimiter {
  const failures = new Map<string, { count: number; readonly since: number }>()

  function read(address: string) {
    const entry = failures.get(groupAddress(address))
    return entry && clock.monotonicMs() - entry.since < limits.windowMs ? entry : null
  }

  return {
    waitMs(address) {
      const entry = read(address)
      if (!entry || entry.count < limits.maxTries) return 0
      return entry.since + limits.windowMs - clock.monotonicMs()
    },
    countFailure(address) {
      const entry = read(address) ?? { count: 0, since: clock.monotonicMs() }
      const counted = { ...entry, count: entry.count + 1 }
      putNewest(failures, groupAddress(address), counted, limits.maxAddresses)
    },
  }
}

/** One host owns a whole IPv6 /64: its addresses count as one. */
export function groupAddress(address: string): string {
  const plain = toPlain(address).replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.toLowerCase().split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
