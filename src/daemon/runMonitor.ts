import { kinds } from '../checks/index.ts'
import { watch } from 'node:fs'
import type { UnixMs } from '../lib/clock.ts'
import { errorText } from '../lib/errors.ts'
import { type LoadedRules } from '../rules/loadRules.ts'
import { renderProblem } from '../lib/renderProblems.ts'
import { readRules } from '../rules/readRules.ts'
import { restoreNewest } from '../store/backups.ts'
import { brokenRemedy, DamagedLedger } from '../store/damage.ts'
import { removeDaemonFile, writeDaemonFile } from '../store/daemonFile.ts'
import { createWebApp } from '../web/createWebApp.ts'
import { startWebServer } from '../web/startWebServer.ts'
import type { AppConfig } from '../kernel/settings.ts'
import type { AppDeps, AppOptions } from '../monitor/options.ts'
import { type App, createApp } from '../monitor/createMonitor.ts'
import { createWebDeps } from '../web/views/createWebDeps.ts'
import { createServiceNotifier, type ServiceNotifier, sendToServiceManager } from './serviceNotifier.ts'
import { readLiveness } from '../monitor/liveness.ts'
import { resolveStart } from './resolveStart.ts'
import { giveRoom } from './giveRoom.ts'
import { type Damage, tellDamage } from './tellDamage.ts'
import { watchIntegrity } from './watchIntegrity.ts'

export interface RunOptions extends Omit<AppOptions, 'config'> {
  readonly config: AppConfig
  /** Ends the run. */
  readonly stop: AbortSignal
  /** Calls back when the operator asks for a reload (SIGHUP). Returns what ends it. */
  onReload(reload: () => void): () => void
  /** The environment, for what a service manager asks to be notified of (NOTIFY_SOCKET); it is not notified without it. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Once everything runs; `url` is the status page's, null without one. */
  onReady?(app: App, url: string | null): void
}

/**
 * Runs the daemon until `stop`: monitor, status page, rules reloaded when they change. With `backups.recover` a damaged
 * ledger is replaced by the newest good backup, and it goes on.
 * @throws MonitorError when it cannot start, and DamagedLedger; what else happens later is sent as alerts, not thrown
 */
export async function runMonitor(deps: AppDeps, options: RunOptions): Promise<void> {
  const config = await resolveStart(deps, options.config)
  let recoveredAt = -Infinity
  for (;;) {
    try {
      await runApp(deps, { ...options, config })
      return
    } catch (error) {
      if (!(error instanceof DamagedLedger)) throw error
      const now = deps.clock.now()
      // Damaged again so soon: it is the disk, and each backup would go the same way.
      const recovery = now - recoveredAt < patienceMs ? noBackup : recover(deps, config, now)
      await tellDamage(deps, config, toDamage(error, recovery))
      if (recovery.at === null) throw error
      recoveredAt = now
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

async function runApp(deps: AppDeps, options: RunOptions): Promise<void> {
  const { config } = options
  const app = createApp(deps, options)
  const endRoom = giveRoom()
  try {
    const server = config.http === null ? null : await startWeb(deps, app, config.http)
    if (server) noteDaemon(deps, config.stateDir, server.url)
    const reloading = watchRules(deps, config.rulesDir, options, (loaded) => setRules(deps, app, loaded))
    const service = notifyService(deps, app, options.env ?? {})
    const ended = new AbortController()
    const checked = watchIntegrity(deps, app.parts.state, ended.signal)
    try {
      await app.start()
      service.ready()
      options.onReady?.(app, server?.url ?? null)
      await aborted(AbortSignal.any([options.stop, app.damage]))
      app.damage.throwIfAborted()
      service.stopping()
      deps.log.info('stopping')
    } finally {
      reloading.stop()
      ended.abort()
      app.parts.state.integrity.stop()
      await checked
      await service.stop()
      removeDaemonFile(config.stateDir)
      await server?.stop()
    }
  } finally {
    endRoom()
    await app.stop()
  }
}

/** Commands need it; watching does not. */
function noteDaemon({ log }: Pick<AppDeps, 'log'>, stateDir: string, url: string): void {
  try {
    writeDaemonFile(stateDir, url)
  } catch (error) {
    log.warn({ err: error }, `commands will not find this daemon: ${errorText(error)}`)
  }
}

function notifyService(
  { log }: AppDeps,
  { parts }: App,
  env: NonNullable<RunOptions['env']>,
): ServiceNotifier {
  const { clock, explorer, evaluate, startedAt, runner, sending } = parts
  // Whether a channel takes messages does not count: a restarted process could not send anything either.
  const sources = { explorer, evaluate, startedAt, sending, pollers: () => runner.status() }
  return createServiceNotifier({
    clock,
    log,
    env,
    send: (state) => sendToServiceManager(env, state),
    // An event loop that hangs says nothing at all, which is what the watchdog waits for.
    isAlive: () => readLiveness(sources, clock.now(), 0).ok,
  })
}

async function startWeb(deps: AppDeps, app: App, http: NonNullable<AppConfig['http']>) {
  const web = createWebApp(createWebDeps({ clock: app.parts.clock, log: deps.log }, app.parts), {
    ...http,
    listenHost: http.host,
  })
  return await startWebServer({ app: web, clock: app.parts.clock, host: http.host, port: http.port })
}

/** Editors write a file in several steps: what counts is what lies there a moment later. */
const settleMs = 300

function watchRules(
  { clock, log }: AppDeps,
  folder: string,
  options: Pick<RunOptions, 'onReload'>,
  onLoaded: (loaded: LoadedRules) => void,
): { stop(): void } {
  const ending = new AbortController()
  let pending: Promise<void> | null = null
  const reload = () => {
    pending ??= clock.sleep(settleMs, ending.signal).then(async () => {
      pending = null
      if (!ending.signal.aborted) onLoaded(await readRules(folder, kinds))
    })
    pending.catch((error: unknown) =>
      log.error({ err: error }, `the rules could not be read: ${errorText(error)}`),
    )
  }
  const offReload = options.onReload(reload)
  const watcher = openWatcher(folder, reload)
  watcher?.on('error', (error) =>
    log.warn(`the folder of rules is not watched any more: ${errorText(error)}`),
  )
  return {
    stop() {
      ending.abort()
      offReload()
      watcher?.close()
    },
  }
}

function openWatcher(folder: string, onChange: () => void) {
  try {
    return watch(folder, onChange)
  } catch {
    // Not every file system can be watched; SIGHUP still works.
    return null
  }
}

function setRules({ log }: AppDeps, app: App, loaded: LoadedRules): void {
  if (loaded.ok) {
    app.setRules({ rules: loaded.rules })
    log.info({ rules: loaded.rules.length }, 'rules reloaded')
    return
  }
  const problems = loaded.problems.map(renderProblem)
  app.setRules({ problems })
  log.error({ problems }, 'the rules were edited and cannot be used; the old ones stay in force')
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
