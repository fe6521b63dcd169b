import { listGivenBackOf } from '../../breaks/givenBack.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { AppParts } from '../../monitor/createMonitor.ts'
import type { TransferStory } from '../types.ts'
import { toAlertStory } from './toAlertStory.ts'

export function toStory(
  parts: AppParts,
  views: Parameters<typeof toAlertStory>[0],
  transfer: Transfer,
  now: UnixMs,
): TransferStory {
  return {
    transfer,
    standing: parts.stages.standingOf(transfer, now),
    observations: parts.ledger
      .listSightings(transfer.key)
      .map(({ firstAt, ...sighting }) => ({ ...sighting, requestedAt: firstAt })),
    alerts: parts.alerts
      .listAlertsOfTransfer(transfer.key)
      .map((row) => toAlertStory(views, row, parts.config.explorer.links.tx)),
    givenBack: listGivenBackOf(parts.db, transfer),
  }
}
