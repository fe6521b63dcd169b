import { z } from 'zod'
import { canonicalToken } from '../../bridge/movedToken.ts'
import { directions } from '../../bridge/observation.ts'
import { parseDecimal } from '../../bridge/amount.ts'
import { compareDecimals, fromBaseUnits } from '../../bridge/decimal.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import type { FlowCopiesFact, FlowTotalFact, FlowPart } from './facts.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import { defineCondition, type Found, type JudgementOf } from '../../rules/kind.ts'
import {
  flowFacts,
  flowWindow,
  hasDay,
  longestPastMs,
  sayFlow,
  symbolOf,
  toFlowFinding,
  tooLongForPast,
} from './finding.ts'

/** What escrows hold is another check's: of it the amounts alone are looked at. */
export interface EscrowAmounts {
  readonly escrow: {
    readonly holdings: readonly { readonly token: string; readonly holdings: bigint | null }[]
  }
}

type Facts = SharedFacts & FlowPart & EscrowAmounts

const dayMs = 86_400_000
/** From how many times the count of the past week on a common amount is no habit any more. */
const timesBefore = 3
/** Single amounts are kept for nine days: before a longer window there is no whole week, and a common amount would be news. */
const longestCopiesMs = 2 * dayMs

const amountText = z
  .string({ error: 'expected an amount in quotes, such as "250000"' })
  .refine((text) => parseDecimal(text) !== null, 'expected an amount in token units, such as "250000"')

const bounds = [
  'maxCount',
  'maxAmount',
  'timesPast',
  'timesPastAmount',
  'copies',
  'share',
  'firstTimeShare',
] as const

const shape = z.strictObject({
  window: flowWindow.default(15 * 60_000),
  side: z.enum(['started', 'arrived']).optional(),
  direction: z.enum(directions).optional(),
  maxCount: z.number().int().min(1).optional(),
  maxAmount: z.record(z.string(), amountText).optional(),
  timesPast: z.number().min(1.1).optional(),
  timesPastAmount: z.number().min(1.1).optional(),
  minCount: z.number().int().min(1).default(20),
  copies: z.number().int().min(2).optional(),
  share: z.number().gt(0).max(1).optional(),
  firstTimeShare: z.number().gt(0).max(1).optional(),
})

/** Without any bound, with one of withdrawals over deposits alone, or with a past of no windows nothing would ever be found. */
const params = shape
  .refine(
    ({ maxAmount, ...given }) =>
      Object.keys(maxAmount ?? {}).length > 0 ||
      bounds.some((name) => typeof given[name as never] === 'number'),
    `nothing is a surge without a bound: one of ${bounds.join(', ')}`,
  )
  .refine(({ share, direction }) => share === undefined || direction !== 'MainToZone', {
    path: ['share'],
    message: 'a share is of what withdrawals paid out, and the direction is that of deposits',
  })
  .refine(
    ({ window, timesPast, timesPastAmount, firstTimeShare }) =>
      window <= longestPastMs || (timesPast ?? timesPastAmount ?? firstTimeShare) === undefined,
    { path: ['window'], message: tooLongForPast },
  )
  .refine(({ window, copies }) => copies === undefined || window <= longestCopiesMs, {
    path: ['window'],
    message: 'expected at most 2d: one amount is compared with the week before',
  })

type Params = z.output<typeof params>

/** Silent against its own past until a day was observed; a bound and copies of one amount are judged at once. */
export const flowSurge = defineCondition({
  kind: 'flow.surge',
  docs: 'More crosses the bridge than a bound or its own past allows, or one amount again and again.',
  remedy:
    'Look at the largest transfers of the window; payouts of one amount to many recipients are an attack.',
  words: { open: sayFlow('Too much crosses the bridge') },
  sources: ['explorer'],
  ties: ['token'],
  restsOn: ['source'],
  sinceMoves: true,
  hasTransfer: false,
  subjectNames: [],
  configured: { 'facts.token': 'tokenAddress', 'with.maxAmount': 'token' },
  facts: flowFacts,
  params,
  judge: judgeSurge,
})

