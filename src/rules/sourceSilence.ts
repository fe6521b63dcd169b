import type { UnixMs } from '../lib/clock.ts'
import { leastOwnFailures } from '../clients/explorer/health.ts'
import type { EndpointHealth } from '../clients/sourceHealth.ts'
import type { SourceHealth } from '../clients/sourceHealth.ts'

/** A source is never called silent sooner, however short the interval. */
const floorMs = 5_000
/** The list is what everything rests on: without it nothing new is seen, whatever else answers. */
const listEndpoint = 'E3'
const listFloorMs = 15_000
/** One endpoint that fails while others answer is given longer, so that it is asked again before. */
const endpointFloorMs = 20_000
/** Throttling picks single questions: an endpoint that is only throttled is given longer still. */
const throttledFloorMs = 30_000

/** Nothing good from any endpoint for three of the shortest intervals. */
export function isSourceSilent(source: SourceHealth, now: UnixMs, after?: number): boolean {
  if (!source.endpoints.some(isFailing)) return false
  const intervalMs = Math.min(...source.endpoints.map((endpoint) => endpoint.intervalMs))
  return now - lastGoodOf(source) >= (after ?? Math.max(3 * intervalMs, floorMs))
}

/** When anything of the source answered last; when it was asked first, if nothing ever did. */
export function lastGoodOf({ endpoints }: SourceHealth): UnixMs {
  const good = Math.max(...endpoints.map(({ lastGoodAt }) => lastGoodAt ?? 0))
  return good > 0 ? good : Math.min(...endpoints.map(({ firstAskedAt }) => firstAskedAt))
}

/**
 * Whether an endpoint fails by itself, and has for too long. What failed with all the others, and was not asked since
 * they came back, is not known to.
 */
export function isEndpointSilent(endpoint: EndpointHealth, now: UnixMs, after?: number): boolean {
  const { failingSince, ownFailures } = endpoint
  if (failingSince === null || ownFailures < leastOwnFailures) return false
  return now - failingSince >= (after ?? boundOf(endpoint))
}

export function isFailing({ failingSince }: EndpointHealth): boolean {
  return failingSince !== null
}

function boundOf({ endpoint, intervalMs, isThrottling }: EndpointHealth): number {
  const isList = endpoint === listEndpoint
  if (isThrottling)
    return isList ? Math.max(3 * intervalMs, listFloorMs) : Math.max(6 * intervalMs, throttledFloorMs)
  return isList ? listFloorMs : endpointFloorMs
}
