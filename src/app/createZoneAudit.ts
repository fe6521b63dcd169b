import type { Observation } from '../domain/observation.ts'
import { createAuditReads } from '../pollers/auditReads.ts'
import { createZoneAuditPoll } from '../pollers/zoneAudit.ts'
import { readAuditState, saveAuditState } from '../store/audit.ts'
import type { Database } from '../store/database.ts'
import { listHeads } from '../store/heads.ts'
import type { Ledger } from '../store/ledger.ts'
import {
  countAction,
  listActionTypes,
  newestEvidenceId,
  noteZoneBlocks,
  readActions,
} from '../store/zoneAudit.ts'
import type { AuditPartDeps } from './createAudit.ts'

type ZoneAuditPartDeps = Pick<
  AuditPartDeps,
  'clock' | 'db' | 'ledger' | 'explorer' | 'commit' | 'config' | 'tellSince' | 'settleMs' | 'random'
>

/** Of the pace the audit takes this share, and never more than so many requests in one run. */
const zoneShare = 0.1
export const zoneTickMs = 30_000
const maxZoneRequests = 30

/** A sample of the zone's blocks against the ledger. */
export function createZoneAudit(deps: ZoneAuditPartDeps, suspect: (action: Observation) => boolean) {
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
    learnActions: () => learnActions(db, ledger),
    actionsOf: (type) => readActions(db, type),
    countAction: (type, more) => countAction(db, type, more),
    hasWithdrawal: (hash) =>
      ledger.listTransfers({ hash, limit: 20 }).some(({ direction }) => direction === 'ZoneToMain'),
    suspect: (action) => clock.now() >= deps.tellSince && suspect(action),
    noteBlocks: (at, blocks) => noteZoneBlocks(db, at, blocks),
  })
}

const learnedAtOnce = 200
const learnedAtFirst = 2_000

/** What evidence called the zone transactions of transfers that records tell of. */
function learnActions(db: Database, ledger: Ledger): void {
  const state = readAuditState(db, 'actions') as { after: number } | null
  const after = state?.after ?? Math.max(0, newestEvidenceId(db) - learnedAtFirst)
  const found = listActionTypes(db, after, learnedAtOnce)
  for (const { hash, actionType } of found) {
    if (actionType === '') continue
    const listed = ledger.listSharing('zone', hash, 5).filter(({ isListed }) => isListed)
    const directions = new Set(listed.map(({ direction }) => direction))
    if (directions.has('ZoneToMain')) countAction(db, actionType, { withdrawals: 1 })
    if (directions.has('MainToZone')) countAction(db, actionType, { deposits: 1 })
  }
  const last = found.at(-1)
  if (last || state === null) saveAuditState(db, 'actions', { after: last?.id ?? after })
}
