import type { AlertStore } from '../alerts/store/alertStore.ts'
import { purgeFlow } from '../ledger/flow.ts'
import { purgeLearned } from '../ledger/learned.ts'
import { purgeOpenLessons } from '../ledger/openLessons.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import type { OpenCheck } from './check.ts'
import { purgeCoverage } from './coverage.ts'
import { listHeads } from './heads.ts'
import type { AppConfig } from './settings.ts'

export interface UpkeepDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly db: Database
  readonly ledger: Pick<Ledger, 'purge'>
  readonly alerts: Pick<AlertStore, 'purgeDone' | 'purgeEnded' | 'purgeSilences'>
  readonly config: Pick<AppConfig, 'retention'>
}

/** The retention of sent messages, ended conditions, past silences and open lessons, ms. */
const keptMs = 30 * 86_400_000
/** How much one run forgets of each kind: a step that delays no poll. */
const stepSize = 200
const flowStepSize = 5_000
const dayMs = 86_400_000

/** Forgets what is older than its retention, in small steps, so that the state stays bounded without ever stopping a poll. */
export function createUpkeep(
  deps: UpkeepDeps,
  checks: readonly Pick<OpenCheck, 'prune'>[],
): () => Promise<void> {
  return async () => {
    const now = readSoberTime(deps)
    const transfersSince = now - deps.config.retention.transfersMs
    deps.db.transaction(() => {
      deps.ledger.purge(transfersSince, stepSize)
      purgeFlow(deps.db, now, flowStepSize)
      purgeLearned(deps.db, transfersSince, stepSize)
      purgeOpenLessons(deps.db, now - keptMs)
      purgeCoverage(deps.db, transfersSince, stepSize)
      deps.alerts.purgeDone(now - keptMs)
      deps.alerts.purgeEnded(now - keptMs)
      deps.alerts.purgeSilences(now - keptMs)
      for (const check of checks) check.prune?.(now)
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
