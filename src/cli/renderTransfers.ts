import { describeEvidence, describeProof } from '../meaning/describeEvidence.ts'
import type { Sighting } from '../ledger/sighting.ts'
import type { Leg, Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { toCsvLine } from '../lib/csv.ts'
import { formatDuration } from '../lib/duration.ts'

/** What `--json` prints of a transfer; amounts are decimal strings, times UnixMs. */
export function toTransferJson(transfer: Transfer): Record<string, unknown> {
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

export function toTransferCsv(transfers: readonly Transfer[]): string {
  const header = toCsvLine(csvColumns.map(([name]) => name))
  return (
    header + transfers.map((transfer) => toCsvLine(csvColumns.map(([, read]) => read(transfer)))).join('')
  )
}

/** Two lines a transfer: what it is, and both hashes in full. */
export function formatTransferList(transfers: readonly Transfer[], now: UnixMs): string {
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
  const token =
    transfer.token.symbol ?? `[${transfer.token.name || transfer.token.address || 'unknown token'}]`
  const id = transfer.token.id === '' ? '' : ` #${transfer.token.id}`
  return `${transfer.amount ?? transfer.amountRaw?.toString() ?? 'unknown amount of'} ${token}${id}`
}

/** A transfer's whole story: what holds, on what it rests, what was said of it and when. */
export function formatTransferStory(
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

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`\n  ${title}\n`, ...lines.map((line) => `    ${line}\n`)]
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
