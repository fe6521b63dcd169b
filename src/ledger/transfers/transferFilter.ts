import { compareDecimals, type Decimal, toDecimal } from '../../bridge/decimal.ts'
import { completeHash, indexedBytes, indexOfHash, textOfHash, toHashCell } from '../../store/hash.ts'
import { isName, nameTextOf } from '../../store/names.ts'
import { countedAmount } from '../lessons/counted.ts'
import { listBearing } from './named.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Direction } from '../../bridge/observation.ts'
import type { Transfer, TransferState } from '../../bridge/transfer.ts'
import type { Database } from '../../store/database.ts'
import { instant, int, table } from '../../store/table.ts'
import type { TokenSetting } from '../lessons/tokenBook.ts'
import { isParty } from '../sightings/parties.ts'
import { isOpenRow, parseKey, selectTransfers, type StoredTransfer } from './transferRows.ts'

export interface TransferFilter {
  readonly state?: TransferState
  readonly direction?: Direction
  readonly token?: string
  /** Any of these; '' is the native currency. */
  readonly tokens?: readonly string[]
  /** Source or target address. */
  readonly address?: string
  /** Source address. */
  readonly sender?: string
  /** A hash of either chain, an id or a ledger key. */
  readonly hash?: string
  /** The ends of a hash or an address of either chain. */
  readonly ends?: HashEnds
  readonly originAtOrBefore?: UnixMs
  readonly originAtOrAfter?: UnixMs
  /** At least so much, in units of the transfer's token. What nobody knows of may be as much. */
  readonly minAmount?: Decimal
  readonly limit?: number
}

/** A place in a list: newest origin first, of equal origins the newest key. */
export interface Place {
  readonly originAt: UnixMs
  readonly key: number
}

const places = table('transfers', { originAt: instant, key: int })

type Condition = readonly [sql: string, values: readonly (string | number | Uint8Array)[]]

const noLimit = -1

/** Read at once where what fits shows only in the transfer itself. */
const sliceSize = 500

/** Rows that are looked at for one page: who waits for it must not hold up all others. */
const rowsAtOnce = 20_000

const newest: Place = { originAt: Number.MAX_SAFE_INTEGER, key: Number.MAX_SAFE_INTEGER }
const oldest: Place = { originAt: -Number.MAX_SAFE_INTEGER, key: 0 }

/** What a short form such as `0x1234…abcd` says of a hash, in lower case. */
export interface HashEnds {
  readonly from: string
  readonly to: string
}

/** @example readHashEnds('0x12AB…cd34') // { from: '0x12ab', to: 'cd34' } */
export function readHashEnds(text: string): HashEnds | null {
  const [, from, to] =
    /^(?:(?:main|zone) )?(0x[0-9a-f]{2,62})(?:…|\.{2,3})([0-9a-f]{2,62})$/.exec(text.toLowerCase()) ?? []
  return from === undefined || to === undefined ? null : { from, to }
}

interface Reading {
  readonly tokens: readonly TokenSetting[]
  readonly read: (rows: readonly StoredTransfer[]) => Transfer[]
}

/** The transfers that fit every condition given, newest first, however many have to be looked at. */
export function listMatching(db: Database, filter: TransferFilter, reading: Reading): Transfer[] {
  const { minAmount, limit = 50 } = filter
  const found: Transfer[] = []
  for (let after: Place | null = newest; after !== null && found.length < limit; ) {
    const wanted = minAmount === undefined ? limit - found.length : sliceSize
    const page = readPage(db, filter, reading.tokens, { after, limit: wanted, most: rowsAtOnce })
    const transfers = reading.read(page.rows)
    found.push(
      ...(minAmount === undefined ? transfers : transfers.filter(({ amount }) => isLarge(amount, minAmount))),
    )
    after = page.next
  }
  return found.slice(0, limit)
}

/**
 * A page of them behind a place, and where the next one goes on; null on the last one. One that has to look at too many
 * shows fewer than the limit, or none.
 */
export function pageMatching(
  db: Database,
  filter: Omit<TransferFilter, 'minAmount'> & { readonly limit: number; readonly after: Place | null },
  reading: Reading,
  most = rowsAtOnce,
): { readonly transfers: Transfer[]; readonly next: Place | null } {
  const { after, limit } = filter
  const { rows, next } = readPage(db, filter, reading.tokens, { after: after ?? newest, limit, most })
  return { transfers: reading.read(rows), next }
}

