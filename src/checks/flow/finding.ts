import { formatUnits } from 'viem/utils'
import { directions } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { FlowTotalFact, FlowPart } from './facts.ts'
import { formatDuration } from '../../lib/duration.ts'
import { declareFacts, type Found, type Said, type Moment } from '../../rules/kind.ts'

type Facts = Moment & FlowPart

const dayMs = 86_400_000
/** Of a day: windows lie on a grid, and the present one is not part of the past. */
const observedShare = 0.8

/** The facts that every kind about the flow has. */
export const flowFacts = declareFacts({
  windowMs: 'int',
  count: 'int',
  amount: 'dyn',
  amountRaw: 'string',
  bound: 'string',
  direction: directions,
  token: 'string',
})

/** What a message says of a flow, with what was passed. */
export function sayFlow(words: string): (of: Said) => string {
  return ({ what, finding: { facts } }) => {
    const { count, windowMs, bound } = facts
    if (typeof windowMs !== 'number' || typeof bound !== 'string') return `${words}: ${what}`
    return `${words}: ${what}, ${String(count)} ${count === 1 ? 'transfer' : 'transfers'} in ${formatDuration(windowMs)} (bound: ${bound})`
  }
}

/** Whether a day was observed: before that nothing is known of what is usual. */
export function hasDay({ flow, now }: Pick<Facts, 'flow' | 'now'>, windowMs: number): boolean {
  if (flow.observedSince === null || flow.observedSince > now - dayMs) return false
  const past = flow.past(windowMs)
  return past !== null && past.observedMs >= observedShare * dayMs
}

export interface FlowFound {
  readonly windowMs: number
  /** What was passed, for people. */
  readonly bound: string
  readonly since: UnixMs
}

/** The subject is the token and the direction, whatever was passed. */
export function toFlowFinding(
  { flow, now }: Pick<Facts, 'flow' | 'now'>,
  total: FlowTotalFact,
  found: FlowFound,
): Found<typeof flowFacts> {
  const { symbol, decimals } = flow.token(total.token)
  const isAll = total.token === ''
  const name = isAll ? 'all tokens' : symbol === null ? total.token : `${symbol} (${total.token})`
  return {
    subject: flowSubject(total),
    title: `${name}, ${total.direction}`,
    transfer: null,
    facts: {
      windowMs: found.windowMs,
      bound: found.bound,
      count: total.count,
      amount: decimals === null ? null : formatUnits(total.sum, decimals),
      amountRaw: String(total.sum),
      direction: total.direction,
      token: total.token,
    },
    labels: { token: total.token, direction: total.direction, ...(symbol !== null && { symbol }) },
    evidence: [{ source: 'ledger', at: now, says: `${total.count} ${total.side} in the window` }],
    since: found.since,
  }
}

export function flowSubject({ token, direction }: Pick<FlowTotalFact, 'token' | 'direction'>): string {
  return `${token}|${direction}`
}
