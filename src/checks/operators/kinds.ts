import { z } from 'zod'
import { formatUnits, parseDecimal } from '../../bridge/amount.ts'
import { toBaseUnits } from '../../bridge/decimal.ts'
import type { Finding } from '../../bridge/finding.ts'
import { formatDuration } from '../../lib/duration.ts'
import { clockLeadMs } from '../../kernel/clockLead.ts'
import { boundText } from '../../rules/durationText.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import type { OperatorFact, OperatorsPart } from './facts.ts'
import { defineCondition, type Judgement } from '../../rules/kind.ts'

type Facts = SharedFacts & OperatorsPart

/** The native currency's. */
const decimals = 18

const amountText = z
  .string({ error: 'expected an amount in quotes, such as "0.5"' })
  .refine((text) => parseDecimal(text) !== null, 'expected an amount in quotes, such as "0.5"')
  .transform((text) => toBaseUnits(parseDecimal(text) ?? { digits: 0n, scale: 0 }, decimals) ?? 0n)

const lowParams = z.strictObject({ below: amountText.optional(), stale: boundText.default(15 * 60_000) })

export const operatorLowBalance = defineCondition({
  kind: 'operator.low_balance',
  docs: 'An operator is running out of gas money: it holds less than its `minBalance`.',
  cannotTell: 'its balance was not read of late',
  hasTransfer: false,
  subjectNames: ['operator'],
  facts: { balance: 'string', minBalance: 'string' },
  params: lowParams,
  judge: judgeBalance,
})

function judgeBalance(facts: Facts, { below, stale }: z.output<typeof lowParams>): Judgement {
  const findings: Finding[] = []
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

function toLow(address: string, balance: bigint, at: number, least: bigint): Finding {
  const [held, wanted] = [formatUnits(balance, decimals), formatUnits(least, decimals)]
  return {
    kind: 'operator.low_balance',
    subject: address,
    title: `operator ${address}`,
    transfer: null,
    facts: { balance: held, minBalance: wanted },
    labels: { chain: 'main', operator: address },
    evidence: [{ source: 'eth_getBalance', at, says: `holds ${held}, at least ${wanted} is wanted` }],
    since: at,
  }
}

const quietParams = z.strictObject({ after: boundText.default(24 * 3_600_000) })

/** Never of an operator that was not yet seen to send: nothing is known of it. */
export const operatorQuiet = defineCondition({
  kind: 'operator.quiet',
  docs: 'An operator has stopped sending transactions while the bridge had something to do.',
  cannotTell: 'it was never seen to send, or not looked for since the bound passed',
  hasTransfer: false,
  subjectNames: ['operator'],
  facts: { lastTxHash: 'string', lastHeight: 'int', limitMs: 'int' },
  params: quietParams,
  judge: judgeQuiet,
})

function judgeQuiet(facts: Facts, { after }: z.output<typeof quietParams>): Judgement {
  const findings: Finding[] = []
  const unknown: string[] = []
  const leadMs = clockLeadMs(facts)
  for (const operator of facts.operators) {
    const { address, last } = operator
    const readAt = operator.readAt === null ? null : operator.readAt - leadMs
    if (last === null) unknown.push(address)
    else if (facts.now - leadMs - last.at < after) continue
    else if (facts.newestOriginAt !== null && facts.newestOriginAt <= last.at) continue
    else if (readAt === null || readAt < last.at + after || !operator.isSilent) unknown.push(address)
    else findings.push(toQuiet(operator, last, { readAt, leadMs, after }))
  }
  return { findings, unknown }
}

function toQuiet(
  { address }: OperatorFact,
  last: NonNullable<OperatorFact['last']>,
  { readAt, leadMs, after }: { readonly readAt: number; readonly leadMs: number; readonly after: number },
): Finding {
  return {
    kind: 'operator.quiet',
    subject: address,
    title: `operator ${address}`,
    transfer: null,
    facts: { lastTxHash: last.hash, lastHeight: last.height, limitMs: after },
    labels: { chain: 'main', operator: address },
    evidence: [
      {
        source: 'E10',
        at: readAt + leadMs,
        says: `nothing sent for ${formatDuration(readAt - last.at)} after ${last.hash}`,
      },
    ],
    since: last.at + leadMs,
  }
}
