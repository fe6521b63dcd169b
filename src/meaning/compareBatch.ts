import type { ActionSettings } from './compareAction.ts'
import { type Decimal, fromBaseUnits, isEqual, sumDecimals } from '../bridge/decimal.ts'
import { isHabit } from './habit.ts'
import { actionOf } from './judgeAction.ts'
import { readBatch } from './judgeBatch.ts'
import { establishedNames, isOfEarlierWords, type MoneySample } from './learnedActions.ts'
import { movedToken, toCanonicalId } from '../bridge/movedToken.ts'
import { newestEvidence } from './proveOrigin.ts'
import { toRawAmount } from '../bridge/tokenFlow.ts'
import { isBatch, type Transfer } from '../bridge/transfer.ts'
import { type ActionItem, readAction, readAddress, readNumber } from './zoneAction.ts'

/** How a batch's items and those of its zone action differ. */
export interface BatchGap {
  readonly what: 'amount' | 'recipient' | 'items'
  /** By recipient or token id. */
  readonly missing: readonly string[]
}

/** `unrelated`: the action says nothing that could be recognised as these items. */
export type BatchComparison = 'equal' | 'unrelated' | BatchGap

/** One thing that a batch pays, as its detail or its main transaction says it. */
interface Part {
  readonly recipient: string | null
  readonly tokenId: string | null
  readonly amount: Decimal
}

/** Which account of a batch its zone action was compared with. */
export type Account = 'detail' | 'moves'

/**
 * Sets what a batch's detail says, and what its main transaction paid, each beside the items of its zone action. Which
 * of the action's words mean what is not documented: they are recognised by most items agreeing. Empty where there is
 * nothing to compare.
 * @param sharing transfers of the same main transaction: what may be paid to one of several is nobody's in particular
 */
export function compareBatch(
  transfer: Transfer,
  sharing: readonly Transfer[],
  { learned }: Pick<ActionSettings, 'learned'>,
): ReadonlyMap<Account, BatchComparison> {
  const by = isBatch(transfer) && transfer.direction === 'ZoneToMain' ? actionOf(transfer) : null
  if (by === null || transfer.status === 'failed' || isOfEarlierWords(transfer, learned)) return new Map()
  const known = {
    amount: establishedNames(learned, transfer, 'amount'),
    recipient: establishedNames(learned, transfer, 'recipient'),
    decimals: transfer.token.decimals,
    token: transfer.token.address,
  }
  const tables = readAction(by.action)
    .map(toTable)
    .filter((table) => table.length > 0)
  if (tables.length === 0) return new Map()
  const accounts = [
    ['detail', partsOfDetail(transfer)],
    ['moves', partsOfMoves(transfer, sharing)],
  ] as const
  return new Map(
    accounts.flatMap(([account, parts]) =>
      parts === null || parts.length === 0
        ? []
        : [[account, choose(tables.map((table) => compareTable(parts, table, known)))] as const],
    ),
  )
}

/** What is to be reported of how a batch and its zone action differ; null for nothing. */
export function judgeBatchAction(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: Pick<ActionSettings, 'learned'>,
): BatchGap | 'unrelated' | null {
  const compared = compareBatch(transfer, sharing, settings)
  const verdicts = [...compared.values()]
  const gap = verdicts.find((one) => typeof one === 'object')
  if (gap) return gap
  if (verdicts.includes('equal')) return null
  return [...compared.keys()].some((account) => namesItems(account, settings)) ? 'unrelated' : null
}

/**
 * What a batch teaches of whether actions of batches name their items: of each account by itself, since one total may
 * be what one recipient was paid, and says nothing of the detail's items.
 */
export function sampleBatch(compared: ReadonlyMap<Account, BatchComparison>): MoneySample[] {
  const verdicts = [...compared]
  return verdicts.flatMap(([account, verdict]): MoneySample[] =>
    typeof verdict === 'object' || verdicts.some(([, one]) => typeof one === 'object')
      ? []
      : [{ kind: 'action', name: itemsName(account), value: verdict }],
  )
}

