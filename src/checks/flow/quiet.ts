import { z } from 'zod'
import { type Direction, directions } from '../../bridge/observation.ts'
import { boundText } from '../../rules/durationText.ts'
import type { FlowTotalFact, FlowPart } from './facts.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf } from '../../rules/kind.ts'
import {
  flowFacts,
  flowSubject,
  hasDay,
  longestPastMs,
  sayFlow,
  toFlowFinding,
  tooLongForPast,
} from './finding.ts'

type Facts = SharedFacts & FlowPart

/** How many transfers even the emptiest window of a day must have had, so that an empty one is no chance. */
const leastPast = 5
const stepMs = 10_000

const params = z.strictObject({
  window: boundText.refine((ms) => ms <= longestPastMs, tooLongForPast).default(60 * 60_000),
  expected: z.number().min(3).default(20),
  below: z.number().min(0).max(0.9).default(0),
  by: z.enum(['direction', 'token']).optional(),
})

const factTypes = declareFacts({ ...flowFacts, expected: 'int' })

/**
 * A dip counts transfers that began; silence is that nothing happened at all. Only where every window of the past had transfers, and many on average: a quiet
 * bridge is never "too quiet".
 */
export const flowQuiet = defineCondition({
  kind: 'flow.quiet',
  docs: 'Nothing, or far less than usual, crosses the bridge although its own past says that more should.',
  remedy: 'Try the bridge with a small amount and check its front end and relayer.',
  words: {
    open: (of) =>
      sayFlow(
        of.finding.facts['count'] === 0
          ? 'Nothing crosses the bridge'
          : 'Far less than usual crosses the bridge',
      )(of),
  },
  sources: ['explorer'],
  ties: ['token'],
  restsOn: ['source', 'chain'],
  // Where nothing at all crosses it is known since when.
  sinceMoves: ({ count }) => count !== 0,
  hasTransfer: false,
  subjectNames: [],
  configured: { 'facts.token': 'tokenAddress' },
  facts: factTypes,
  params,
  judge: judgeQuiet,
})

function judgeQuiet(
  facts: Facts,
  { window, expected, below, by }: z.output<typeof params>,
): JudgementOf<typeof factTypes> {
  const { flow, now } = facts
  const past = flow.past(window)
  if (past === null) return { findings: [], unknown: 'all' }
  if (!hasDay(facts, window)) return { findings: [], unknown: [] }
  // The newest part is left out as what decides: the list need not show it yet. What it shows already does count.
  const lengthMs = window + Math.ceil(flow.settleMs / stepMs) * stepMs
  const present = flow.totals(lengthMs)
  const findings: Found<typeof factTypes>[] = []
  for (const token of by === 'token' ? past.tokens : [null]) {
    for (const direction of directions) {
      const { least, low, mean } = past.usual({ token, direction })
      const seen = present.filter((one) => isOf(one, token, direction))
      const count = countStarted(seen)
      // What nights or weekends have is usual, however far below the average.
      const isDip = count < below * mean && count < low && low >= leastPast
      if (mean < expected || !(isDip || (seen.length === 0 && least >= leastPast))) continue
      const total = { token, direction, side: 'started' as const, count, sum: 0n }
      const newest = flow.newestAt({ token, direction })
      const found = toFlowFinding(facts, total, {
        windowMs: window,
        bound: `about ${Math.round(mean)} transfers`,
        since:
          count > 0
            ? flow.since(`flow.quiet|${flowSubject(total)}|${window}|${below}`)
            : newest === null
              ? now - window
              : newest + stepMs,
      })
      findings.push({ ...found, facts: { ...found.facts, expected: Math.round(mean) } })
    }
  }
  // Where the list was not read, or lags behind, silence says nothing.
  const isBlind = flow.coverage(now - lengthMs) < 0.99 || flow.isBehind(lengthMs) || facts.listLag !== null
  return isBlind ? { findings: [], unknown: 'all' } : { findings, unknown: [] }
}

function countStarted(totals: readonly FlowTotalFact[]): number {
  return totals.filter(({ side }) => side === 'started').reduce((sum, { count }) => sum + count, 0)
}

function isOf(one: FlowTotalFact, token: string | null, direction: Direction): boolean {
  return one.direction === direction && (token === null || one.token === token)
}
