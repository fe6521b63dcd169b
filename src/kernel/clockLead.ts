import type { SharedFacts } from './facts.ts'
import type { SourceHealth } from '../clients/sourceHealth.ts'

/** Less is how late a head is read, and how far apart clocks are that a time service sets. */
const leastLeadMs = 60_000

interface ClockFacts extends Pick<SharedFacts, 'now' | 'heads'> {
  readonly sources: readonly Pick<SourceHealth, 'source' | 'clockAheadMs'>[]
}

/**
 * By how much our clock is ahead of everybody's: of each source that gives its time, and of both chains, one of which goes
 * on at that very time. Then it is ours that is wrong, and what just left has not waited for so long. Heads that are late
 * and stand still say nothing of our clock, whatever a service says of its own.
 */
export function clockLeadMs({ now, sources, heads }: ClockFacts): number {
  const isTold = sources.some(({ source, clockAheadMs }) => source === 'explorer' && clockAheadMs != null)
  if (!isTold || heads.length < 2) return 0
  const services = sources.flatMap(({ clockAheadMs }) => (clockAheadMs == null ? [] : -clockAheadMs))
  const serviceMs = Math.min(...services)
  const chains = heads.map(({ advancedAt, blockTime }) => ({
    behindMs: blockTime === null ? 0 : advancedAt - blockTime,
    goesOn: now - advancedAt < leastLeadMs,
  }))
  const leadMs = Math.min(serviceMs, ...chains.map(({ behindMs }) => behindMs))
  const isSeen = chains.some(({ behindMs, goesOn }) => goesOn && Math.abs(behindMs - serviceMs) < leastLeadMs)
  return leadMs >= leastLeadMs && isSeen ? leadMs : 0
}
