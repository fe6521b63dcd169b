// A process that tells 50 events over HTTP, a message each if it keeps up, until it is killed. Run by outbox.test.ts.
import { createSystemClock } from '../../../src/lib/clock.ts'
import type { Channel } from '../../../src/delivery/channels/message.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createLoneEvent, createRule } from '../../unit/alerts/harness.ts'
import { startAlerting } from './startAlerting.ts'

const [path = '', url = '', from = '1', to = '0'] = process.argv.slice(2)
const database = openDatabase(path)
const clock = createSystemClock()

const channel: Channel = {
  name: 'ops',
  type: 'webhook',
  async deliver(message, { signal }) {
    // On a slow machine what waits grows to a message of more than are shown in full.
    const amounts = [...message.items, ...message.rest].map((item) => item.facts['amount'])
    const body = JSON.stringify({ id: message.id, attempt: message.attempt, amounts })
    const response = await fetch(url, { method: 'POST', body, signal })
    return response.ok ? { result: 'ack' } : { result: 'transient', reason: String(response.status) }
  },
  close: async () => {},
}
const { store, engine, send } = startAlerting(database, { channel, clock })
const dispatcher = send()

for (let n = Number(from); n <= Number(to); n += 1) {
  // Found again after each restart, as a re-read range is.
  database.transaction(() =>
    engine.tellEvents([{ rule: createRule(), finding: createLoneEvent(n) }], clock.now()),
  )
  dispatcher.wake()
  await clock.sleep(2)
}
while (store.listDepths().length > 0) await clock.sleep(5)
await dispatcher.stop()
