import { z } from 'zod'
import type { Finding } from '../../domain/finding.ts'
import { formatUnits } from 'viem'
import { boundText } from '../durationText.ts'
import type { FlowTotalFact } from '../flowFacts.ts'
import type { Facts, Judgement } from '../types.ts'
import { defineCondition } from './detector.ts'

const dayMs = 86_400_000
const facts = {
  windowMs: 'int',
  count: 'int',
  amount: 'dyn',
  amountRaw: 'string',
  bound: 'string',
  direction: 'string',
  token: 'string',
} as const

const surgeParams = z.strictObject({
  window: boundText.default(15 * 60_000),
  side: z.enum(['started', 'arrived']).optional(),
  maxCount: z.number().int().min(1).optional(),
  timesPast: z.number().min(1.1).optional(),
  minCount: z.number().int().min(1).default(20),
  copies: z.number().int().min(2).optional(),
})

/** Silent against its own past until a day was observed; a bound and copies of one amount speak at once. */
export const flowSurge = defineCondition({
  kind: 'flow.surge',
  docs: 'More crosses the bridge than a bound or its own past allows, or one amount again and again.',
  hasTransfer: false,
  subjectNames: [],
  facts,
  params: surgeParams,
  judge: judgeSurge,
})

function judgeSurge({ flow, now }: Facts, params: z.output<typeof surgeParams>): Judgement {
  const found = new Map<string, Finding>()
  const say = (total: FlowTotalFact, bound: string) => {
    const finding = toFinding('flow.surge', { flow, now }, total, { windowMs: params.window, bound })
    if (!found.has(finding.subject)) found.set(finding.subject, finding)
  }
  if (params.copies !== undefined) {
    for (const one of flow.copies(params.window, params.copies)) {
      // What is often sent is no copy of anything.
      if (one.count < Math.max(params.copies, 3 * one.before)) continue
      const total = { ...one, side: 'arrived' as const, sum: one.amountRaw * BigInt(one.count) }
      say(total, `${params.copies} of one amount`)
    }
  }
  const totals = flow.totals(params.window).filter(({ side }) => side === (params.side ?? 'arrived'))
  for (const total of totals) {
    if (params.maxCount !== undefined && total.count > params.maxCount)
      say(total, `${params.maxCount} transfers`)
    if (params.timesPast === undefined || total.count < params.minCount || !hasDay({ flow, now })) continue
    const most = Math.max(0, ...ofPast(flow.past(params.window), total).map(({ count }) => count))
    if (total.count > most * params.timesPast) say(total, `${params.timesPast} times the ${most} of its past`)
  }
  return { findings: [...found.values()], unknown: [] }
}

const quietParams = z.strictObject({
  window: boundText.default(60 * 60_000),
  expected: z.number().min(3).default(20),
})

/** Only where every window of the past day had transfers, and many on average: a quiet bridge is never "too quiet". */
export const flowQuiet = defineCondition({
  kind: 'flow.quiet',
  docs: 'Nothing crosses the bridge although its own past says that something should.',
  hasTransfer: false,
  subjectNames: [],
  facts: { ...facts, expected: 'int' },
  params: quietParams,
  judge: judgeQuiet,
})

function judgeQuiet({ flow, now }: Facts, { window, expected }: z.output<typeof quietParams>): Judgement {
  if (!hasDay({ flow, now })) return { findings: [], unknown: [] }
  const windows = Math.max(1, Math.floor(dayMs / window))
  const past = flow.past(window).slice(0, windows)
  const findings: Finding[] = []
  const present = flow.totals(window)
  for (const direction of ['MainToZone', 'ZoneToMain'] as const) {
    const isOwn = (one: FlowTotalFact) => one.direction === direction
    if (present.some(isOwn)) continue
    const counts = past.map((totals) =>
      totals.filter((one) => isOwn(one) && one.side === 'started').reduce((sum, { count }) => sum + count, 0),
    )
    const mean = counts.reduce((sum, count) => sum + count, 0) / windows
    if (counts.length < windows || counts.includes(0) || mean < expected) continue
    const total = { token: '', direction, side: 'started' as const, count: 0, sum: 0n }
    const bound = `about ${Math.round(mean)} transfers`
    const finding = toFinding('flow.quiet', { flow, now }, total, { windowMs: window, bound })
    findings.push({ ...finding, facts: { ...finding.facts, expected: Math.round(mean) } })
  }
  // Where the list was not read, silence says nothing.
  return flow.coverage(now - window) < 0.99
    ? { findings: [], unknown: findings.map(({ subject }) => subject) }
    : { findings, unknown: [] }
}

const imbalanceParams = z.strictObject({
  window: boundText.default(dayMs),
  ratio: z.number().min(1.1).default(10),
  minCount: z.number().int().min(1).default(200),
})

export const flowImbalance = defineCondition({
  kind: 'flow.imbalance',
  docs: 'Far more of a token crosses the bridge in one direction than in the other.',
  hasTransfer: false,
  subjectNames: [],
  facts,
  params: imbalanceParams,
  judge: ({ flow, now }, { window, ratio, minCount }) => {
    if (flow.observedSince === null || flow.observedSince > now - window) return { findings: [], unknown: [] }
    const totals = flow.totals(window).filter(({ side }) => side === 'arrived')
    const findings = totals.flatMap((total) => {
      const other = totals.find((one) => one.token === total.token && one.direction !== total.direction)
      const scaled = ((other?.sum ?? 0n) * BigInt(Math.round(ratio * 1_000))) / 1_000n
      if (total.count < minCount || total.sum <= scaled) return []
      const bound = `${ratio} times the other direction`
      return [toFinding('flow.imbalance', { flow, now }, total, { windowMs: window, bound })]
    })
    return { findings, unknown: [] }
  },
})

function hasDay({ flow, now }: Pick<Facts, 'flow' | 'now'>): boolean {
  return flow.observedSince !== null && flow.observedSince <= now - dayMs
}

function ofPast(past: readonly (readonly FlowTotalFact[])[], of: FlowTotalFact): FlowTotalFact[] {
  const isSame = (one: FlowTotalFact) =>
    one.token === of.token && one.direction === of.direction && one.side === of.side
  return past.flatMap((totals) => totals.filter(isSame))
}

function toFinding(
  kind: 'flow.surge' | 'flow.quiet' | 'flow.imbalance',
  { flow, now }: Pick<Facts, 'flow' | 'now'>,
  total: FlowTotalFact,
  said: { readonly windowMs: number; readonly bound: string },
): Finding {
  const { symbol, decimals } = flow.token(total.token)
  const name = total.token === '' ? 'all tokens' : (symbol ?? total.token)
  return {
    kind,
    subject: `${total.token}|${total.direction}`,
    title: `${name}${symbol !== null && total.token !== '' ? ` (${total.token})` : ''}, ${total.direction}`,
    transfer: null,
    facts: {
      ...said,
      count: total.count,
      amount: decimals === null ? null : formatUnits(total.sum, decimals),
      amountRaw: String(total.sum),
      direction: total.direction,
      token: total.token,
    },
    labels: { token: total.token, direction: total.direction, ...(symbol !== null && { symbol }) },
    evidence: [{ source: 'ledger', at: now, says: `${total.count} ${total.side} in the window` }],
    since: now,
  }
}
