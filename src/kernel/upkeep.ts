import type { Clock, UnixMs } from '../lib/clock.ts'
import type { AlertStore } from '../alerts/store/alertStore.ts'
import { purgeLogs } from '../checks/contracts/logStore.ts'
import { readProgress } from '../checks/contracts/progressStore.ts'
import { purgeCoverage } from './coverage.ts'
import type { Database } from '../store/database.ts'
import { purgeFlows } from '../checks/escrow/flowStore.ts'
import { purgeOwedLegs } from '../checks/escrow/owedStore.ts'
import { purgeFlow } from '../ledger/flow.ts'
import { listHeads } from './heads.ts'
import { purgeLearned } from '../ledger/learned.ts'
import { purgeOpenLessons } from '../ledger/openLessons.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { purgePreconf } from '../checks/preconf/store.ts'
import { purgeUnjudged } from '../checks/escrow/unjudgedStore.ts'
import { purgeZoneAudit } from '../checks/audit/zoneStore.ts'

export interface UpkeepDeps {
  readonly clock: Clock
  readonly db: Database
  readonly ledger: Pick<Ledger, 'purge'>
  readonly alerts: Pick<AlertStore, 'purgeDone' | 'purgeEnded' | 'purgeSilences'>
  readonly retention: { readonly transfersMs: number; readonly preconfMs: number }
  /** What checks forget of their own tables. */
  readonly prune: readonly ((now: UnixMs) => void)[]
  /** The bridge's contracts, whose logs are kept while they are read again. */
  readonly contracts: readonly string[]
}

/** Sent messages and ended conditions are kept so long. */
const keptMs = 30 * 86_400_000
/** Forgotten in one run: a step that no poll notices. */
const stepSize = 200
const logStepSize = 5_000
const keptBlocks = 3_000
const dayMs = 86_400_000
const openMs = dayMs

/** Explained movements and inflows that nobody explained: long enough to compare balances and to be looked at. */
const flowsKeptMs = 7 * 86_400_000

/** Forgets what is older than it is kept, in small steps, so that the state stays bounded without ever stopping a poll. */
export function createUpkeep(deps: UpkeepDeps): () => Promise<void> {
  return async () => {
    const now = readSoberTime(deps)
    deps.db.transaction(() => {
      deps.ledger.purge(now - deps.retention.transfersMs, stepSize)
      purgePreconf(deps.db, now - deps.retention.preconfMs)
      purgeEscrow(deps, now)
      purgeFlow(deps.db, now, logStepSize)
      purgeLearned(deps.db, now - deps.retention.transfersMs, stepSize)
      purgeOpenLessons(deps.db, now - keptMs)
      purgeUnjudged(deps.db, now - dayMs)
      purgeCoverage(deps.db, now - deps.retention.transfersMs, stepSize)
      purgeZoneAudit(deps.db, now - deps.retention.transfersMs)
      deps.alerts.purgeDone(now - keptMs)
      deps.alerts.purgeEnded(now - keptMs)
      deps.alerts.purgeSilences(now - keptMs)
      for (const prune of deps.prune) prune(now)
      for (const contract of deps.contracts) purgeContract(deps.db, contract, now)
    })
  }
}

/**
 * The present, but at most a day after the newest block that was seen: a clock that was set years ahead must not make
 * the ledger forget what it knows.
 */
function readSoberTime({ clock, db }: Pick<UpkeepDeps, 'clock' | 'db'>): UnixMs {
  const blocks = listHeads(db).flatMap(({ blockTime }) => (blockTime === null ? [] : [blockTime]))
  return blocks.length === 0 ? clock.now() : Math.min(clock.now(), Math.max(...blocks) + dayMs)
}

/** Logs of the last quarter of an hour are read again; open ones may still find their transfer for a day. */
function purgeContract(db: Database, contract: string, now: UnixMs): void {
  const { next, lastLogHeight } = readProgress(db, contract)
  if (next === null) return
  const belowHeight = Math.min(next - keptBlocks, lastLogHeight ?? next)
  purgeLogs(db, { contract, belowHeight, openSince: now - openMs, limit: logStepSize })
}

function purgeEscrow({ db, retention }: UpkeepDeps, now: UnixMs): void {
  const [kept, old] = [now - flowsKeptMs, now - retention.transfersMs]
  purgeFlows(db, { explained: kept, inward: kept, outward: old }, stepSize)
  purgeOwedLegs(db, old, stepSize)
}
