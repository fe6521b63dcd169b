import { formatUnits } from 'viem'
import type { FactValue, Finding } from '../../bridge/finding.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { FlowTotalFact, FlowPart } from './facts.ts'
import type { Moment } from '../../rules/kind.ts'

type Facts = Moment & FlowPart

const dayMs = 86_400_000
/** Of a day: windows lie on a grid, and the present one is not part of the past. */
const observedShare = 0.8

/** The facts that every kind about the flow has. */
export const flowFactTypes = {
  windowMs: 'int',
  count: 'int',
  amount: 'dyn',
  amountRaw: 'string',
  bound: 'string',
  direction: 'string',
  token: 'string',
} as const

/** Whether a day was observed: before that nothing is known of what is usual. */
export function hasDay({ flow, now }: Pick<Facts, 'flow' | 'now'>, windowMs: number): boolean {
  if (flow.observedSince === null || flow.observedSince > now - dayMs) return false
  const past = flow.past(windowMs)
  return past !== null && past.observedMs >= observedShare * dayMs
}

export interface FlowFound {
  readonly kind: 'flow.surge' | 'flow.quiet' | 'flow.imbalance'
  readonly windowMs: number
  /** What was passed, for people. */
  readonly bound: string
  readonly since: UnixMs
  readonly facts?: Readonly<Record<string, FactValue>>
}

/** The subject is the token and the direction, whatever was passed. */
export function toFlowFinding(
  { flow, now }: Pick<Facts, 'flow' | 'now'>,
  total: FlowTotalFact,
  found: FlowFound,
): Finding {
  const { symbol, decimals } = flow.token(total.token)
  const isAll = total.token === ''
  const name = isAll ? 'all tokens' : symbol === null ? total.token : `${symbol} (${total.token})`
  return {
    kind: found.kind,
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
      ...found.facts,
    },
    labels: { token: total.token, direction: total.direction, ...(symbol !== null && { symbol }) },
    evidence: [{ source: 'ledger', at: now, says: `${total.count} ${total.side} in the window` }],
    since: found.since,
  }
}

export function flowSubject({ token, direction }: Pick<FlowTotalFact, 'token' | 'direction'>): string {
  return `${token}|${direction}`
}
