import type { Direction } from '../../bridge/observation.ts'
import type { LearnedBound } from '../../rules/afterText.ts'
import type { LatencyFacts } from '../../ledger/readLatency.ts'

export interface LimitParams {
  readonly after: number | LearnedBound
  readonly floor: number
  readonly ceiling?: number | undefined
  readonly minSamples: number
  readonly otherwise: number
}

export interface Limit {
  readonly ms: number
  /** Whose past it was learned from, if it was. */
  readonly from: 'fixed' | 'token' | 'direction' | 'otherwise'
}

/** How long a transfer may take: by its token's past, else by that of all tokens in its direction, else as stated. */
export function limitOf(
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
export function leastLimitMs(
  latency: LatencyFacts,
  params: LimitParams,
  directions: readonly Direction[],
): number {
  if (typeof params.after === 'number') return params.after
  const limits = directions.flatMap((direction) =>
    [null, ...latency.tokens(direction)].map((token) => limitOf(latency, params, { token, direction }).ms),
  )
  return Math.min(...limits)
}

function bound({ floor, ceiling }: LimitParams, ms: number): number {
  return Math.max(floor, Math.min(ms, ceiling ?? ms))
}
