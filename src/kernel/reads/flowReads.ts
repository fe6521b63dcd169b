import type { MainState } from '../../clients/explorer/fields.ts'
import { addressInternals, carriesValue } from '../../clients/explorer/endpoints/internalTransactions.ts'
import { addressTransactions } from '../../clients/explorer/endpoints/mainTransactions.ts'
import { canonicalToken } from '../../bridge/movedToken.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { ReadOptions } from './reads.ts'
import {
  type Blocks,
  type MainSource,
  type RangeOptions,
  type RangeRead,
  type UnreadRow,
  readRange,
  wholeUnless,
} from './readRange.ts'

export interface FlowsRead extends RangeRead<FlowRow> {
  readonly unread: readonly UnreadRow[]
  /** Ended because movements of tokens that do not count are too many. */
  readonly isCrowded: boolean
}

/** Which movements at an address: `native` are those of the chain's own currency, at the top and inside. */
type TokenKind = 'token_20' | 'token_721' | 'token_1155'

export type FlowKind = TokenKind | 'native'

/** A token at an address; '' is the native currency. */
export interface HeldToken {
  readonly address: string
  readonly kind: TokenKind
  readonly token: string
}

/** The two lists of native currency: of transactions themselves, and of calls within them. */
export type NativeList = 'outer' | 'calls'

export interface FlowOptions extends RangeOptions {
  /** From where each list of native currency is read, where that is before the range: one may lag behind the other. */
  readonly nativeFrom?: Readonly<Record<NativeList, number>>
  /** Given, a list of tokens is not read on that shows many movements of others than these. */
  counts?(token: string): boolean
  /** Takes the rows of each page of tokens as it comes: a long list is read for minutes. */
  onPage?(rows: readonly FlowRow[]): Promise<void>
}

/** How many movements of tokens that do not count are taken along. */
export const maxOthers = 100

export async function readTokenFlows(
  source: MainSource,
  of: { readonly address: string; readonly kind: TokenKind; readonly token?: string | undefined },
  blocks: Blocks,
  options: FlowOptions,
): Promise<FlowsRead> {
  const { address, kind, token } = of
  const params = {
    address,
    protocolType: kind,
    ...(token !== undefined && { tokenContractAddress: token }),
  }
  let others = 0
  const isCrowded = () => others > maxOthers
  const isEnough = async (records: readonly TokenRow[]) => {
    others += records.filter((row) => options.counts?.(canonicalToken(row.token)) === false).length
    await options.onPage?.(toTokenFlows(records, kind))
    return isCrowded()
  }
  const found = await readRange(source, addressTransactions, { ...options, params, blocks, isEnough })
  return {
    ...found,
    isCrowded: isCrowded(),
    ...wholeUnless(isUnclear(found.rows), found),
    rows: toTokenFlows(found.rows, kind),
  }
}

type TokenRow = MovingRow & { readonly token: string }

function toTokenFlows(rows: readonly TokenRow[], kind: TokenKind): FlowRow[] {
  return rows
    .filter(isDone)
    .map((row) => (kind === 'token_721' && !hasValue(row) ? { ...row, amount: '1' } : row))
    .flatMap((row) => toFlowRow(row, canonicalToken(row.token)))
}

/** At the top and inside: what is known to be there may be in either of the two lists. */
export async function readNativeFlows(
  source: MainSource,
  address: string,
  blocks: Blocks,
  options: FlowOptions,
): Promise<FlowsRead> {
  const how = { ...options, isKnown: false }
  const since = (from = blocks.from) => ({ ...blocks, from: Math.min(blocks.from, from) })
  const outer = await readRange(source, addressTransactions, {
    ...how,
    blocks: since(options.nativeFrom?.outer),
    params: { address, protocolType: 'transaction' },
  })
  const inner = await readRange(source, addressInternals, {
    ...how,
    blocks: since(options.nativeFrom?.calls),
    params: { address },
  })
  const calls = inner.rows.filter(carriesValue)
  const isVague = isUnclear([...outer.rows, ...calls])
  return {
    requestedAt: outer.requestedAt,
    ...wholeUnless(isVague, {
      isWhole: outer.isWhole && inner.isWhole,
      problem: [outer.problem, inner.problem].filter((text) => text !== '').join(', '),
    }),
    bad: [...outer.bad, ...inner.bad],
    unread: [...outer.unread, ...inner.unread],
    isCrowded: false,
    rows: [
      // A transaction has one row here: what comes again is the same.
      ...new Map(outer.rows.flatMap((row) => toSent(row, address)).map((row) => [row.hash, row])).values(),
      ...calls.filter(isDone).map((row) => ({ ...row, isCall: true as const })),
    ].flatMap((row) => toFlowRow(row, '')),
  }
}