function readPage(
  db: Database,
  filter: TransferFilter,
  tokens: readonly TokenSetting[],
  { after, limit, most }: { readonly after: Place; readonly limit: number; readonly most: number },
): { readonly rows: StoredTransfer[]; readonly next: Place | null } {
  const scopes = toScopes(db, filter)
  const conditions = toConditions(filter, tokens)
  const ends = conditions.length === 0 ? [] : scopes.flatMap((scope) => findEnd(db, scope, after, most) ?? [])
  const [end = oldest] = ends.toSorted(byPlace)
  const within: Condition = [
    '(origin_at, key) < (?, ?) AND (origin_at, key) >= (?, ?)',
    [after.originAt, after.key, end.originAt, end.key],
  ]
  const found = scopes.flatMap((scope) => select(db, [scope, within, ...conditions], limit + 1))
  const rows = [...new Map(found.map((row) => [row.key, { row, ...placeOf(row) }])).values()].sort(byPlace)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const isCut = rows.length > limit && last !== undefined
  const next = isCut ? { originAt: last.originAt, key: last.key } : ends.length > 0 ? end : null
  return { rows: shown.map(({ row }) => row), next }
}

function placeOf({ kept }: StoredTransfer): Place {
  return places.read(kept ?? {})
}

function byPlace(a: Place, b: Place): number {
  return b.originAt - a.originAt || b.key - a.key
}

/** Where to stop: so many rows of the index behind a place; null when they are fewer. */
function findEnd(
  db: Database,
  [scope, values]: Condition,
  { originAt, key }: Place,
  most: number,
): Place | null {
  const sql = `SELECT origin_at, key FROM transfers WHERE ${scope} AND (origin_at, key) < (?, ?)
    ORDER BY origin_at DESC, key DESC LIMIT 1 OFFSET ?`
  return places.get(db, sql, ...values, originAt, key, most - 1)
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
    `NOT EXISTS (SELECT 1 FROM json_each(?) one WHERE one.key = ${nameTextOf('token')}
      AND (length(${raw}), ${raw}) < (length(one.value), one.value))`,
    [JSON.stringify(Object.fromEntries(least))],
  ]
}

function isLarge(text: string | null, least: Decimal): boolean {
  const amount = text === null ? null : toDecimal(text)
  return amount === null || compareDecimals(amount, least) >= 0
}

function select(db: Database, conditions: readonly Condition[], limit: number): StoredTransfer[] {
  const where = conditions.map(([sql]) => sql).join(' AND ')
  const values = conditions.flatMap(([, given]) => given)
  return selectTransfers(db, `WHERE ${where} ORDER BY origin_at DESC, key DESC LIMIT ?`, ...values, limit)
}

/** Keys of what has a hash or an address with these ends. Each way is asked for by itself, so that each goes by its index. */
function listEnding(db: Database, ends: HashEnds): number[] {
  // Hex digits alone: nothing of it is a sign of the pattern's.
  const { from } = ends
  const pattern = `${from}*${ends.to}`
  const ways = [
    ...['zone_hash', 'main_hash'].flatMap((column) => endsOf(column, ends, pattern)),
    ...addressEnds(ends, pattern),
  ].map(([sql, values]): Condition => [`SELECT key FROM transfers WHERE ${sql}`, values])
  const [replaced, given] = textEndsOf('hash', from, pattern)
  const sql = [...ways.map(([way]) => way), `SELECT key FROM other_hashes WHERE ${replaced}`].join(' UNION ')
  return int.all(db, sql, ...ways.flatMap(([, values]) => values), ...given)
}

/** A hash with these ends, as bytes and, in rows of before, as text: what the index keeps of both ends finds the candidates. */
function endsOf(column: string, { from, to }: HashEnds, pattern: string): Condition[] {
  const index = indexOfHash(column)
  const digits = 2 * indexedBytes
  const bound = (start: string, fill: string) =>
    Buffer.from(start.slice(0, digits).padEnd(2 * digits, fill), 'hex')
  const asText = (text: string) => Buffer.from(text).toString('hex')
  // That it is not null has to be said: the index has no others.
  const sql = `${column} IS NOT NULL AND ${index} BETWEEN ? AND ? AND lower(hex(${index})) GLOB ? AND ${textOfHash(column)} GLOB ?`
  return [
    { start: from.slice(2), end: to.slice(-digits) },
    { start: asText(from.slice(0, indexedBytes)), end: asText(to.slice(-indexedBytes)) },
  ].map(({ start, end }) => [sql, [bound(start, '0'), bound(start, 'f'), `*${end}`, pattern]])
}