/** Whether the actions of this bridge's batches name what an account does: then one that names others is reported. */
export function namesItems(account: Account, { learned }: Pick<ActionSettings, 'learned'>): boolean {
  const seen = learned.actionsOf(itemsName(account))
  return isHabit(seen.get('equal') ?? 0, seen.get('unrelated') ?? 0, learned.needed)
}

const itemsName = (account: Account) => `ZoneToMain batch items ${account}`

function partsOfDetail(transfer: Transfer): Part[] | null {
  const reading = readBatch(transfer)
  return reading?.kind === 'items' ? [...reading.items] : null
}

/** What came to rest with each recipient, where it is just what the record claims. */
function partsOfMoves(transfer: Transfer, sharing: readonly Transfer[]): Part[] | null {
  const { main, amountRaw, token } = transfer
  if (main === null || amountRaw === null) return null
  const by = newestEvidence(transfer.evidence.filter((one) => one.chain === 'main' && one.hash === main.hash))
  if (by?.status !== 'success' || by.moves === null) return null
  const own = by.moves.filter((move) => move.token === movedToken(token))
  const senders = new Set(own.map(({ from }) => from))
  const all = own.filter(({ to }) => !senders.has(to))
  const known = all.flatMap((move) => {
    const raw = toRawAmount(move, token.decimals)
    return raw === null ? [] : [{ ...move, raw }]
  })
  const arrived = known.length < all.length ? null : withoutOthers(known, transfer, sharing)
  if (arrived?.reduce((sum, { raw }) => sum + raw, 0n) !== amountRaw) return null
  const isById = arrived.every(({ tokenId }) => tokenId !== '')
  return arrived.map(({ to, tokenId, raw }) => ({
    recipient: to,
    tokenId: isById ? toCanonicalId(tokenId) : null,
    amount: fromBaseUnits(raw, 0),
  }))
}

/** What is left once each other payout of the transaction took the movement that is just its own; null where one has none. */
function withoutOthers<M extends { readonly to: string; readonly tokenId: string; readonly raw: bigint }>(
  moves: readonly M[],
  transfer: Transfer,
  sharing: readonly Transfer[],
): M[] | null {
  const left = [...moves]
  for (const other of sharing) {
    const { amountRaw, direction, key, status, targetAddress, token } = other
    const isPaid = key !== transfer.key && direction === 'ZoneToMain' && status !== 'failed'
    if (!isPaid || movedToken(token) !== movedToken(transfer.token)) continue
    const isOwn = ({ to, tokenId, raw }: M) =>
      to === targetAddress &&
      raw === amountRaw &&
      (token.id === '' || toCanonicalId(tokenId) === toCanonicalId(token.id))
    const at = isBatch(other) ? -1 : left.findIndex(isOwn)
    if (at < 0) return null
    left.splice(at, 1)
  }
  return left
}

/** What stands under one name in every row. */
interface Column {
  readonly name: string
  readonly values: readonly string[]
}

const maxAlike = 8

function toTable(items: readonly ActionItem[]): Column[] {
  const [first] = items
  return [...(first?.entries() ?? [])].flatMap(([name, values]): Column[] => {
    const isEven = items.every((item) => item.get(name)?.length === values.length)
    if (!isEven || values.length > maxAlike) return []
    return values.map((_, at) => ({ name, values: items.map((item) => item.get(name)?.[at] ?? '') }))
  })
}

interface Known {
  readonly amount: ReadonlySet<string>
  readonly recipient: ReadonlySet<string>
  readonly decimals: number | null
  /** The record's. */
  readonly token: string
}

function compareTable(parts: readonly Part[], table: readonly Column[], known: Known): BatchComparison {
  const amounts = table.filter(({ values }) => values.every((value) => readNumber(value) !== null))
  const verdicts = listKeys(parts, table, known).flatMap((keys) =>
    amounts
      .filter((amount) => amount !== keys.column)
      .map((amount) => compareKeyed(parts, keys, amount, known)),
  )
  return choose(verdicts)
}

/** One reading that agrees is enough; where none does, one that is recognised. */
function choose(verdicts: readonly BatchComparison[]): BatchComparison {
  if (verdicts.includes('equal')) return 'equal'
  return verdicts.find((one) => typeof one === 'object') ?? 'unrelated'
}