export async function hasCome(
  { explorer }: MainSource,
  { address, kind, token }: HeldToken,
  upTo: number,
  { priority, signal }: ReadOptions,
): Promise<boolean> {
  const how = { priority, signal, isProbe: true }
  const params = { address, endBlockHeight: upTo, isFromOrTo: 'to' as const, page: 1, limit: 20 }
  const isIn = (row: MovingRow) => row.to === address && (row.height ?? upTo) <= upTo && isDone(row)
  const asked = { ...params, protocolType: kind, tokenContractAddress: token }
  const { endpoint, misfits, records } = await explorer.call(addressTransactions, asked, how)
  if (records.some((row) => isIn(row) && canonicalToken(row.token) === token)) return true
  if (misfits.length === 0) return false
  // A service that does not know a filter gives others in its place: that denies nothing.
  throw new MonitorError('source.mismatched', `${endpoint}: ${misfits[0]}`)
}

/** A transaction costs who sends it its fee, though it may fail: that moves nothing else. A contract sends none. */
function toSent<R extends MovingRow & SentRow>(row: R, address: string): (R & { readonly fee?: string })[] {
  const { from, isFromContract, state, txFee } = row
  const isOwn = from === address && isFromContract !== true
  if (!isOwn || txFee === null) return isDone(row) ? [row] : []
  if (isDone(row)) return [{ ...row, fee: txFee }]
  return state === 'fail' ? [{ ...row, amount: '0', fee: txFee }] : []
}

interface SentRow {
  readonly isFromContract: boolean | null
  readonly txFee: string | null
}

interface MovingRow {
  readonly hash: string
  readonly height: number | null
  readonly time: UnixMs | null
  readonly from: string
  readonly to: string
  readonly amount: string | null
  readonly state: MainState
  readonly tokenId?: string
  readonly isCall?: true
  readonly fee?: string
}

/** A failed transaction moves nothing, and a pending one has not moved it yet. */
function isDone({ state }: MovingRow): boolean {
  return state === 'success'
}

/** Whether rows that say too little may have moved something: then not all that moved is known. */
function isUnclear(rows: readonly MovingRow[]): boolean {
  return rows.some(({ state, height }) => state === 'unknown' || height === null)
}

/** One of a kind may be listed without an amount. */
function hasValue({ amount }: MovingRow): boolean {
  return amount !== null && !/^0*(\.0*)?$/.test(amount)
}

function toFlowRow(row: MovingRow, token: string): FlowRow[] {
  const { hash, height, time, from, to, amount, tokenId = '', isCall, fee } = row
  if (amount === null) return []
  const more = { ...(isCall && { isCall }), ...(fee !== undefined && { fee }) }
  return [{ hash, height, time, from, to, token, amount, tokenId, ...more }]
}

/** One movement of a token, or of the native currency, as a list of the main chain shows it. */
export interface FlowRow {
  readonly hash: string
  readonly height: number | null
  readonly time: UnixMs | null
  readonly from: string
  readonly to: string
  /** Lower-case contract address; '' for the native currency. */
  readonly token: string
  /** Token units. */
  readonly amount: string
  readonly tokenId: string
  /** It is of a call within the transaction: by what it says alone it could be the transaction itself. */
  readonly isCall?: true
  /** What the transaction cost the address that was asked about, which sent it: units of the native currency. */
  readonly fee?: string
}
