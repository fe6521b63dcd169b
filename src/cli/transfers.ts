import { createAlertStore } from '../alerts/store/alertStore.ts'
import { directions } from '../bridge/observation.ts'
import type { Leg, Transfer, TransferState } from '../bridge/transfer.ts'
import type { Config } from '../config/config.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Sighting } from '../ledger/sighting.ts'
import type { TransferFilter } from '../ledger/transferFilter.ts'
import type { UnixMs } from '../lib/clock.ts'
import { toCsvLine } from '../lib/csv.ts'
import { formatDuration, parseDuration } from '../lib/duration.ts'
import { MonitorError } from '../lib/errors.ts'
import { inBrackets } from '../lib/text.ts'
import { describeEvidence, describeProof } from '../meaning/describeEvidence.ts'
import { toTextFilter } from '../web/views/createWebDeps.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import {
  checkFormat,
  readAmount,
  readLimit,
  readPast,
  readToken,
  readWord,
  shown,
  usage,
} from './readOptions.ts'
import { section } from './section.ts'

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
    const transfers = ledger.listTransfers(filter)
    io.out(render(transfers, options, now))
    return exitCodes.fine
  } finally {
    db.close()
  }
}

function render(transfers: readonly Transfer[], { json, csv }: ListCommand, now: number): string {
  if (json) return `${JSON.stringify(transfers.map(toTransferJson), null, 2)}\n`
  return csv ? toTransferCsv(transfers) : formatTransferList(transfers, now)
}

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
    limit: readLimit(options.limit),
  }
}

export interface ShowCommand {
  readonly config: string
  readonly json?: boolean
}

/** `spanwatch transfers show`: the whole story of one transfer, or of all that share a transaction. */
export function showTransfers(io: Io, name: string, options: ShowCommand): number {
  const { config } = readConfig(io, options.config, { needs: [] })
  const { db, ledger } = openLedger(config)
  try {
    const transfers = findAll(ledger, name)
    if (transfers.length === 0)
      throw new MonitorError('not_found', `The ledger holds no transfer named ${name}.`)
    const alerts = createAlertStore(db)
    const stories = transfers.map((transfer) => ({
      transfer,
      sightings: ledger.listSightings(transfer.key),
      alerts: alerts.listAlertsOfTransfer(transfer.key),
    }))
    io.out(
      options.json
        ? `${JSON.stringify(stories.map(toStoryJson), (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value), 2)}\n`
        : stories
            .map((story) =>
              formatTransferStory(
                story.transfer,
                story.sightings,
                story.alerts.map(
                  (alert) =>
                    `${new Date(alert.firedAt ?? alert.activeAt).toISOString()}  ${alert.severity} ${alert.rule} (${alert.kind}): ${alert.state}`,
                ),
              ),
            )
            .join('\n'),
    )
    return exitCodes.fine
  } finally {
    db.close()
  }
}

function toStoryJson(story: {
  transfer: Transfer
  sightings: readonly unknown[]
  alerts: readonly { rule: string; kind: string; state: string; severity: string }[]
}) {
  const alerts = story.alerts.map(({ rule, kind, state, severity }) => ({ rule, kind, state, severity }))
  return { ...toTransferJson(story.transfer), observations: story.sightings, alerts }
}

function findAll(ledger: Ledger, name: string): Transfer[] {
  const direct = ledger.getTransfer(name)
  return direct ? [direct] : ledger.listTransfers({ hash: name, limit: 1_000 })
}

