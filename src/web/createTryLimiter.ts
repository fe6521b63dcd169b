import { isIPv6 } from 'node:net'
import type { Clock } from '../lib/clock.ts'

interface TryLimits {
  readonly maxTries: number
  readonly windowMs: number
  /** Bounds the memory; beyond it the address that failed longest ago is forgotten. */
  readonly maxAddresses: number
}

export interface TryLimiter {
  /** How long this address has to wait before it may try again; 0 when it may now. */
  waitMs(address: string): number
  countFailure(address: string): void
}

const defaultLimits: TryLimits = { maxTries: 10, windowMs: 60_000, maxAddresses: 1_000 }

/** Counts wrong tokens by address, so that a guesser gets ten tries a minute instead of thousands a second. */
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
      const group = groupAddress(address)
      failures.delete(group)
      failures.set(group, { ...entry, count: entry.count + 1 })
      const oldest = failures.keys().next()
      if (failures.size > limits.maxAddresses && !oldest.done) failures.delete(oldest.value)
    },
  }
}

/** One host owns a whole IPv6 /64: its addresses count as one. */
export function groupAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const plain = address.replace(/%.*$/, '')
  if (!isIPv6(plain)) return address
  const [head = '', tail] = plain.toLowerCase().split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
