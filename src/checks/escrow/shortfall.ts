import { z } from 'zod'
import type { Finding } from '../../bridge/finding.ts'
import { saySources } from '../../bridge/agreement.ts'
import { formatUnits } from '../../bridge/amount.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import { boundText } from '../../rules/durationText.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import { toAccountUnits } from './accounts/accountUnits.ts'
import type { EscrowHolding, EscrowPart } from './holding.ts'
import { lossOfUnwatched } from '../../rules/lossOfUnwatched.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf } from '../../rules/kind.ts'

type Facts = SharedFacts & EscrowPart

const params = z.strictObject({ stale: boundText.default(15 * 60_000) })

const factTypes = declareFacts({
  missing: 'string',
  holdings: 'string',
  owed: 'string',
  baseline: 'string',
  token: 'string',
  escrows: 'string',
  height: 'int',
})

/**
 * What the escrows of a token hold against what is owed at the same block: the baseline, what was credited on the
 * zone chain since, less what left it. What left the escrow and is not judged yet says neither.
 */
export const escrowShortfall = defineCondition({
  kind: 'escrow.shortfall',
  docs: 'An escrow holds less than is owed.',
  remedy: 'Stop withdrawals of this token until the missing amount is found.',
  sources: ['explorer'],
  ties: ['escrow'],
  needs: ['bridge.escrows', 'canonical or preconf'],
  joins: { of: 'escrow', missing: 'missing', isMovement: false },
  cannotTell:
    'what is held and what is owed cannot be compared: there is no newer reading of both, or what left is not judged yet',
  sinceMoves: true,
  hasTransfer: false,
  subjectNames: ['escrow'],
  facts: factTypes,
  params,
  judge: judgeShortfall,
})

function judgeShortfall(facts: Facts, { stale }: z.output<typeof params>): JudgementOf<typeof factTypes> {
  const findings: Found<typeof factTypes>[] = []
  const unknown: string[] = []
  const isListLacking = lacksMoney(facts)
  const isStale = ({ judged }: EscrowHolding) => judged === null || facts.now - judged.at > stale
  for (const holding of facts.escrow.holdings) {
    const { judged } = holding
    if (judged === null || isStale(holding) || isListLacking) unknown.push(subjectOf(holding))
    else if (judged.holdings + judged.openOut < judged.owed) findings.push(toFinding(holding, judged))
    // What left a moment ago may have been paid to somebody, or taken: neither can be said before it is judged.
    else if (judged.holdings < judged.owed) unknown.push(subjectOf(holding))
  }
  // What the list lacks is told by itself.
  const blind = isListLacking ? [] : facts.escrow.holdings.filter(isStale)
  const isWatched = ({ subject }: Finding) =>
    facts.escrow.holdings.some((holding) => subjectOf(holding) === subject)
  return {
    findings,
    unknown,
    blind: blind.flatMap((holding) => toBlind(holding, facts.escrow.walkedAt)),
    lossOf: lossOfUnwatched(isWatched),
  }
}

function toBlind(
  holding: EscrowHolding,
  walkedAt: UnixMs | null | undefined,
): NonNullable<JudgementOf<typeof factTypes>['blind']> {
  const { judged, startedAt, symbol, escrows, isHeld } = holding
  if (walkedAt === undefined || !isHeld) return []
  const since = Math.max(judged?.at ?? startedAt ?? 0, walkedAt ?? 0)
  return [{ subject: subjectOf(holding), title: `${symbol} at ${escrows.join(', ')}`, since }]
}

/** The list has rows whose money, or whose transaction, nobody can read: what is owed cannot be summed up. */
export function lacksMoney({ drift, lacks }: Pick<Facts, 'drift' | 'lacks'>): boolean {
  const isOfMoney = (key: string) => /TxHash$|^(tokenContractAddress|valueRaw)$/.test(key)
  return (
    drift.some(({ endpoint, isOfList }) => endpoint === 'E3' && isOfList) ||
    lacks.some(({ endpoint, key, isStill }) => endpoint === 'E3' && isStill && isOfMoney(key))
  )
}

function subjectOf({ token }: EscrowHolding): string {
  return token || 'native'
}

/** What is held, account by account, where accounts are kept. */
function sayAccounts({ accounts, decimals }: EscrowHolding): string {
  if (accounts === null || decimals === null) return ''
  const units = toAccountUnits(accounts, decimals)
  const parts = [
    ['claims on the zone', units.claims],
    ['on its way to the zone', units.toZone],
    ['on its way from the zone', units.toMain],
    ['fees', units.fees],
    ['gas', units.gas ?? '0'],
    ['being judged', units.open],
    ['not explained', units.unexplained],
  ] as const
  const said = parts.flatMap(([name, amount]) => (amount === '0' ? [] : [`${name} ${groupDigits(amount)}`]))
  return `; held are: ${said.join(', ') || 'nothing'}`
}

function toFinding(
  holding: EscrowHolding,
  judged: NonNullable<EscrowHolding['judged']>,
): Found<typeof factTypes> {
  const { token, symbol, escrows, decimals } = holding
  const text = (raw: bigint) => (decimals === null ? `${raw} base units` : formatUnits(raw, decimals))
  // What left a moment ago may be an honest payout: no more is said to be missing than is without it.
  const owed = judged.owed - judged.openOut
  const left =
    judged.openOut > 0n ? `, once the ${groupDigits(text(judged.openOut))} that just left count as paid` : ''
  return {
    subject: subjectOf(holding),
    title: `${symbol} at ${escrows.join(', ')}`,
    transfer: null,
    facts: {
      missing: text(owed - judged.holdings),
      holdings: text(judged.holdings),
      owed: text(owed),
      baseline: text(holding.baseline ?? 0n),
      token: symbol,
      escrows: escrows.join(', '),
      height: judged.height,
    },
    labels: { chain: 'main', ...(token !== '' && { token }), symbol, escrow: escrows[0] ?? '' },
    evidence: [
      {
        source: 'eth_call, E3, E12',
        at: judged.at,
        says: `holds ${groupDigits(text(judged.holdings))} ${symbol} at block ${judged.height}, owes ${groupDigits(text(owed))}${left}${sayAccounts(holding)}${holding.ground === 'assumed' ? '; what was owed when counting began is assumed to be what was held then' : ''}${saySources(holding.agreement)}`,
      },
    ],
    since: judged.at,
  }
}
