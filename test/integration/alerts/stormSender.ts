// A process with little memory that is told of many failures at once. Run by crashes.test.ts.
import { type Clock, createSystemClock } from '../../../src/lib/clock.ts'
import { createWebhookChannel } from '../../../src/delivery/channels/webhook.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createEvent, createRule } from '../../unit/alerts/harness.ts'
import { startAlerting } from './startAlerting.ts'

const [path = '', url = '', count = '0'] = process.argv.slice(2)
const database = openDatabase(path)
const real = createSystemClock()
let aheadMs = 0
const clock: Clock = { ...real, now: () => real.now() + aheadMs }
const channel = createWebhookChannel({ clock }, { name: 'ops', type: 'webhook', url })
const { store, engine, send } = startAlerting(database, { channel, clock })
const rule = createRule()
for (let from = 0; from < Number(count); from += 500) {
  const matches = Array.from({ length: 500 }, (_, index) => ({
    rule,
    finding: createEvent(from + index + 1),
  }))
  database.transaction(() => engine.tellEvents(matches, clock.now()))
}
// What is one more of a case waits for its next update.
aheadMs = 60_000
const dispatcher = send()
while (store.listDepths().length > 0) await clock.sleep(20)
await dispatcher.stop()
await channel.close()