/** The same of addresses. Who sends to himself is found as the recipient. */
function addressEnds({ from }: HashEnds, pattern: string): Condition[] {
  const digits = 40
  const bound = (fill: string) => Buffer.from(from.slice(2, 2 + digits).padEnd(digits, fill), 'hex')
  return ['source_address', 'target_address'].flatMap((column) => {
    const [old, values] = textEndsOf(column, from, pattern)
    const sql = `${column} BETWEEN ? AND ? AND ${textOfHash(column)} GLOB ?`
    const isOfIndex = column === 'source_address' ? " AND source_address <> x''" : ''
    return [
      [sql + isOfIndex, [bound('0'), bound('f'), pattern]],
      [old + isOfIndex, values],
    ] satisfies Condition[]
  })
}

/** The same of a column of text. No hex digit comes behind g. */
function textEndsOf(column: string, from: string, pattern: string): Condition {
  return [`${column} BETWEEN ? AND ? AND ${column} GLOB ?`, [from, `${from}g`, pattern]]
}

/** What an index answers of a filter, in the order of the list; what fits more than one is found twice. */
function toScopes(db: Database, filter: TransferFilter): Condition[] {
  const { hash, ends, address, sender, state } = filter
  const times = toTimes(filter)
  const isOpen = state !== undefined && state !== 'completed'
  const open = `${isOpenRow} AND state = ?`
  const scope = (sql: string, ...values: Condition[1]): Condition => [
    [sql, ...times.map(([time]) => time)].join(' AND '),
    [...values, ...times.flatMap(([, given]) => given)],
  ]
  const keyed = (keys: readonly number[]) =>
    scope('key IN (SELECT value FROM json_each(?))', JSON.stringify(keys))
  const key = hash === undefined ? null : parseKey(hash)
  if (key !== null)
    return [scope('(key = ? OR key IN (SELECT transfer_key FROM aliases WHERE key = ?))', key, key)]
  if (hash !== undefined) {
    const name = hash.toLowerCase()
    return [keyed(listBearing(db, completeHash(name), name, noLimit))]
  }
  if (ends) return [keyed(listEnding(db, ends))]
  // A sender that nobody names is not everybody.
  const party = sender ?? (address || undefined)
  if (party !== undefined) {
    const text = party.toLowerCase()
    const forms = [...new Set([text, toHashCell(text)])]
    const received = `target_address = ?${sender === undefined ? '' : " AND source_address = x''"}`
    const sent = "source_address = ? AND source_address <> x''"
    // Of an address with a million transfers few are open: these are found among what is open.
    return forms.flatMap((form) =>
      isOpen
        ? [
            scope(`${open} AND +${sent}`, state, form),
            scope(
              `key IN (SELECT key FROM transfers INDEXED BY transfers_open_to WHERE ${open} AND ${received})`,
              state,
              form,
            ),
          ]
        : [scope(sent, form), scope(received, form)],
    )
  }
  if (isOpen) return [scope(open, state)]
  return [scope('1')]
}

function toTimes({ originAtOrBefore, originAtOrAfter }: TransferFilter): Condition[] {
  return [
    ...(originAtOrBefore === undefined ? [] : [['origin_at <= ?', [originAtOrBefore]] as const]),
    ...(originAtOrAfter === undefined ? [] : [['origin_at >= ?', [originAtOrAfter]] as const]),
  ]
}

/** What is looked for row by row. The pluses keep indexes of other orders away. */
function toConditions(filter: TransferFilter, tokens: readonly TokenSetting[]): Condition[] {
  const { hash, ends, address, sender, state, direction, token, minAmount } = filter
  const isNamed = hash !== undefined || ends !== undefined
  const isOfIndex = state !== 'completed' && !isNamed && !address && sender === undefined
  return [
    ...(state && !isOfIndex ? [['+state = ?', [state]] as const] : []),
    ...(address && isNamed
      ? [[isParty('?'), Array.from({ length: 4 }, () => address.toLowerCase())] as const]
      : []),
    ...(direction ? [['direction = ?', [direction]] as const] : []),
    ...(token ? [[isName('token', '?'), [token.toLowerCase(), token.toLowerCase()]] as const] : []),
    ...(filter.tokens
      ? [
          [
            `${nameTextOf('token')} IN (SELECT value FROM json_each(?))`,
            [JSON.stringify(filter.tokens.map((one) => one.toLowerCase()))],
          ] as const,
        ]
      : []),
    ...(minAmount === undefined ? [] : [notSmall(tokens, minAmount)]),
  ]
}
