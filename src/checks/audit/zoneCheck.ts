import { countTaught } from '../../ledger/withdrawActions.ts'
import type { Observation } from '../../bridge/observation.ts'
import { createAuditReads } from './reads.ts'
import { createZoneAuditPoll } from './pollZone.ts'
import { listHeads } from '../../kernel/heads.ts'
import { noteZoneBlocks } from './zoneStore.ts'
import { countAction } from '../../ledger/zoneActions.ts'
import { readActions } from '../../ledger/zoneActions.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** Of the pace the audit takes this share, and never more than so many requests in one run. */
const zoneShare = 0.1
export const zoneTickMs = 30_000
const maxZoneRequests = 30

/** A sample of the zone's blocks against the ledger. */
export function createZoneAudit(deps: Kernel, suspect: (action: Observation) => boolean) {
  const { clock, db, ledger } = deps
  const { maxRequestsPerSecond } = deps.config.explorer.pace
  const requests = Math.floor(zoneShare * maxRequestsPerSecond * (zoneTickMs / 1_000))
  return createZoneAuditPoll({
    clock,
    commit: deps.commit,
    reads: createAuditReads(deps),
    requests: Math.min(Math.max(requests, 4), maxZoneRequests),
    settleMs: deps.settleMs,
    zoneReadAt: () => listHeads(db).find(({ chain }) => chain === 'zone')?.blockTime ?? null,
    random: deps.random,
    actionsOf: (type) => ({ ...readActions(db, type), ...countTaught(deps.learned, type) }),
    countAction: (type, more) => countAction(db, type, more),
    hasWithdrawal: (hash) =>
      ledger.listTransfers({ hash, limit: 20 }).some(({ direction }) => direction === 'ZoneToMain'),
    suspect: (action) => clock.now() >= deps.tellSince && suspect(action),
    noteBlocks: (at, blocks) => noteZoneBlocks(db, at, blocks),
  })
}
