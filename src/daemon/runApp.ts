import { watch } from 'node:fs'
import { kinds } from '../checks/index.ts'
import { errorText } from '../lib/errors.ts'
import { renderProblem } from '../lib/renderProblems.ts'
import type { LoadedRules } from '../rules/loadRules.ts'
import { readRules } from '../rules/readRules.ts'
import { removeDaemonFile, writeDaemonFile } from '../store/daemonFile.ts'
import { createWebApp } from '../web/createWebApp.ts'
import { startWebServer } from '../web/startWebServer.ts'
import type { AppConfig } from '../kernel/settings.ts'
import type { AppDeps } from '../monitor/options.ts'
import { type App, createApp } from '../monitor/createMonitor.ts'
import { createWebDeps } from '../web/views/createWebDeps.ts'
import { createServiceNotifier, type ServiceNotifier, sendToServiceManager } from './serviceNotifier.ts'
import { readLiveness } from '../monitor/liveness.ts'
import { giveRoom } from './giveRoom.ts'
import type { RunOptions } from './runMonitor.ts'
import { watchIntegrity } from './watchIntegrity.ts'

/**
 * Runs one monitor over its ledger until `stop`.
 * @param opened is called once its ledger is open, before anything is asked or sent
 * @throws MonitorError when it cannot start, and DamagedLedger
 */
export async function runApp(
  deps: AppDeps,
  options: RunOptions,
  opened: (app: App) => void = () => undefined,
): Promise<void> {
  const { config } = options
  const app = createApp(deps, options)
  const endRoom = giveRoom()
  try {
    opened(app)
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

/** The page and what else is served over HTTP. */
export async function startWeb(deps: AppDeps, app: App, http: NonNullable<AppConfig['http']>) {
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

/** Resolves once it is. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
