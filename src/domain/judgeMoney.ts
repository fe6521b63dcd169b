import { coverMoney, type MoneyGap, type MoneySettings } from './coverMoney.ts'
import { type LearnedMoney, mayMoveAs, type MoneySample, movesAs } from './learnedMoney.ts'
import { canonicalToken, movedToken } from './movedToken.ts'
import { newestEvidence } from './proveOrigin.ts'
import type { LegEvidence, TokenMove, Transfer } from './transfer.ts'

/** What the main transaction of a transfer moved, against its records. */
export interface MoneyJudgement {
  readonly gap: MoneyGap | 'covered'
  readonly by: LegEvidence
  /** Another token moved in just this amount to just this recipient: it may be the same by another address. */
  readonly twin: string | null
}

/**
 * The answer that a transfer's money is judged by: the canonical RPC's before the explorer's. A receipt does not show
 * native currency, so that it says nothing of it beyond whether the transaction succeeded.
 */
function moneyEvidence(transfer: Transfer): LegEvidence | null {
  const { main } = transfer
  if (main === null) return null
  const of = transfer.evidence.filter((one) => one.chain === 'main' && one.hash === main.hash)
  const canonical = of.find((one) => one.source === 'canonical')
  const isBlind = movedToken(transfer.token) === '' && canonical?.status === 'success'
  return (isBlind ? null : canonical) ?? newestEvidence(of)
}

/**
 * Compares one transfer with the movements of its main transaction; null where nothing can be said.
 * @param all transfers that bear the same main transaction
 */
export function judgeMoney(
  transfer: Transfer,
  all: readonly Transfer[],
  settings: MoneySettings,
): MoneyJudgement | null {
  if (transfer.status === 'failed' || transfer.main === null) return null
  const by = moneyEvidence(transfer)
  if (by?.status !== 'success' || by.moves === null) return null
  // What an event of the chain tells of, and a record too, is one claim on the money.
  const listed = all.filter((one) => one.isListed && one.status !== 'failed')
  if (!transfer.isListed && listed.length > 0) return null
  const sharing = transfer.isListed ? listed : all
  const gap = coverMoney(transfer, sharing, by.moves, settings)
  if (gap === null) return null
  return {
    gap,
    by,
    twin: gap === 'covered' || !isOfToken(gap) ? null : findTwin(transfer, sharing, settings),
  }
}

/** Nothing of the record's token moved at all. */
function isOfToken({ what, found }: MoneyGap): boolean {
  return what === 'token' || (what === 'amount' && found === '')
}

/** The one other token of which the record's very amount went to its very recipient; null when none did, or several. */
function findTwin(transfer: Transfer, sharing: readonly Transfer[], settings: MoneySettings): string | null {
  const exact: MoneySettings = { ...settings, fees: [] }
  const fitting = (moves: readonly TokenMove[]) =>
    [...new Set(moves.map(({ token }) => token))].filter((token) => {
      const as = (one: Transfer): Transfer => ({ ...one, token: { ...one.token, movedAs: token } })
      const alike = sharing.map((one) => (one.token.address === transfer.token.address ? as(one) : one))
      return coverMoney(as(transfer), alike, moves, exact) === 'covered'
    })
  const found = transfer.evidence
    .filter((one) => one.chain === 'main' && one.hash === transfer.main?.hash && one.status === 'success')
    .flatMap(({ moves }) => fitting(moves ?? []))
  const [twin, ...others] = new Set(found)
  return twin === undefined || others.length > 0 ? null : twin
}

/** How long a judgement may wait for what matched transfers teach: a first start reads a day of them within this. */
const holdMs = 600_000

/**
 * Whether another token that moved in place of the record's is to be told now. `same`: it is known to be the record's by
 * another address. `held`: other transfers will tell.
 * @param listed tokens that the configuration names by their address on the main chain
 */
export function judgeTwin(
  transfer: Transfer,
  twin: string,
  context: { readonly learned: LearnedMoney; readonly listed: readonly string[]; readonly now: number },
): 'other' | 'same' | 'held' {
  const { learned, listed, now } = context
  const { address, type } = transfer.token
  // A record that says what kind of token it is, and not which, contradicts no token.
  if (address === '' && type !== '' && twin !== '') return 'same'
  if (movesAs(address, learned) === twin) return 'same'
  const own = canonicalToken(address)
  if (listed.some((token) => canonicalToken(token) === own) && twin !== '') return 'other'
  if (!mayMoveAs(address, twin, learned)) return 'other'
  return now - transfer.firstSeenAt < holdMs ? 'held' : 'other'
}

/** What a matched transfer teaches; nothing where it does not match. */
export function sampleMoney(transfer: Transfer, judged: MoneyJudgement): MoneySample[] {
  const name = canonicalToken(transfer.token.address)
  if (judged.gap !== 'covered')
    return judged.twin === null ? [] : [{ kind: 'token', name, value: judged.twin }]
  if (transfer.amountRaw === 0n) return []
  const vaults = transfer.direction === 'MainToZone' ? listVaults(transfer, judged.by.moves ?? []) : []
  return [
    { kind: 'token', name, value: movedToken(transfer.token) },
    ...vaults.map((value) => ({ kind: 'vault' as const, name, value })),
  ]
}

/** Where the deposit came to rest: who got it and did not pass it on. */
function listVaults(transfer: Transfer, moves: readonly TokenMove[]): string[] {
  const own = moves.filter(({ token }) => token === movedToken(transfer.token))
  const senders = new Set(own.map(({ from }) => from))
  return [...new Set(own.map(({ to }) => to))].filter((to) => !senders.has(to) && to !== '')
}

/** Whether the zone's own word on the amount is the record's; null where there is nothing to compare. */
export function sampleZone(transfer: Transfer): MoneySample | null {
  const { zone, amountRaw, amount, direction } = transfer
  const by = transfer.evidence.find((one) => one.chain === 'zone' && one.hash === zone?.hash)
  if (by?.status !== 'success' || amountRaw === null || by.amountRaw == null || by.amountRaw === 0n)
    return null
  const isEqual = by.amountRaw === amountRaw || (amount !== null && by.amount === amount)
  return { kind: 'zone', name: direction, value: isEqual ? 'equal' : 'other' }
}
