import type { Facts } from './types.ts'

/** Less is how late a head is read, and how far apart clocks are that a time service sets. */
const leastLeadMs = 60_000

/**
 * By how much our clock is ahead of the service's and of both chains', where all of them say so: then it is ours that is
 * wrong, and what just left has not waited for so long. One of them alone lags, and says nothing of our clock.
 */
export function clockLeadMs({ sources, heads }: Pick<Facts, 'sources' | 'heads'>): number {
  const service = sources.find(({ source }) => source === 'explorer')?.clockAheadMs ?? null
  if (service === null || heads.length < 2) return 0
  const chains = heads.map(({ advancedAt, blockTime }) => (blockTime === null ? 0 : advancedAt - blockTime))
  const leadMs = Math.min(-service, ...chains)
  return leadMs >= leastLeadMs ? leadMs : 0
}
