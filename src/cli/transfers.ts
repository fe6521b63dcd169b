import { directions } from '../bridge/observation.ts'
import type { Leg, Transfer, TransferState } from '../bridge/transfer.ts'
import type { Config } from '../config/config.ts'
import type { TransferFilter } from '../ledger/transfers/transferFilter.ts'
import type { UnixMs } from '../lib/clock.ts'
import { toCsvLine } from '../lib/csv.ts'
import { formatDuration, parseDuration } from '../lib/duration.ts'
import { groupDigits } from '../lib/groupDigits.ts'
import { shortHash } from '../lib/shortHash.ts'
import { toTextFilter } from '../web/views/pageLists.ts'
import { type Column, formatTable } from './formatTable.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import {
  checkFormat,
  readAmount,
  cutTo,
  readLimit,
  readPast,
  readToken,
  readWord,
  shown,
  usage,
} from './readOptions.ts'
import { formatAmount, nameAmount, nameToken, toTransferJson } from './transferWords.ts'
import { type Screen, styleOf } from './screen.ts'

export interface ListCommand {
  readonly config: string
  readonly hash?: string
  readonly address?: string
  readonly token?: string
  readonly state?: string
  readonly direction?: string
  readonly olderThan?: string
  readonly since?: string
  readonly until?: string
  readonly minAmount?: string
  readonly limit: string
  readonly json?: boolean
  readonly csv?: boolean
}

const csvColumns: readonly (readonly [string, (transfer: Transfer) => string | number | null])[] = [
  ['key', (t) => t.key],
  ['id', (t) => t.id],
  ['direction', (t) => t.direction],
  ['crossType', (t) => t.crossType],
  ['state', (t) => t.state],
  ['amount', (t) => t.amount],
  ['amountRaw', (t) => t.amountRaw?.toString() ?? null],
  ['tokenSymbol', (t) => t.token.symbol],
  ['tokenName', (t) => t.token.name],
  ['tokenAddress', (t) => t.token.address],
  ['tokenId', (t) => t.token.id],
  ['mainTxHash', (t) => t.main?.hash ?? null],
  ['zoneTxHash', (t) => t.zone?.hash ?? null],
  ['source', (t) => t.sourceAddress],
  ['target', (t) => t.targetAddress],
  ['originAt', (t) => new Date(t.originAt).toISOString()],
  ['destinationAt', (t) => (t.destinationAt === null ? null : new Date(t.destinationAt).toISOString())],
]

/** `spanwatch transfers list`: newest first. */
export function listTransfers(io: Io, search: string | undefined, options: ListCommand): number {
  const { config } = readConfig(io, options.config, { needs: [] })
  const now = io.clock.now()
  const filter = toFilter(search, options, { config, now })
  const { db, ledger } = openLedger(config)
  try {
    const limit = readLimit(options.limit)
    const { rows, rest } = cutTo(limit, ledger.listTransfers({ ...filter, limit: limit + 1 }))
    io.out(render(rows, options, { now, screen: io.screen }))
    io.err(rest)
    return exitCodes.fine
  } finally {
    db.close()
  }
}

interface Shown {
  readonly now: UnixMs
  readonly screen: Screen | null
}

function render(transfers: readonly Transfer[], { json, csv }: ListCommand, { now, screen }: Shown): string {
  if (json) return `${JSON.stringify(transfers.map(toTransferJson), null, 2)}\n`
  if (csv) return toTransferCsv(transfers)
  return screen === null || transfers.length === 0
    ? formatTransferList(transfers, now)
    : formatTable(screen, listColumns(now), transfers)
}

const listColumns = (now: UnixMs): readonly Column<Transfer>[] => [
  { name: 'KEY', read: (t) => t.key },
  { name: 'STATE', read: (t) => t.state, style: (t) => styleOf(t.state) },
  { name: 'AMOUNT', read: (t) => groupDigits(nameAmount(t)), isNumber: true },
  { name: 'TOKEN', read: nameToken, least: 8 },
  { name: 'DIRECTION', read: (t) => t.direction },
  { name: 'LEFT', read: (t) => `${formatDuration(Math.max(0, now - t.originAt))} ago` },
  { name: 'MAIN', read: (t) => shortHash(formatLeg(t.main)) },
  { name: 'ZONE', read: (t) => shortHash(formatLeg(t.zone)) },
]

const states: readonly TransferState[] = ['pending', 'completed', 'failed', 'unbacked']

function toFilter(
  search: string | undefined,
  options: ListCommand,
  { config, now }: { readonly config: Config; readonly now: UnixMs },
): TransferFilter {
  checkFormat(options)
  const { hash, address, olderThan } = options
  const state = readWord('--state', options.state, states)
  const direction = readWord('--direction', options.direction, directions)
  const tokens = readToken(options.token, config.bridge.tokens)
  const minAmount = readAmount('--min-amount', options.minAmount)
  const { since, until } = readPast(options, now)
  const ageMs = olderThan === undefined ? null : parseDuration(olderThan)
  if (olderThan !== undefined && ageMs === null)
    throw usage(`--older-than: expected a duration such as 30m, got ${shown(olderThan)}`)
  const before = [until, ageMs === null ? null : now - ageMs].filter((at) => at !== null)
  return {
    ...(search !== undefined && toTextFilter(search)),
    ...(hash !== undefined && { hash }),
    ...(address !== undefined && { address }),
    ...(tokens !== null && { tokens }),
    ...(state !== null && { state }),
    ...(direction !== null && { direction }),
    ...(since !== null && { originAtOrAfter: since }),
    ...(before.length > 0 && { originAtOrBefore: Math.min(...before) }),
    ...(minAmount !== null && { minAmount }),
  }
}

function toTransferCsv(transfers: readonly Transfer[]): string {
  const header = toCsvLine(csvColumns.map(([name]) => name))
  return (
    header + transfers.map((transfer) => toCsvLine(csvColumns.map(([, read]) => read(transfer)))).join('')
  )
}

/** Two lines a transfer: what it is, and both hashes in full. */
function formatTransferList(transfers: readonly Transfer[], now: UnixMs): string {
  if (transfers.length === 0) return 'No transfer in the ledger matches.\n'
  return transfers
    .map((transfer) => {
      const age = formatDuration(Math.max(0, now - transfer.originAt))
      const what = `${transfer.state.padEnd(9)} ${formatAmount(transfer)}  ${transfer.direction}`
      return `${transfer.key.padEnd(8)} ${what}  ${age} ago\n         main ${formatLeg(transfer.main)}  zone ${formatLeg(transfer.zone)}\n`
    })
    .join('')
}

function formatLeg(leg: Leg | null): string {
  return leg?.hash ?? '-'
}
