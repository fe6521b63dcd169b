import { formatUnits } from 'viem/utils'
import { canonicalToken } from '../../bridge/movedToken.ts'
import { type Direction, directions } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { FlowTotalFact, FlowPart } from './facts.ts'
import { formatDuration } from '../../lib/duration.ts'
import { boundText } from '../../rules/durationText.ts'
import { declareFacts, type Found, type Said, type Moment } from '../../rules/kind.ts'

type Facts = Moment & FlowPart

const dayMs = 86_400_000

/** What crossed is kept for a day longer: of a longer window nobody knows what it held. */
export const flowWindow = boundText.refine((ms) => ms <= 31 * dayMs, 'expected at most 31d')

/** In a week lie two whole windows of this length, wherever it begins; of a longer one at times none. */
export const longestPastMs = 3 * dayMs
export const tooLongForPast = 'expected at most 3d: it is compared with such windows of the past week'

/** Of a day: windows lie on a grid, and the present one is not part of the past. */
const observedShare = 0.8

/** The facts that every kind about the flow has. */
export const flowFacts = declareFacts({
  windowMs: 'int',
  count: 'int',
  amount: 'string|null',
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
  total: Omit<FlowTotalFact, 'token'> & TokenFlow,
  found: FlowFound,
): Found<typeof flowFacts> {
  const { token, direction } = total
  const decimals = token === null ? null : flow.token(token).decimals
  return {
    subject: flowSubject(total),
    title: titleOf(flow, total),
    transfer: null,
    facts: {
      windowMs: found.windowMs,
      bound: found.bound,
      count: total.count,
      amount: decimals === null ? null : formatUnits(total.sum, decimals),
      amountRaw: String(total.sum),
      direction,
      token: token ?? '',
    },
    labels: labelsOf(flow, total),
    evidence: [{ source: 'ledger', at: now, says: `${total.count} ${total.side} in the window` }],
    since: found.since,
  }
}

/** Of one token, of the native currency (''), or of all of them together (null). */
export interface TokenFlow {
  readonly token: string | null
  readonly direction: Direction
}

export function flowSubject({ token, direction }: TokenFlow): string {
  return `${token ?? ''}|${direction}`
}

export function titleOf(flow: Tokens, { token, direction }: TokenFlow): string {
  return `${token === null ? 'all tokens' : nameToken(flow, token)}, ${direction}`
}

function nameToken(flow: Tokens, token: string): string {
  const symbol = symbolOf(flow, token)
  if (symbol === null) return token
  return canonicalToken(token) === '' ? symbol : `${symbol} (${token})`
}

export function labelsOf(flow: Tokens, { token, direction }: TokenFlow) {
  const symbol = token === null ? null : symbolOf(flow, token)
  return { token: token ?? '', direction, ...(symbol !== null && { symbol }) }
}

type Tokens = Pick<FlowPart['flow'], 'token'>

/** Null for a token that the configuration does not list. */
export function symbolOf(flow: Tokens, token: string): string | null {
  return flow.token(token).symbol ?? (canonicalToken(token) === '' ? 'native currency' : null)
}
