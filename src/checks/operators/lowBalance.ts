import { z } from 'zod'
import type { Finding } from '../../bridge/finding.ts'
import { formatUnits, parseDecimal } from '../../bridge/amount.ts'
import { toBaseUnits } from '../../bridge/decimal.ts'
import { formatDuration } from '../../lib/duration.ts'
import { boundText } from '../../rules/durationText.ts'
import { enoughForMs, measureBurn } from './burn.ts'
import type { OperatorFact, OperatorsPart } from './facts.ts'
import { lossOfUnwatched } from '../../rules/lossOfUnwatched.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf, type Moment } from '../../rules/kind.ts'

type Facts = Moment & OperatorsPart

/** The native currency's. */
const decimals = 18
/** A millionth. */
const shortWei = 10n ** 12n
const dayMs = 86_400_000
const weekMs = 7 * dayMs

const amountText = z
  .string({ error: 'expected an amount in quotes, such as "0.5"' })
  .refine((text) => parseDecimal(text) !== null, 'expected an amount in quotes, such as "0.5"')
  .transform((text) => toBaseUnits(parseDecimal(text) ?? { digits: 0n, scale: 0 }, decimals) ?? 0n)

const params = z.strictObject({
  below: amountText.optional(),
  days: z.number().gt(0).max(365).optional(),
  over: boundText
    .refine((ms) => ms >= dayMs && ms <= weekMs, 'expected a duration from 1d to 7d')
    .default(3 * dayMs),
  stale: boundText.default(15 * 60_000),
})

type Params = z.output<typeof params>

const factTypes = declareFacts({
  balance: 'string',
  minBalance: 'string?',
  enoughFor: 'string',
  enoughForMs: 'int|null',
  perDay: 'string|null',
  measuredMs: 'int',
})

export const operatorLowBalance = defineCondition({
  kind: 'operator.low_balance',
  docs: 'An operator is running out of gas money: it holds less than its `minBalance`, or than it burns in so many days.',
  remedy: 'Send gas money to this operator address.',
  sources: ['explorer'],
  ties: [],
  needs: ['canonical or preconf', 'bridge.operators'],
  restsOn: ['source'],
  cannotTell: 'its balance was not read of late, or what it burns was not measured for a day',
  sinceMoves: true,
  hasTransfer: false,
  subjectNames: ['operator'],
  facts: factTypes,
  params,
  judge: judgeBalance,
})

function judgeBalance(facts: Facts, settings: Params): JudgementOf<typeof factTypes> {
  const findings: Found<typeof factTypes>[] = []
  const unknown: string[] = []
  for (const operator of facts.operators) {
    const judged = judgeOperator(operator, facts.now, settings)
    if (judged === 'unknown') unknown.push(operator.address)
    else if (judged !== null) findings.push(judged)
  }
  const isWatched = ({ subject }: Finding) => facts.operators.some(({ address }) => address === subject)
  return { findings, unknown, lossOf: lossOfUnwatched(isWatched) }
}

/** Its own `minBalance` is for rules that give no bound. */
function judgeOperator(
  operator: OperatorFact,
  now: number,
  { below, days, over, stale }: Params,
): Found<typeof factTypes> | 'unknown' | null {
  const { balance, balanceAt } = operator
  const least = below ?? (days === undefined ? operator.minBalance : null)
  if (least === null && days === undefined) return null
  if (balance === null || balanceAt === null || now - balanceAt > stale) return 'unknown'
  const burn = measureBurn(operator.burn, now - over)
  const leftMs = burn && enoughForMs(balance, burn.perDay)
  const isShort = days !== undefined && leftMs !== null && leftMs < days * dayMs
  if ((least !== null && balance < least) || isShort)
    return toLow(operator.address, { balance, at: balanceAt, least, burn, leftMs })
  return days !== undefined && burn === null ? 'unknown' : null
}

interface Low {
  readonly balance: bigint
  readonly at: number
  readonly least: bigint | null
  readonly burn: ReturnType<typeof measureBurn>
  readonly leftMs: number | null
}

function toLow(address: string, { balance, at, least, burn, leftMs }: Low): Found<typeof factTypes> {
  const held = formatUnits(balance, decimals)
  const wanted = least === null ? null : formatUnits(least, decimals)
  const perDay = burn && formatUnits(toShort(burn.perDay), decimals)
  const enoughFor = sayEnough(leftMs)
  const bound = wanted === null ? '' : `, at least ${wanted} is wanted`
  const spent = burn && `${perDay} a day was spent, measured over ${formatDuration(burn.measuredMs)}`
  return {
    subject: address,
    title: `operator ${address}`,
    transfer: null,
    facts: {
      balance: held,
      ...(wanted !== null && { minBalance: wanted }),
      enoughFor,
      enoughForMs: leftMs,
      perDay,
      measuredMs: burn?.measuredMs ?? 0,
    },
    labels: { chain: 'main', operator: address },
    evidence: [
      { source: 'eth_getBalance', at, says: `holds ${held}${bound}` },
      ...(enoughFor === '' ? [] : [{ source: 'eth_getBalance', at, says: `${enoughFor}: ${spent}` }]),
    ],
    since: at,
  }
}

/** A measure has no eighteen digits. */
function toShort(wei: bigint): bigint {
  return wei >= shortWei * 10n ? wei - (wei % shortWei) : wei
}

/** '' where nothing is spent, or that was not measured for long enough. */
function sayEnough(leftMs: number | null): string {
  if (leftMs === null) return ''
  if (leftMs < dayMs) return 'enough for less than a day'
  const days = Math.round(leftMs / dayMs)
  return `enough for about ${days} ${days === 1 ? 'day' : 'days'}`
}
