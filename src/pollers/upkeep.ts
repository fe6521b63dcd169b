import type { Clock } from '../lib/clock.ts'
import type { AlertStore } from '../store/alertStore.ts'
import type { Database } from '../store/database.ts'
import type { Ledger } from '../store/ledger.ts'

export interface UpkeepDeps {
  readonly clock: Clock
  readonly db: Database
  readonly ledger: Pick<Ledger, 'purge'>
  readonly alerts: Pick<AlertStore, 'purgeDone' | 'purgeEnded'>
  readonly retentionMs: number
}

/** Sent messages and ended conditions are kept so long. */
const keptMs = 30 * 86_400_000
/** Forgotten in one run: a step that no poll notices. */
const stepSize = 200

/** Forgets what is older than it is kept, in small steps, so that the state stays bounded without ever stopping a poll. */
export function createUpkeep(deps: UpkeepDeps): () => Promise<void> {
  return async () => {
    const now = deps.clock.now()
    deps.db.transaction(() => {
      deps.ledger.purge(now - deps.retentionMs, stepSize)
      deps.alerts.purgeDone(now - keptMs)
      deps.alerts.purgeEnded(now - keptMs)
    })
  }
}
