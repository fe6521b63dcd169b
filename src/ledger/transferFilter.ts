import { compareDecimals, type Decimal, toDecimal } from '../bridge/decimal.ts'
import { indexedBytes, indexOfHash, textOfHash } from '../store/hash.ts'
import { countedAmount } from './counted.ts'
import { listBearing } from './named.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Direction } from '../bridge/observation.ts'
import type { Transfer, TransferState } from '../bridge/transfer.ts'
import type { Database } from '../store/database.ts'
import { instant, table } from '../store/table.ts'
import type { TokenSetting } from './tokenBook.ts'
import { isParty, senderText } from './parties.ts'
import { parseKey, selectTransfers, type StoredTransfer } from './transferRows.ts'

export interface TransferFilter {
  readonly state?: TransferState
  readonly direction?: Direction
  readonly token?: string
  /** Any of these; '' is the native currency. */
  readonly tokens?: readonly string[]
  /** Source or target address. */
  readonly address?: string
  /** A hash of either chain, an id or a ledger key. */
  readonly hash?: string
  /** The ends of a hash or an address of either chain. */
  readonly ends?: HashEnds
  readonly originAtOrBefore?: UnixMs
  readonly originAtOrAfter?: UnixMs
  /** At least so much, in units of the transfer's token. What nobody knows of may be as much. */
  readonly minAmount?: Decimal
  readonly limit?: number
  readonly offset?: number
}

const placed = table('transfers', { originAt: instant })

type Condition = readonly [sql: string, values: readonly (string | number | Uint8Array)[]]

const noLimit = -1

/** Read at once where what fits shows only in the transfer itself. */
const sliceSize = 500

/** What a short form such as `0x1234…abcd` says of a hash, in lower case. */
export interface HashEnds {
  readonly from: string
  readonly to: string
}

/** @example readHashEnds('0x12AB…cd34') // { from: '0x12ab', to: 'cd34' } */
export function readHashEnds(text: string): HashEnds | null {
  const [, from, to] = /^(0x[0-9a-f]{2,62})(?:…|\.{2,3})([0-9a-f]{2,62})$/.exec(text.toLowerCase()) ?? []
  return from === undefined || to === undefined ? null : { from, to }
}

/** The transfers that fit every condition given, newest first. */
export function listMatching(
  db: Database,
  filter: TransferFilter,
  {
    tokens,
    read,
  }: {
    readonly tokens: readonly TokenSetting[]
    readonly read: (rows: readonly StoredTransfer[]) => Transfer[]
  },
): Transfer[] {
  const { minAmount, limit = 50, offset = 0 } = filter
  const conditions = toConditions(db, filter)
  if (minAmount !== undefined) conditions.push(notSmall(tokens, minAmount))
  if (minAmount === undefined) return read(select(db, conditions, { limit, offset }))
  const found: Transfer[] = []
  for (let after: Condition[] = []; found.length < offset + limit; ) {
    const slice = select(db, [...conditions, ...after], { limit: sliceSize, offset: 0 })
    const last = slice.at(-1)
    found.push(...read(slice).filter(({ amount }) => isLarge(amount, minAmount)))
    if (last === undefined || slice.length < sliceSize) break
    after = [['(origin_at, key) < (?, ?)', [placed.read(last.kept ?? {}).originAt, last.key]]]
  }
  return found.slice(offset, offset + limit)
}

/**
 * Leaves out what is less of a listed token, so that a large ledger is not derived transfer by transfer: what is counted
 * of a transfer (`flow`) has its base units.
 */
function notSmall(tokens: readonly TokenSetting[], { digits, scale }: Decimal): Condition {
  const least = tokens.map(({ address, decimals }) => {
    const exact = digits * 10n ** BigInt(decimals)
    const divisor = 10n ** BigInt(scale)
    return [address.toLowerCase(), String((exact + divisor - 1n) / divisor)] as const
  })
  const raw = countedAmount
  return [
    `NOT EXISTS (SELECT 1 FROM json_each(?) one WHERE one.key = token
      AND (length(${raw}), ${raw}) < (length(one.value), one.value))`,
    [JSON.stringify(Object.fromEntries(least))],
  ]
}

function isLarge(text: string | null, least: Decimal): boolean {
  const amount = text === null ? null : toDecimal(text)
  return amount === null || compareDecimals(amount, least) >= 0
}

function select(
  db: Database,
  conditions: readonly Condition[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): StoredTransfer[] {
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`
  const values = conditions.flatMap(([, given]) => given)
  const sql = `${where} ORDER BY origin_at DESC, key DESC LIMIT ? OFFSET ?`
  return selectTransfers(db, sql, ...values, limit, offset)
}

/** A hash whose text fits a pattern; what it begins with finds the candidates, as bytes or, in rows of before, as text. */
function endsOf(column: string, from: string, pattern: string): Condition {
  const index = indexOfHash(column)
  const digits = 2 * indexedBytes
  const bound = (start: string, fill: string) =>
    Buffer.from(start.slice(0, digits).padEnd(2 * digits, fill), 'hex')
  const asText = Buffer.from(from.slice(0, indexedBytes)).toString('hex')
  const bounds = [from.slice(2), asText].flatMap((start) => [bound(start, '0'), bound(start, 'f')])
  return [
    `((${index} BETWEEN ? AND ? OR ${index} BETWEEN ? AND ?) AND ${textOfHash(column)} GLOB ?)`,
    [...bounds, pattern],
  ]
}

function toConditions(db: Database, filter: TransferFilter): Condition[] {
  const conditions: Condition[] = []
  const key = filter.hash === undefined ? null : parseKey(filter.hash)
  if (filter.hash !== undefined) {
    const hash = filter.hash.toLowerCase()
    conditions.push(
      key === null
        ? ['key IN (SELECT value FROM json_each(?))', [JSON.stringify(listBearing(db, hash, hash, noLimit))]]
        : ['(key = ? OR key IN (SELECT transfer_key FROM aliases WHERE key = ?))', [key, key]],
    )
  }
  if (filter.ends) {
    // Hex digits alone: nothing of it is a sign of the pattern's.
    const pattern = `${filter.ends.from}*${filter.ends.to}`
    const [zone, main] = ['zone_hash', 'main_hash'].map((column) =>
      endsOf(column, filter.ends?.from ?? '', pattern),
    )
    conditions.push([
      `(${zone?.[0]} OR ${main?.[0]} OR key IN (SELECT key FROM other_hashes WHERE hash GLOB ?) OR ${senderText} GLOB ? OR ${textOfHash('target_address')} GLOB ?)`,
      [...(zone?.[1] ?? []), ...(main?.[1] ?? []), pattern, pattern, pattern],
    ])
  }
  if (filter.state) conditions.push(['state = ?', [filter.state]])
  if (filter.direction) conditions.push(['direction = ?', [filter.direction]])
  if (filter.token) conditions.push(['token = ?', [filter.token.toLowerCase()]])
  if (filter.tokens)
    conditions.push([
      'token IN (SELECT value FROM json_each(?))',
      [JSON.stringify(filter.tokens.map((token) => token.toLowerCase()))],
    ])
  if (filter.address) {
    const address = filter.address.toLowerCase()
    conditions.push([isParty('?'), [address, address, address, address]])
  }
  if (filter.originAtOrBefore !== undefined) conditions.push(['origin_at <= ?', [filter.originAtOrBefore]])
  if (filter.originAtOrAfter !== undefined) conditions.push(['origin_at >= ?', [filter.originAtOrAfter]])
  return conditions
}
