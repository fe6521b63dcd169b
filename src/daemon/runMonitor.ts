import type { UnixMs } from '../lib/clock.ts'
import { errorText } from '../lib/errors.ts'
import { restoreNewest } from '../store/backups.ts'
import { brokenRemedy, DamagedLedger } from '../store/damage.ts'
import type { AppConfig } from '../kernel/settings.ts'
import type { AppDeps } from '../monitor/options.ts'
import { resolveStart } from './resolveStart.ts'
import { runApp } from './runApp.ts'
import { runReplica } from './runReplica.ts'
import { type Damage, tellDamage } from './tellDamage.ts'
import type { RunOptions } from './runOptions.ts'
import { type WatchedRules, watchRules } from './watchRules.ts'

/**
 * Runs the daemon until `stop`: monitor, status page, rules reloaded when they change. With `backups.recover` a damaged
 * ledger is replaced by the newest good backup, and it goes on.
 * @throws MonitorError when it cannot start, and DamagedLedger; what else happens later is sent as alerts, not thrown
 */
export async function runMonitor(deps: AppDeps, options: RunOptions): Promise<void> {
  const config = await resolveStart(deps, options)
  const rules = watchRules(deps, { ...options, config })
  try {
    if (config.replicas) await runReplica(deps, { ...options, config }, { settings: config.replicas, rules })
    else await runAlone(deps, { ...options, config }, rules)
  } finally {
    rules.stop()
  }
}

async function runAlone(deps: AppDeps, options: RunOptions, rules: WatchedRules): Promise<void> {
  const { config } = options
  let recoveredAt = -Infinity
  let { resetState = false } = options
  for (;;) {
    try {
      await runApp(deps, { ...options, resetState }, rules)
      return
    } catch (error) {
      if (!(error instanceof DamagedLedger)) throw error
      const now = deps.clock.now()
      // Damaged again so soon: it is the disk, and each backup would go the same way.
      const recovery = now - recoveredAt < patienceMs ? noBackup : recover(deps, config, now)
      await tellDamage(deps, config, toDamage(error, recovery))
      if (recovery.at === null) throw error
      recoveredAt = now
      // What was put back stays.
      resetState = false
    }
  }
}

const patienceMs = 3_600_000

/** When the backup was made that is gone on from; null with the reason where there is none. */
type Recovery = { readonly at: UnixMs } | { readonly at: null; readonly reason: string }

const noBackup: Recovery = { at: null, reason: '' }

function recover({ log }: AppDeps, { backups, stateDir }: AppConfig, now: UnixMs): Recovery {
  if (!backups?.recover) return noBackup
  try {
    const at = restoreNewest(stateDir, now)
    return at === null ? { at, reason: 'there is no good backup; ' } : { at }
  } catch (error) {
    log.error({ err: error }, `the backup could not be put in place: ${errorText(error)}`)
    return { at: null, reason: `no backup could be put in place (${errorText(error)}); ` }
  }
}

function toDamage({ message }: DamagedLedger, recovery: Recovery): Damage {
  if (recovery.at === null) {
    return {
      error: message,
      next: `${recovery.reason}spanwatch ends: nobody watches the bridge`,
      remedy: brokenRemedy,
    }
  }
  const time = new Date(recovery.at).toISOString()
  return {
    error: message,
    next: `spanwatch goes on from the backup of ${time} and reads again what came since; what it sent since may be sent again, marked as such`,
    remedy:
      'Look at the disk of the state folder. The damaged ledger lies beside the restored one as ledger.sqlite.damaged-….',
  }
}
