// A process that tells events to a service, until it is killed. Run by channelKills.test.ts.
import { createChannel } from '../../../src/delivery/channels/createChannel.ts'
import { createSystemClock } from '../../../src/lib/clock.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { services } from '../../support/channelServices.ts'
import { createLoneEvent, createRoute, createRule } from '../../unit/alerts/harness.ts'
import { startAlerting } from './startAlerting.ts'

const [path = '', url = '', service = '', ...amounts] = process.argv.slice(2)
const config = services[service]?.config(url)
if (config === undefined) throw new Error(`no service ${service}`)
const database = openDatabase(path)
const clock = createSystemClock()
const channel = createChannel({ clock, write: () => undefined, color: false, timeoutMs: 5_000 }, config)
const { store, engine, send } = startAlerting(database, {
  channel,
  clock,
  routes: [createRoute({ channels: [config.name], groupBy: ['case'] })],
})
const dispatcher = send()
const rule = createRule({ severity: 'critical' })

for (const amount of amounts) {
  const finding = createLoneEvent(Number(amount), { amount })
  database.transaction(() => engine.tellEvents([{ rule, finding }], clock.now()))
  dispatcher.wake()
  await clock.sleep(1)
}
while (store.listDepths().length > 0) await clock.sleep(5)
await dispatcher.stop()
await channel.close()
