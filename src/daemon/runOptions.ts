import type { AppConfig } from '../kernel/settings.ts'
import type { App } from '../monitor/createMonitor.ts'
import type { AppOptions } from '../monitor/options.ts'

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
