import { kinds } from '../../../src/checks/index.ts'
import { createAlertEngine } from '../../../src/alerts/alertEngine.ts'
import { startDispatcher } from '../../../src/delivery/dispatcher.ts'
import { type Clock, createSystemClock } from '../../../src/lib/clock.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import type { Channel } from '../../../src/delivery/channels/message.ts'
import type { Route } from '../../../src/alerts/routing.ts'
import type { LoadedRule } from '../../../src/rules/types.ts'
import { createAlertStore } from '../../../src/alerts/store/alertStore.ts'
import type { Database } from '../../../src/store/database.ts'
import { createRoute } from '../../unit/alerts/harness.ts'

export interface AlertingOptions {
  readonly channel: Channel
  readonly clock?: Clock
  readonly routes?: readonly Route[]
  readonly rules?: readonly LoadedRule[]
}

/** Alerts and their delivery in a process of its own, without the rest of the monitor. */
export function startAlerting(database: Database, options: AlertingOptions) {
  const { channel, clock = createSystemClock(), routes = [createRoute()], rules = [] } = options
  const store = createAlertStore(database)
  const log = createSilentLog()
  const settings = { routes, inhibit: [], channels: [channel] }
  const engine = createAlertEngine({ store, log, settings, live: { rules }, kinds })
  const send = () =>
    startDispatcher({
      store,
      engine,
      log,
      clock,
      channels: [channel],
      fallback: null,
      random: () => 0.5,
      live: { rules },
      kinds,
      pageUrl: null,
      links: { main: null, zone: null },
    })
  return { store, engine, send }
}