/** What names the rows of a table and the parts alike: the recipient, where rows name any, else the token id. */
interface Keys {
  readonly what: 'recipient' | 'id'
  readonly column: Column
  readonly rows: readonly string[]
  readonly parts: readonly string[]
  /** Whether its name says what it is. */
  readonly isNamed: boolean
}

function listKeys(parts: readonly Part[], table: readonly Column[], known: Known): Keys[] {
  const recipients = parts.flatMap(({ recipient }) => recipient ?? [])
  const ids = parts.flatMap(({ tokenId }) => tokenId ?? [])
  const payees = table.flatMap((column): Keys[] => {
    const { name, values } = column
    const rows = values.flatMap((value) => readAddress(value) ?? [])
    const isNamed = known.recipient.has(name) || payeeName.test(name)
    return rows.length === values.length && rows.some((row) => row !== known.token)
      ? [{ what: 'recipient', column, rows, parts: recipients, isNamed }]
      : []
  })
  const numbers = table.map((column): Keys => {
    const rows = column.values.map(toCanonicalId)
    return { what: 'id', column, rows, parts: ids, isNamed: idName.test(column.name) }
  })
  // Rows that name nobody, of what is paid to one, go by their ids.
  if (recipients.length === parts.length && (payees.length > 0 || new Set(recipients).size > 1)) return payees
  return ids.length === parts.length ? numbers : []
}

const payeeName = /recipient|receiver|target|beneficiar|^to$|toaddress|payee|dest/
const idName = /(token|nft|item)id/

function compareKeyed(parts: readonly Part[], keys: Keys, column: Column, known: Known): BatchComparison {
  const said = sumBy(
    keys.rows,
    column.values.map((value) => readNumber(value) ?? { digits: 0n, scale: 0 }),
  )
  const wanted = sumBy(
    keys.parts,
    parts.map(({ amount }) => amount),
  )
  const isSame = (a: Decimal | undefined, b: Decimal | undefined) =>
    a !== undefined && b !== undefined && isSameAmount(a, b, known.decimals)
  const common = [...wanted.keys()].filter((key) => said.has(key))
  const differing = common.filter((key) => !isSame(said.get(key), wanted.get(key)))
  const strange = [...new Set([...said.keys(), ...wanted.keys()])].filter((key) => !common.includes(key))
  const agreeing = common.length - differing.length
  if (strange.length === 0 && differing.length === 0) return 'equal'
  // The words mean what they seem to only when most of them agree, or are known.
  const isShuffled = wanted.size > 1 && isSameList([...said.values()], [...wanted.values()], isSame)
  const isAmount =
    known.amount.has(column.name) || isShuffled || (agreeing > 0 && agreeing >= differing.length)
  if (strange.length === 0) return isAmount ? { what: 'amount', missing: differing } : 'unrelated'
  if (agreeing > 0 && differing.length === 0 && agreeing >= said.size / 2)
    return { what: 'items', missing: strange }
  return isShuffled && (keys.isNamed || agreeing > 0)
    ? { what: keys.what === 'recipient' ? 'recipient' : 'items', missing: strange }
    : 'unrelated'
}

function sumBy(keys: readonly string[], amounts: readonly Decimal[]): Map<string, Decimal> {
  const groups = Map.groupBy(amounts.entries(), ([at]) => keys[at] ?? '')
  return new Map([...groups].map(([key, of]) => [key, sumDecimals(of.map(([, amount]) => amount))]))
}

/** One may count in base units and the other in token units. */
function isSameAmount(a: Decimal, b: Decimal, decimals: number | null): boolean {
  if (isEqual(a, b)) return true
  if (decimals === null) return false
  const scaled = ({ digits, scale }: Decimal): Decimal => ({
    digits: digits * 10n ** BigInt(decimals),
    scale,
  })
  return isEqual(scaled(a), b) || isEqual(a, scaled(b))
}

/** The same in whatever order. */
function isSameList(
  a: readonly Decimal[],
  b: readonly Decimal[],
  isSame: (one: Decimal, other: Decimal) => boolean,
): boolean {
  const left = [...b]
  return (
    a.length === b.length &&
    a.every((one) => {
      const at = left.findIndex((other) => isSame(one, other))
      if (at !== -1) left.splice(at, 1)
      return at !== -1
    })
  )
}
