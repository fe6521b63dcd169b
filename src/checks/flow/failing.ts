import { z } from 'zod'
import { canonicalToken } from '../../bridge/movedToken.ts'
import { directions } from '../../bridge/observation.ts'
import { formatDuration } from '../../lib/duration.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf } from '../../rules/kind.ts'
import type { FailureCount } from '../../ledger/transfers/countFailures.ts'
import type { FlowPart } from './facts.ts'
import { flowSubject, flowWindow, labelsOf, titleOf, type TokenFlow } from './finding.ts'

type Facts = SharedFacts & FlowPart

const params = z.strictObject({
  window: flowWindow.default(60 * 60_000),
  share: z.number().min(0).max(1).default(0.2),
  minCount: z.number().int().min(1).default(10),
  by: z.enum(['direction', 'token']).optional(),
  direction: z.enum(directions).optional(),
  token: z.string({ error: 'expected an address or a symbol' }).optional(),
  distinct: z.enum(['recipient', 'sender', 'token']).optional(),
  minDistinct: z.number().int().min(1).default(3),
})

type Params = z.output<typeof params>

const factTypes = declareFacts({
  windowMs: 'int',
  failed: 'int',
  ended: 'int',
  percent: 'int',
  recipients: 'int',
  senders: 'int',
  tokens: 'int',
  direction: directions,
  token: 'string',
})

/** One sender who tries again and again is no failing bridge: failures have to be of several. */
export const flowFailing = defineCondition({
  kind: 'flow.failing',
  docs: 'Of the transfers that ended in a window, too many failed.',
  remedy:
    'Look at what they failed with: `transfers list --state failed`; one error of all is a fault of the bridge.',
  words: {
    open: ({ what, finding: { facts } }) =>
      `Many transfers fail: ${what}, ${String(facts['failed'])} of ${String(facts['ended'])} in ${formatDuration(Number(facts['windowMs']))}`,
  },
  sources: ['explorer'],
  ties: ['token'],
  restsOn: ['source'],
  cannotTell: 'the list was not read all through the window',
  sinceMoves: true,
  hasTransfer: false,
  subjectNames: [],
  configured: { 'facts.token': 'tokenAddress', 'with.token': 'token' },
  facts: factTypes,
  params,
  judge: judgeFailing,
})

function judgeFailing(facts: Facts, settings: Params): JudgementOf<typeof factTypes> {
  const { flow, now } = facts
  const { window, direction, by } = settings
  if (flow.observedSince === null) return { findings: [], unknown: 'all' }
  // Of what was not read nobody knows whether it failed. Just begun, the window is what was seen so far.
  const since = Math.max(now - window, flow.observedSince)
  if (flow.coverage(since) < 0.9 || flow.isBehind(window)) return { findings: [], unknown: 'all' }
  const isByToken = by === 'token' || settings.token !== undefined
  const failures = flow.failures(window)
  if (failures === null) return { findings: [], unknown: 'all' }
  const findings = failures
    .filter((one) => (one.token !== null) === isByToken)
    .filter((one) => direction === undefined || one.direction === direction)
    .filter((one) => settings.token === undefined || isToken(facts, one.token ?? '', settings.token))
    .flatMap((one) => judgeOne(facts, settings, one) ?? [])
  return { findings, unknown: [] }
}

function isToken({ flow }: Facts, address: string, wanted: string): boolean {
  return canonicalToken(address) === canonicalToken(wanted) || flow.token(address).symbol === wanted
}

function judgeOne(
  facts: Facts,
  { window, share, minCount, distinct, minDistinct }: Params,
  one: FailureCount,
): Found<typeof factTypes> | null {
  const ended = one.failed + countArrived(facts, window, one)
  const values = { recipient: one.recipients, sender: one.senders, token: one.tokens }[
    distinct ?? 'recipient'
  ]
  if (ended < minCount || one.failed < ended * share || values < minDistinct) return null
  const { flow, now } = facts
  const percent = Math.round((100 * one.failed) / ended)
  return {
    subject: flowSubject(one),
    title: titleOf(flow, one),
    transfer: null,
    facts: { windowMs: window, ended, percent, ...one, token: one.token ?? '' },
    labels: labelsOf(flow, one),
    evidence: [
      {
        source: 'ledger',
        at: now,
        says: `${one.failed} of ${ended} that ended in the window failed (${percent} %), of ${one.recipients} recipients and ${one.senders} senders`,
      },
    ],
    since: flow.since(
      `flow.failing|${flowSubject(one)}|${window}|${share}|${minCount}|${distinct ?? ''}|${minDistinct}`,
    ),
  }
}

function countArrived({ flow }: Facts, windowMs: number, of: TokenFlow): number {
  return flow
    .totals(windowMs)
    .filter(({ side, direction }) => side === 'arrived' && direction === of.direction)
    .filter(({ token }) => of.token === null || token === of.token)
    .reduce((sum, { count }) => sum + count, 0)
}
