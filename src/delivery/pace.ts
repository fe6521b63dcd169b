/** How many messages may leave at once, and how fast that is filled again. All times are monotonic. */
export interface Bucket {
  readonly tokens: number
  readonly at: number
}

/** Slack allows a message a second and short bursts, for each webhook. */
const burst = 3
const perSecond = 1

export function fullBucket(at: number): Bucket {
  return { tokens: burst, at }
}

/**
 * Takes one token. The last one is for critical messages, so that a storm never makes them wait for a refill.
 * @returns the bucket afterwards, or how long to wait
 */
export function takeToken(
  bucket: Bucket,
  isCritical: boolean,
  now: number,
): { readonly bucket: Bucket } | { readonly waitMs: number } {
  const tokens = Math.min(burst, bucket.tokens + (Math.max(now - bucket.at, 0) / 1_000) * perSecond)
  const needed = isCritical ? 1 : 2
  // Sums of fractions of seconds fall short of whole tokens by rounding.
  if (tokens >= needed - 1e-6) return { bucket: { tokens: tokens - 1, at: now } }
  return { waitMs: Math.ceil(((needed - tokens) / perSecond) * 1_000) }
}

/** How long a lane keeps still after a digest. */
export interface Hold {
  readonly until: number
  readonly stepMs: number
  readonly digestAt: number
}

/** More items than this in one message are a storm. */
const stormDepth = 20
const firstHoldMs = 2_000
const longestHoldMs = 60_000
/** A storm of critical alerts is told more often: another one in its middle must not wait. */
const longestCriticalHoldMs = 4_000
const calmMs = 120_000

export const noHold: Hold = { until: -Infinity, stepMs: 0, digestAt: -Infinity }

/**
 * After a message of `count` items. While a storm lasts, digests follow each other at 2, 4, 8 … 60 seconds: its end is
 * told soon when it was short, and a long one is not a flood.
 */
export function holdAfter(
  hold: Hold,
  of: { readonly count: number; readonly isCritical: boolean },
  now: number,
): Hold {
  if (of.count <= stormDepth) return hold
  const longest = of.isCritical ? longestCriticalHoldMs : longestHoldMs
  const stepMs =
    now - hold.digestAt > calmMs ? firstHoldMs : Math.min(Math.max(hold.stepMs * 2, firstHoldMs), longest)
  return { until: now + stepMs, stepMs, digestAt: now }
}
