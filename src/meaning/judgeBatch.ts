import { type BatchReading, readBatchDetail } from './batchDetail.ts'
import type { BatchItem } from './batchItem.ts'
import type { MoneyGap } from './coverMoney.ts'
import { boundsOf, type MoneySettings } from './moneyBounds.ts'
import { formatUnits } from '../bridge/amount.ts'
import { type Decimal, formatDecimal, isEqual, sumDecimals } from '../bridge/decimal.ts'
import { movedToken, toCanonicalId } from '../bridge/movedToken.ts'
import { expectedSums } from './paidSums.ts'
import { moneyEvidence } from './moneyEvidence.ts'
import { toRawAmount } from '../bridge/tokenFlow.ts'
import { isBatch, type LegEvidence, type TokenMove, type Transfer } from '../bridge/transfer.ts'

type Fees = Pick<MoneySettings, 'fees' | 'keptOf'>

export interface BatchProblem {
  readonly kind: 'sum' | 'unpaid'
  readonly itemSum: string
  readonly recordSum: string
  /** Token ids whose items the main leg did not move in full; '' is the token without ids. */
  readonly missing: readonly string[]
  readonly evidence: LegEvidence | null
}

/** What a batch's detail says; null for what is no batch, or whose detail was not given. */
export function readBatch(transfer: Transfer): Exclude<BatchReading, { kind: 'none' }> | null {
  const { batchDetail } = transfer
  if (batchDetail === null) return null
  const reading = readBatchDetail(batchDetail, expectedSums(transfer))
  // What an empty detail leaves open the main transaction may show: see emptyBatch.ts.
  if (reading.kind === 'none') return null
  // Another kind of transfer promises no detail: what cannot be read there is not a batch that cannot be read.
  return reading.kind === 'unresolved' && !isBatch(transfer) ? null : reading
}

/**
 * Whether a batch contradicts itself: its items do not add up to the record, or its main transaction did not move them.
 * Items of another token than the record's are not counted against its amount.
 * @param sharing transfers of the same zone transaction: a batch may be shown as one row an item, each with all of the detail
 */
export function judgeBatch(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: Fees,
): BatchProblem | null {
  const reading = readBatch(transfer)
  if (reading?.kind !== 'items') return null
  const items = reading.items.filter(
    ({ token }) => token === null || !isAddress(token) || token === transfer.token.address,
  )
  if (items.length === 0) return null
  const itemSum = sumDecimals(items.map(({ amount }) => amount))
  const sums = {
    itemSum: formatDecimal(itemSum),
    recordSum: (transfer.amountRaw ?? transfer.amount ?? '').toString(),
  }
  if (!addsUp(transfer, items, itemSum, sharing)) return { kind: 'sum', ...sums, missing: [], evidence: null }
  for (const evidence of moneyEvidence(transfer)) {
    if (evidence.status !== 'success' || evidence.moves === null) continue
    const missing = listMissing(transfer, items, evidence.moves, settings)
    // Where a receipt cannot be read, the explorer's answer says what moved.
    if (missing !== null) return missing.length > 0 ? { kind: 'unpaid', ...sums, missing, evidence } : null
  }
  return null
}

/**
 * Whether each of the many that a batch names got what it says of him, and no more: the record names one of them at most. Null
 * where it does not say who gets what, or one of them did not get it.
 * @param others of the same main transaction
 */
export function judgeApart(
  transfer: Transfer,
  others: readonly Transfer[],
  moves: readonly TokenMove[],
  settings: Fees,
): 'covered' | MoneyGap | null {
  const reading = readBatch(transfer)
  if (reading?.kind !== 'items') return null
  const { items, total } = reading
  const payees = new Set(items.map(({ recipient }) => recipient))
  const isWhole = expectedSums(transfer).some((sum) => isEqual(sum, total))
  if (payees.has(null) || payees.size < 2 || !isWhole) return null
  if ((listMissing(transfer, items, moves, settings) ?? []).length > 0) return null
  const { decimals } = transfer.token
  const own = moves.filter(({ to, token }) => payees.has(to) && token === movedToken(transfer.token))
  const got = own.map((move) => ({ to: move.to, raw: toRawAmount(move, decimals) ?? 0n }))
  if (![...payees].some((payee) => isPaidMore(transfer, payee ?? '', items, { got, others })))
    return 'covered'
  const sum = addUp(got.map(({ raw }) => raw))
  return { what: 'amount', found: decimals === null ? sum.toString() : formatUnits(sum, decimals) }
}