/** What `--json` prints of a transfer; amounts are decimal strings, times UnixMs. */
function toTransferJson(transfer: Transfer): Record<string, unknown> {
  const { main, zone, token, amountRaw, evidence, ...rest } = transfer
  return {
    ...rest,
    evidence: evidence.map((one) => ({
      ...one,
      amountRaw: one.amountRaw?.toString() ?? null,
      moves: one.moves?.map((move) => ({ ...move, amountRaw: move.amountRaw?.toString() ?? null })) ?? null,
    })),
    amountRaw: amountRaw?.toString() ?? null,
    token,
    mainTxHash: main?.hash ?? null,
    zoneTxHash: zone?.hash ?? null,
    main,
    zone,
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

function formatAmount(transfer: Transfer): string {
  const token = transfer.token.symbol ?? inBrackets(transfer.token.name || transfer.token.address)
  const id = transfer.token.id === '' ? '' : ` #${transfer.token.id}`
  return `${transfer.amount ?? transfer.amountRaw?.toString() ?? 'unknown amount of'} ${token}${id}`
}

/** A transfer's whole story: what holds, on what it rests, what was said of it and when. */
function formatTransferStory(
  transfer: Transfer,
  sightings: readonly Sighting[],
  alerts: readonly string[],
): string {
  const lines: [string, string | null][] = [
    [
      'state',
      `${transfer.state}${transfer.ambiguous > 0 ? ` (${transfer.ambiguous} record(s) fit this and an equal transfer)` : ''}`,
    ],
    [
      'amount',
      `${formatAmount(transfer)}${transfer.amountRaw === null ? '' : ` (${transfer.amountRaw} base units)`}`,
    ],
    ['token', transfer.token.address],
    ['direction', `${transfer.direction}, ${transfer.crossType}`],
    ['id', transfer.id],
    ['main', formatLegInFull(transfer.main)],
    ['zone', formatLegInFull(transfer.zone)],
    ['source', transfer.sourceAddress],
    ['target', transfer.targetAddress],
    ['origin', `${time(transfer.originAt)}, ${describeProof(transfer)}`],
    ['first seen', time(transfer.firstSeenAt)],
    ['last read', time(transfer.readAt)],
    ['batch', transfer.batchDetail],
  ]
  return [
    `${transfer.key}\n`,
    ...lines.flatMap(([label, value]) => (value ? [`  ${label.padEnd(11)}${value}\n`] : [])),
    ...section('observations', sightings.map(formatSighting)),
    ...section('evidence', listEvidence(transfer)),
    ...section(
      'rewrites',
      transfer.rewrites.map(
        (r) =>
          `${time(r.at)}  ${Object.keys(r.after)
            .map((field) => `${field}: ${r.before[field]} -> ${r.after[field] || '(empty)'}`)
            .join(', ')}`,
      ),
    ),
    ...section('alerts', alerts),
  ].join('')
}

/** Each answer, and of each leg that nobody was asked of that it is unverified. */
function listEvidence(transfer: Transfer): string[] {
  const open = [transfer.main, transfer.zone].flatMap((leg) =>
    leg === null || transfer.evidence.some((one) => one.chain === leg.chain && one.hash === leg.hash)
      ? []
      : [`unverified  ${leg.chain} leg: no second answer was asked for yet`],
  )
  return [
    ...transfer.evidence.map((one) => {
      const more = describeEvidence(one, transfer)
      const what = one.source === 'E3' ? 'record' : 'leg'
      return `${time(one.at)}  ${one.source}: ${one.chain} ${what} ${one.status}${more === '' ? '' : `, ${more}`}`
    }),
    ...open,
  ]
}

function formatSighting(sighting: Sighting): string {
  const until = sighting.lastAt > sighting.firstAt ? ` until ${time(sighting.lastAt)}` : ''
  const legs = `main ${sighting.mainHash ?? '-'} zone ${sighting.zoneHash ?? '-'}`
  return `${time(sighting.firstAt)}${until}  ${sighting.source}: status ${sighting.status}, ${legs}`
}

function formatLeg(leg: Leg | null): string {
  return leg?.hash ?? '-'
}

function formatLegInFull(leg: Leg | null): string {
  if (leg === null) return 'no leg seen'
  const height = leg.height === null ? '' : ` block ${leg.height}`
  return `${leg.hash}${height}${leg.time === null ? '' : ` at ${time(leg.time)}`}`
}

function time(at: UnixMs): string {
  return new Date(at).toISOString()
}
