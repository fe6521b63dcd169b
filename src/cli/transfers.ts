import { toTextFilter } from '../web/views/createWebDeps.ts'
import { directions } from '../bridge/observation.ts'
import type { Transfer, TransferState } from '../bridge/transfer.ts'
import { parseDuration } from '../lib/duration.ts'
import { MonitorError } from '../lib/errors.ts'
import { createAlertStore } from '../alerts/store/alertStore.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { TransferFilter } from '../ledger/transferFilter.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import { formatTransferList, formatTransferStory, toTransferCsv, toTransferJson } from './renderTransfers.ts'

export interface ListCommand {
  readonly config: string
  readonly hash?: string
  readonly address?: string
  readonly token?: string
  readonly state?: string
  readonly direction?: string
  readonly olderThan?: string
  readonly limit: string
  readonly json?: boolean
  readonly csv?: boolean
}

/** `spanwatch transfers list`: newest first. */
export function listTransfers(io: Io, search: string | undefined, options: ListCommand): number {
  const { config } = readConfig(io, options.config, { needs: [] })
  const { db, ledger } = openLedger(config)
  try {
    const transfers = ledger.listTransfers(toFilter(io, search, options))
    io.out(render(transfers, options, io.clock.now()))
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
function toFilter(io: Io, search: string | undefined, options: ListCommand): TransferFilter {
  const { hash, address, token, olderThan } = options
  const state = oneOf('--state', options.state, states)
  const direction = oneOf('--direction', options.direction, directions)
  const ageMs = olderThan === undefined ? null : parseDuration(olderThan)
  if (olderThan !== undefined && ageMs === null)
    throw usage(`--older-than: expected a duration such as 30m, got "${olderThan}"`)
  const limit = Number(options.limit)
  if (!Number.isInteger(limit) || limit < 1)
    throw usage(`--limit: expected a whole number from 1, got "${options.limit}"`)
  return {
    ...(search !== undefined && toTextFilter(search)),
    ...(hash !== undefined && { hash }),
    ...(address !== undefined && { address }),
    ...(token !== undefined && { token }),
    ...(state !== null && { state }),
    ...(direction !== null && { direction }),
    ...(ageMs !== null && { originAtOrBefore: io.clock.now() - ageMs }),
    limit,
  }
}

function oneOf<T extends string>(option: string, text: string | undefined, known: readonly T[]): T | null {
  if (text === undefined) return null
  const found = known.find((word) => word === text)
  if (found === undefined) throw usage(`${option}: expected one of ${known.join(', ')}, got "${text}"`)
  return found
}

function usage(message: string): MonitorError {
  return new MonitorError('usage', message)
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