/** Beside movements that are just his items, or what others claim for him, what he gets is no matter: as of a single payout. */
function isPaidMore(
  transfer: Transfer,
  payee: string,
  items: readonly BatchItem[],
  {
    got,
    others,
  }: {
    readonly got: readonly { readonly to: string; readonly raw: bigint }[]
    readonly others: readonly Transfer[]
  },
): boolean {
  const left = got.filter(({ to }) => to === payee).map(({ raw }) => raw)
  const wanted = items
    .filter(({ recipient }) => recipient === payee)
    .map(({ amount }) => toBase(transfer, amount) ?? 0n)
  const beside = others.filter(
    (one) => one.key !== transfer.key && movedToken(one.token) === movedToken(transfer.token),
  )
  // What a second batch names for whom is compared by itself.
  if (beside.some(isBatch)) return false
  const claimed = beside.filter(({ targetAddress }) => targetAddress === payee)
  const most = addUp(wanted) + addUp(claimed.map(({ amountRaw }) => amountRaw ?? 0n))
  if (addUp(left) <= most || left.includes(addUp(wanted))) return false
  return !wanted.every((raw) => {
    const at = left.indexOf(raw)
    if (at !== -1) left.splice(at, 1)
    return at !== -1
  })
}

function addUp(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}

function isAddress(token: string): boolean {
  return /^0x[0-9a-f]{40}$/.test(token)
}

function addsUp(
  transfer: Transfer,
  items: readonly BatchItem[],
  itemSum: Decimal,
  sharing: readonly Transfer[],
): boolean {
  const sums = expectedSums(transfer)
  if (sums.length === 0 || sums.some((sum) => isEqual(sum, itemSum))) return true
  const rows = sharing.filter((one) => one.key !== transfer.key && one.batchDetail === transfer.batchDetail)
  const isRowOfItem = items.some(
    (item) =>
      sums.some((sum) => isEqual(sum, item.amount)) &&
      (transfer.token.id === '' ||
        item.tokenId === null ||
        item.tokenId === toCanonicalId(transfer.token.id)),
  )
  return isRowOfItem && items.length > 1 && (rows.length > 0 || transfer.token.id !== '')
}

/**
 * By token id where source and detail name them: items that were not paid, to whom they name, or all to the record's
 * recipient; where they name nobody, to whoever got most. Null where an amount is not known.
 */
function listMissing(
  transfer: Transfer,
  items: readonly BatchItem[],
  moves: readonly TokenMove[],
  settings: Fees,
): string[] | null {
  const own = moves.filter((move) => move.token === movedToken(transfer.token))
  const amounts = own.map((move) => toRawAmount(move, transfer.token.decimals))
  if (amounts.includes(null)) return null
  const namesIds = own.some((move) => move.tokenId !== '') && items.every(({ tokenId }) => tokenId !== null)
  const idOf = (id: string | null) => (namesIds && id !== null ? toCanonicalId(id) : '')
  const { less: fee } = boundsOf(transfer, settings)
  // What a router passes on would count twice: each recipient counts alone.
  const paidTo = (id: string, isPayee: (to: string) => boolean) => {
    const sums = new Map<string, bigint>()
    for (const [at, { tokenId, to }] of own.entries())
      if (idOf(tokenId) === id && isPayee(to)) sums.set(to, (sums.get(to) ?? 0n) + (amounts[at] ?? 0n))
    return [...sums.values()].reduce((best, sum) => (sum > best ? sum : best), 0n)
  }
  const lackOf = (id: string, group: readonly BatchItem[], isPayee: (to: string) => boolean) => {
    const wanted = toBase(transfer, sumDecimals(group.map(({ amount }) => amount))) ?? 0n
    const paid = paidTo(id, isPayee)
    return wanted > paid ? wanted - paid : 0n
  }
  const lacks = [...Map.groupBy(items, (item) => idOf(item.tokenId))].map(([id, group]) => {
    const payees = [...Map.groupBy(group, ({ recipient }) => recipient ?? '')]
    const isNamed = payees.every(([payee]) => payee !== '')
    const whole = lackOf(id, group, (to) => !isNamed || to === transfer.targetAddress)
    const apart = payees.reduce((sum, [payee, of]) => sum + lackOf(id, of, (to) => to === payee), 0n)
    return { id, lack: isNamed && apart < whole ? apart : whole }
  })
  // The fee is kept of all of it once.
  const isWithinFee = lacks.reduce((sum, { lack }) => sum + lack, 0n) <= fee
  return isWithinFee ? [] : lacks.flatMap(({ id, lack }) => (lack > 0n ? [id] : []))
}

/** Items in base units; those that add up only in token units are in token units. */
function toBase(transfer: Transfer, sum: Decimal): bigint | null {
  const reading = readBatch(transfer)
  const { decimals } = transfer.token
  if (reading?.kind !== 'items') return null
  const isBase =
    transfer.amountRaw !== null && isEqual(reading.total, { digits: transfer.amountRaw, scale: 0 })
  if (isBase || decimals === 0) return sum.scale === 0 ? sum.digits : null
  const isUnits = expectedSums(transfer).some((expected) => isEqual(expected, reading.total))
  if (!isUnits) return sum.scale === 0 ? sum.digits : null
  return decimals === null || sum.scale > decimals ? null : sum.digits * 10n ** BigInt(decimals - sum.scale)
}
