import type { SourceHealth } from '../../clients/sourceHealth.ts'
import type { FactSources } from '../../kernel/sharedFacts.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Coverage } from '../statusFacts.ts'

/** When each source last answered well, and after how long of silence nothing is known of the present. */
export function toCoverage(
  sources: readonly SourceHealth[],
  byEndpoint: FactSources['intervals'],
): Coverage[] {
  return sources.map((source) => ({
    source: source.source,
    lastGoodAt: newest(source.endpoints.map((endpoint) => endpoint.lastGoodAt)),
    staleAfterMs: Math.max(5_000, 3 * shortestInterval(source, byEndpoint)),
  }))
}

function shortestInterval(source: SourceHealth, byEndpoint: FactSources['intervals']): number {
  if (source.source === 'explorer') return Math.min(...Object.values(byEndpoint))
  return Math.min(10_000, ...source.endpoints.map(({ intervalMs }) => intervalMs))
}

function newest(times: readonly (UnixMs | null)[]): UnixMs | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.max(...known)
}