function judgeSurge(facts: Facts, settings: Params): JudgementOf<typeof flowFacts> {
  const { flow, now } = facts
  const found = new Map<string, Found<typeof flowFacts>>()
  const say = (total: FlowTotalFact, bound: string) => {
    if (settings.direction !== undefined && total.direction !== settings.direction) return
    const name = `flow.surge|${total.token}|${total.direction}|${JSON.stringify(settings)}`
    const since = () => flow.since(name)
    const finding = toFlowFinding(facts, total, {
      windowMs: settings.window,
      bound,
      since: now,
    })
    if (!found.has(finding.subject)) found.set(finding.subject, { ...finding, since: since() })
  }
  for (const one of settings.copies === undefined ? [] : flow.copies(settings.window, settings.copies)) {
    if (!isCopied(facts, settings, one)) continue
    const total = { ...one, side: 'arrived' as const, sum: one.amountRaw * BigInt(one.count) }
    say(total, `${settings.copies} of one amount`)
  }
  const side = settings.side ?? 'arrived'
  for (const total of flow.totals(settings.window)) {
    if (total.side !== side) continue
    const bound = passedBound(facts, settings, total) ?? passedPast(facts, settings, total)
    if (bound !== null) say(total, bound)
  }
  // What arrived arrived; that nothing more did is known only while the list is read.
  const isBlind = flow.coverage(now - flow.settleMs - 60_000) < 0.5 || flow.isBehind(settings.window)
  return { findings: [...found.values()], unknown: isBlind ? 'all' : [] }
}

/**
 * What is often sent is no copy of anything. Until a day was observed nobody knows what is: then an amount has to stand
 * alone, and to make up most of what arrived.
 */
function isCopied(facts: Facts, { window, copies = 0 }: Params, one: FlowCopiesFact): boolean {
  if (one.count < Math.max(copies, timesBefore * one.before)) return false
  if (hasDay(facts, window)) return true
  const all = facts.flow
    .totals(window)
    .find(
      ({ token, direction, side }) =>
        token === one.token && direction === one.direction && side === 'arrived',
    )
  return one.others < 2 && 2n * one.amountRaw * BigInt(one.count) >= (all?.sum ?? 0n)
}

function passedBound({ flow, escrow }: Facts, settings: Params, total: FlowTotalFact): string | null {
  const { maxCount, maxAmount, share } = settings
  if (maxCount !== undefined && total.count > maxCount)
    return `${maxCount} ${maxCount === 1 ? 'transfer' : 'transfers'}`
  const { symbol, decimals } = flow.token(total.token)
  const most = findAmount(maxAmount ?? {}, total.token, symbol)
  if (most !== null && decimals !== null) {
    const isMore = compareDecimals(fromBaseUnits(total.sum, decimals), most.amount) > 0
    if (isMore) return `${groupDigits(most.text)} ${symbolOf(flow, total.token) ?? total.token}`
  }
  if (share === undefined || total.direction !== 'ZoneToMain' || total.count < 2) return null
  const held = canonicalToken(total.token)
  const holdings = escrow.holdings.find(({ token }) => token === held)?.holdings ?? null
  // Of what was there before it left.
  const isShare =
    holdings !== null && total.sum * 10_000n >= (holdings + total.sum) * BigInt(Math.round(share * 10_000))
  return isShare && total.sum > 0n ? `${Math.round(share * 100)} % of what the escrow held` : null
}

/** By address in any case, or by symbol. */
function findAmount(amounts: Readonly<Record<string, string>>, token: string, symbol: string | null) {
  for (const [name, text] of Object.entries(amounts)) {
    const amount = parseDecimal(text)
    if (amount !== null && (canonicalToken(name) === canonicalToken(token) || name === symbol))
      return { text, amount }
  }
  return null
}

/** A token without a day of past has none that anything could be measured by. */
function passedPast(facts: Facts, settings: Params, total: FlowTotalFact): string | null {
  const { timesPast, timesPastAmount, firstTimeShare, minCount, window } = settings
  if (timesPast === undefined && timesPastAmount === undefined && firstTimeShare === undefined) return null
  if (total.count < minCount || !hasDay(facts, window)) return null
  const most = facts.flow.past(window)?.most(total)
  if (!most || most.firstAt > facts.now - dayMs) return null
  if (timesPast !== undefined && total.count > most.count * timesPast)
    return `${timesPast} times the ${most.count} of its past`
  if (
    timesPastAmount !== undefined &&
    total.sum * 1_000n > most.sum * BigInt(Math.round(timesPastAmount * 1_000))
  )
    return `${timesPastAmount} times the value of its past`
  if (firstTimeShare === undefined) return null
  const of = facts.flow
    .firstTimers(window)
    .find(({ token, direction }) => token === total.token && direction === total.direction)
  const isMany = of !== undefined && of.count >= minCount && of.first >= of.count * firstTimeShare
  return isMany ? `${Math.round(firstTimeShare * 100)} % to recipients never paid before` : null
}
