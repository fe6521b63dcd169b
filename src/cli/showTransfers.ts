import { createAlertStore } from '../alerts/store/alertStore.ts'
import { type GaveBack, listGivenBackOf } from '../breaks/givenBack.ts'
import type { Leg, Transfer } from '../bridge/transfer.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Sighting } from '../ledger/sightings/sighting.ts'
import type { UnixMs } from '../lib/clock.ts'
import { groupDigits } from '../lib/groupDigits.ts'
import { MonitorError } from '../lib/errors.ts'
import { toJson } from '../lib/toJson.ts'
import { describeEvidence, describeProof } from '../meaning/describeEvidence.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import { section } from './section.ts'
import { formatAmount, toTransferJson } from './transferWords.ts'

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
      givenBack: listGivenBackOf(db, transfer),
    }))
    io.out(
      options.json
        ? `${toJson(stories.map(toStoryJson), 2)}\n`
        : stories
            .map((story) =>
              formatTransferStory(
                story.transfer,
                story.sightings,
                story.alerts.map(
                  (alert) =>
                    `${new Date(alert.firedAt ?? alert.activeAt).toISOString()}  ${alert.severity} ${alert.rule} (${alert.kind}): ${alert.state}`,
                ),
                story.givenBack.map(
                  ({ at, hash, amount }) => `${time(at)}  ${groupDigits(amount)} in main ${hash}`,
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
  givenBack: readonly GaveBack[]
}) {
  const alerts = story.alerts.map(({ rule, kind, state, severity }) => ({ rule, kind, state, severity }))
  return {
    ...toTransferJson(story.transfer),
    observations: story.sightings,
    givenBack: story.givenBack,
    alerts,
  }
}

function findAll(ledger: Ledger, name: string): Transfer[] {
  const direct = ledger.getTransfer(name)
  return direct ? [direct] : ledger.listTransfers({ hash: name, limit: 1_000 })
}

/** A transfer's whole story: what holds, on what it rests, what was said of it and when. */
function formatTransferStory(
  transfer: Transfer,
  sightings: readonly Sighting[],
  alerts: readonly string[],
  givenBack: readonly string[],
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
    ...section('given back', givenBack),
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

function formatLegInFull(leg: Leg | null): string {
  if (leg === null) return 'no leg seen'
  const height = leg.height === null ? '' : ` block ${leg.height}`
  return `${leg.hash}${height}${leg.time === null ? '' : ` at ${time(leg.time)}`}`
}

function time(at: UnixMs): string {
  return new Date(at).toISOString()
}
