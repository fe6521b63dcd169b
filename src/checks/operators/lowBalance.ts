import { z } from 'zod'
import { formatUnits, parseDecimal } from '../../bridge/amount.ts'
import { toBaseUnits } from '../../bridge/decimal.ts'
import { boundText } from '../../rules/durationText.ts'
import type { OperatorsPart } from './facts.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf, type Moment } from '../../rules/kind.ts'

type Facts = Moment & OperatorsPart

/** The native currency's. */
const decimals = 18

const amountText = z
  .string({ error: 'expected an amount in quotes, such as "0.5"' })
  .refine((text) => parseDecimal(text) !== null, 'expected an amount in quotes, such as "0.5"')
  .transform((text) => toBaseUnits(parseDecimal(text) ?? { digits: 0n, scale: 0 }, decimals) ?? 0n)

const params = z.strictObject({ below: amountText.optional(), stale: boundText.default(15 * 60_000) })

const factTypes = declareFacts({ balance: 'string', minBalance: 'string' })

export const operatorLowBalance = defineCondition({
  kind: 'operator.low_balance',
  docs: 'An operator is running out of gas money: it holds less than its `minBalance`.',
  remedy: 'Send gas money to this operator address.',
  sources: ['explorer'],
  ties: [],
  needs: ['canonical or preconf', 'bridge.operators'],
  restsOn: ['source'],
  cannotTell: 'its balance was not read of late',
  hasTransfer: false,
  subjectNames: ['operator'],
  facts: factTypes,
  params,
  judge: judgeBalance,
})

function judgeBalance(
  facts: Facts,
  { below, stale }: z.output<typeof params>,
): JudgementOf<typeof factTypes> {
  const findings: Found<typeof factTypes>[] = []
  const unknown: string[] = []
  for (const operator of facts.operators) {
    const least = below ?? operator.minBalance
    if (least === null) continue
    const { address, balance, balanceAt } = operator
    if (balance === null || balanceAt === null || facts.now - balanceAt > stale) unknown.push(address)
    else if (balance < least) findings.push(toLow(address, balance, balanceAt, least))
  }
  return { findings, unknown }
}

function toLow(address: string, balance: bigint, at: number, least: bigint): Found<typeof factTypes> {
  const [held, wanted] = [formatUnits(balance, decimals), formatUnits(least, decimals)]
  return {
    subject: address,
    title: `operator ${address}`,
    transfer: null,
    facts: { balance: held, minBalance: wanted },
    labels: { chain: 'main', operator: address },
    evidence: [{ source: 'eth_getBalance', at, says: `holds ${held}, at least ${wanted} is wanted` }],
    since: at,
  }
}
