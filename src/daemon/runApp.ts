import { errorText } from '../lib/errors.ts'
import { removeDaemonFile, writeDaemonFile } from '../store/daemonFile.ts'
import { createWebApp } from '../web/createWebApp.ts'
import { addProcessMetrics } from '../web/metrics.ts'
import { startWebServer } from '../web/startWebServer.ts'
import type { AppConfig } from '../kernel/settings.ts'
import type { AppDeps } from '../monitor/options.ts'
import { type App, createApp } from '../monitor/createMonitor.ts'
import { createWebDeps } from '../web/views/createWebDeps.ts'
import { createServiceNotifier, type ServiceNotifier, sendToServiceManager } from './serviceNotifier.ts'
import { readWork } from '../monitor/liveness.ts'
import { giveRoom } from './giveRoom.ts'
import type { RunOptions } from './runOptions.ts'
import { watchIntegrity } from './watchIntegrity.ts'
import type { WatchedRules } from './watchRules.ts'

/**
 * Runs one monitor over its ledger until `stop`.
 * @param opened is called once its ledger is open, before anything is asked or sent
 * @throws MonitorError when it cannot start, and DamagedLedger
 */
export async function runApp(
  deps: AppDeps,
  options: Omit<RunOptions, 'rules' | 'onReload'>,
  rules: WatchedRules,
  opened: (app: App) => void = () => undefined,
): Promise<void> {
  const { config } = options
  const app = createApp(deps, { ...options, rules: rules.current() })
  const endRoom = giveRoom()
  try {
    opened(app)
    const server = config.http === null ? null : await startWeb(deps, app, config.http)
    if (server) noteDaemon(deps, config.stateDir, server.url)
    const detach = rules.attach(app)
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
      detach()
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
export function noteDaemon({ log }: Pick<AppDeps, 'log'>, stateDir: string, url: string): void {
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
  const { clock } = parts
  return createServiceNotifier({
    clock,
    log,
    env,
    send: (state) => sendToServiceManager(env, state),
    // An event loop that hangs says nothing at all, which is what the watchdog waits for.
    isAlive: () => readWork(parts, clock.now()).ok,
  })
}

/** The page and what else is served over HTTP. */
export async function startWeb(deps: AppDeps, app: App, http: NonNullable<AppConfig['http']>) {
  const shown = createWebDeps({ clock: app.parts.clock, log: deps.log }, app.parts)
  addProcessMetrics(shown.registry)
  const web = createWebApp(shown, { ...http, listenHost: http.host })
  return await startWebServer({ app: web, clock: app.parts.clock, host: http.host, port: http.port })
}

/** Resolves once it is. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
