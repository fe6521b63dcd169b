// A process with little memory that is told of many failures at once. Run by crashes.test.ts.
import { createAlertEngine } from '../../../src/alerts/alertEngine.ts'
import { startDispatcher } from '../../../src/alerts/dispatcher.ts'
import { createSystemClock } from '../../../src/lib/clock.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import { createWebhookChannel } from '../../../src/notify/webhook.ts'
import { createAlertStore } from '../../../src/store/alertStore.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createEvent, createRoute, createRule } from '../../unit/alerts/harness.ts'

const [path = '', url = '', count = '0'] = process.argv.slice(2)
const database = openDatabase(path)
const store = createAlertStore(database)
const log = createSilentLog()
const clock = createSystemClock()
const channel = createWebhookChannel({ clock }, { name: 'ops', type: 'webhook', url })
const settings = { routes: [createRoute()], inhibit: [], channels: [channel] }
const engine = createAlertEngine({ store, log, settings, rules: () => [] })
const rule = createRule()
for (let from = 0; from < Number(count); from += 500) {
  const matches = Array.from({ length: 500 }, (_, index) => ({
    rule,
    finding: createEvent(from + index + 1),
  }))
  database.transaction(() => engine.tellEvents(matches, clock.now()))
}
const dispatcher = startDispatcher({
  store,
  engine,
  log,
  clock,
  channels: [channel],
  fallback: null,
  random: Math.random,
  rules: () => [],
  pageUrl: null,
  links: { main: null, zone: null },
})
while (store.listDepths().length > 0) await clock.sleep(20)
await dispatcher.stop()
await channel.close()
