import { z } from 'zod'
import type { Direction } from '../../bridge/observation.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import type { FlowPart } from './facts.ts'
import { defineCondition, type JudgementOf } from '../../rules/kind.ts'
import { flowFacts, flowWindow, sayFlow, toFlowFinding } from './finding.ts'

type Facts = SharedFacts & FlowPart

const dayMs = 86_400_000

const params = z.strictObject({
  window: flowWindow.default(dayMs),
  ratio: z.number().min(1.1).default(10),
  minCount: z.number().int().min(1).default(200),
})

/** By value: what only ever crosses in one direction is no imbalance, it has no other side to be weighed against. */
export const flowImbalance = defineCondition({
  kind: 'flow.imbalance',
  docs: 'Far more of a token crosses the bridge in one direction than in the other.',
  remedy: 'Check that the escrow can pay what is being withdrawn, and why one direction dominates.',
  words: { open: sayFlow('Far more crosses the bridge in one direction') },
  sources: ['explorer'],
  ties: ['token'],
  restsOn: ['source'],
  sinceMoves: true,
  hasTransfer: false,
  subjectNames: [],
  configured: { 'facts.token': 'tokenAddress' },
  facts: flowFacts,
  params,
  judge: judgeImbalance,
})

function judgeImbalance(facts: Facts, settings: z.output<typeof params>): JudgementOf<typeof flowFacts> {
  const { flow, now } = facts
  const { window, ratio, minCount } = settings
  if (flow.observedSince === null || flow.observedSince > now - Math.max(window, dayMs))
    return { findings: [], unknown: [] }
  // Half of a flow that was not seen is no imbalance.
  if (flow.coverage(now - window) < 0.9 || flow.isBehind(window)) return { findings: [], unknown: 'all' }
  const totals = flow.totals(window).filter(({ side }) => side === 'arrived')
  const findings = totals.flatMap((total) => {
    const other = totals.find((one) => one.token === total.token && one.direction !== total.direction)
    const scaled = ((other?.sum ?? 0n) * BigInt(Math.round(ratio * 1_000))) / 1_000n
    if (total.count < minCount || total.sum <= scaled) return []
    const before = { ...total, direction: opposite(total.direction) }
    if (!other && !flow.past(window)?.most(before)) return []
    const name = `flow.imbalance|${total.token}|${total.direction}|${JSON.stringify(settings)}`
    const bound = `${ratio} times the other direction`
    const since = flow.since(name)
    return [toFlowFinding(facts, total, { windowMs: window, bound, since })]
  })
  return { findings, unknown: [] }
}

function opposite(direction: Direction): Direction {
  return direction === 'MainToZone' ? 'ZoneToMain' : 'MainToZone'
}
