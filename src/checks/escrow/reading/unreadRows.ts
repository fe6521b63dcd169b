import { formatDecimal, fromBaseUnits } from '../../../bridge/decimal.ts'
import { canonicalToken } from '../../../bridge/movedToken.ts'
import type { TokenMove } from '../../../bridge/transfer.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { isObject } from '../../../lib/isObject.ts'
import type { MainReads } from '../../../kernel/reads/mainReads.ts'
import type { FlowRow } from '../../../kernel/reads/flowReads.ts'
import { lackingRows, type UnreadRow } from '../../../kernel/reads/readRange.ts'
import type { MovesOf } from '../../../kernel/reads/readMoves.ts'
import type { FlowReader } from './flowReader.ts'
import type { FlowStream } from '../watched/places.ts'
import { isWatched } from './tokens.ts'
import { decimalsOf } from '../watched/watch.ts'

/** So many transactions are asked about in one reading, the newest first. */
const maxAsked = 10
/** A row of which nobody says what it moved holds up the list for so long: by then it is told, and it is read again. */
const heldMs = 900_000
const maxKept = 2_000

type FlowsRead = Awaited<ReturnType<MainReads['flows']>>

interface StreamRead {
  readonly stream: FlowStream
  readonly read: FlowsRead
}

/**
 * What a row moved that cannot be read its transaction says, asked for alone. While nobody says it the list is not whole:
 * but for rows of tokens that are not the bridge's, whose values anybody may have made.
 */
export async function fillUnread(
  reader: FlowReader,
  { stream, read }: StreamRead,
  signal: AbortSignal,
): Promise<FlowsRead> {
  const unread = new Map(read.unread.map((row) => [row.raw, toPlace(row)]))
  const open = [...unread].filter(([, place]) => mayHaveMoved(reader, stream, place))
  if (open.length === 0) return read
  const what = stream.kind === 'native' ? 'calls' : 'tokens'
  const hashes = new Set(open.flatMap(([, { hash }]) => hash ?? []))
  await askOf(reader, { hashes: [...hashes], what }, signal)
  const filled = new Map<string, readonly FlowRow[]>()
  let isHeld = false
  for (const [raw, place] of open) {
    const rows = toRows(reader, stream, place)
    if (rows === null) isHeld = holds(reader, raw) || isHeld
    else filled.set(place.hash ?? '', rows)
  }
  const kept = read.rows.filter(({ hash, isCall }) => !filled.has(hash) || (what === 'calls' && !isCall))
  return {
    ...read,
    rows: [...kept, ...[...filled.values()].flat()],
    ...(isHeld && { isWhole: false, problem: lackingRows }),
  }
}

/** What of a row can be read all the same. */
interface Place {
  readonly hash: string | null
  readonly height: number | null
  readonly time: UnixMs | null
  /** Null where it is not known. */
  readonly token: string | null
  readonly state: unknown
  /** By its list it is the transaction itself, or a token of it: not a call. */
  readonly isOuter: boolean
}

function toPlace({ endpoint, raw }: UnreadRow): Place {
  const row = parse(raw)
  const number = (name: string) => (/^\d{1,15}$/.test(String(row[name])) ? Number(row[name]) : null)
  const hash = String(row['txId'] ?? row['txid']).toLowerCase()
  const token = row['tokenContractAddress']
  const isToken = typeof token === 'string' && /^0x[0-9a-f]{40}$/i.test(token)
  return {
    hash: /^0x[0-9a-f]{64}$/.test(hash) ? hash : null,
    height: number('height'),
    time: number('transactionTime'),
    token: isToken ? canonicalToken(token) : null,
    state: row['state'],
    isOuter: endpoint === 'E6',
  }
}

function parse(raw: string): Readonly<Record<string, unknown>> {
  try {
    const row: unknown = JSON.parse(raw)
    return isObject(row) ? row : {}
  } catch {
    // It was cut.
    return {}
  }
}

function mayHaveMoved({ watch }: FlowReader, { place, kind }: FlowStream, { token, state }: Place): boolean {
  if (state === 'fail' || state === 'pending') return false
  return kind === 'native' || token === null || isWatched(watch, place, token)
}

async function askOf(
  { main, unread: { moves } }: FlowReader,
  { hashes, what }: { readonly hashes: readonly string[]; readonly what: MovesOf },
  signal: AbortSignal,
): Promise<void> {
  const open = hashes.filter((hash) => !moves.has(nameOf(hash, what)))
  for (const hash of open.slice(0, maxAsked)) {
    const found = await main.moves(hash, what, { priority: 'evidence', signal, attempts: 2 })
    if (found !== null) moves.set(nameOf(hash, what), found)
  }
  forgetOldest(moves)
}

const nameOf = (hash: string, what: MovesOf) => `${hash} ${what}`

/** What its transaction moved at the place; null where nobody says it. */
function toRows({ unread, watch }: FlowReader, { place, kind, token: only }: FlowStream, of: Place) {
  const { hash, height, time, isOuter } = of
  const isNative = kind === 'native'
  // A transaction's own value is not among its calls.
  if (hash === null || height === null || (isNative && isOuter)) return null
  const moves = unread.moves.get(nameOf(hash, isNative ? 'calls' : 'tokens'))
  const own = moves?.filter(
    ({ from, to, token }) =>
      [from, to].includes(place.address) &&
      (only === undefined || token === only) &&
      isWatched(watch, place, token),
  )
  const rows = own?.map((move): FlowRow | null => {
    const amount = toUnits(watch, move)
    if (amount === null) return null
    const { from, to, token, tokenId } = move
    return { hash, height, time, from, to, token, tokenId, amount, ...(isNative && { isCall: true }) }
  })
  return rows?.every((row) => row !== null) ? rows : null
}

function toUnits(
  watch: FlowReader['watch'],
  { amount, amountRaw, token, tokenId }: TokenMove,
): string | null {
  const decimals = tokenId === '' ? decimalsOf(watch, token) : (decimalsOf(watch, token) ?? 0)
  if (amount !== null || amountRaw === null || decimals === null) return amount
  return formatDecimal(fromBaseUnits(amountRaw, decimals))
}

/** Whether a row that nobody says the movements of holds up the list still. */
function holds({ clock, unread: { since } }: FlowReader, raw: string): boolean {
  const now = clock.monotonicMs()
  const first = since.get(raw) ?? now
  since.set(raw, first)
  forgetOldest(since)
  return now - first < heldMs
}

function forgetOldest(map: Map<string, unknown>): void {
  for (const key of [...map.keys()].slice(0, Math.max(0, map.size - maxKept))) map.delete(key)
}
