// A process that tells 40 events to a Slack app, one message each, until it is killed. Run by slackKills.test.ts.
// By its own `case` every fourth event belongs to one case, as if alerts were gathered.
import { createSlackAppChannel } from '../../../src/delivery/channels/slackApp/createSlackApp.ts'
import type { Channel, Message } from '../../../src/delivery/channels/message.ts'
import { createSystemClock } from '../../../src/lib/clock.ts'
import { Secret } from '../../../src/lib/secret.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createLoneEvent, createRule } from '../../unit/alerts/harness.ts'
import { toCase } from '../../unit/delivery/messages.ts'
import { startAlerting } from './startAlerting.ts'

const [path = '', url = '', token = '', slackChannel = '', openedAt = '0', to = '0'] = process.argv.slice(2)
const database = openDatabase(path)
const clock = createSystemClock()
const app = createSlackAppChannel(
  { clock },
  { name: 'ops', type: 'slack-app', token: new Secret(token), channel: slackChannel, url: new Secret(url) },
)

/** The case of its first item. */
function inCase(message: Message): Message {
  const id = `c${Number(message.items[0]?.facts['amount'] ?? 0) % 4}`
  return { ...message, case: toCase({ id, openedAt: Number(openedAt) }) }
}

const channel: Channel = {
  ...app,
  name: 'ops',
  // What it gave back would come with the outbox: here it is lost at every kill.
  deliver: (message, options) => app.deliver(inCase(message), options),
}
const { store, engine, send } = startAlerting(database, { channel, clock })
const dispatcher = send()

for (let n = 1; n <= Number(to); n += 1) {
  database.transaction(() =>
    engine.tellEvents(
      [{ rule: createRule({ severity: 'critical' }), finding: createLoneEvent(n) }],
      clock.now(),
    ),
  )
  dispatcher.wake()
  await clock.sleep(1)
}
while (store.listDepths().length > 0) await clock.sleep(5)
await dispatcher.stop()
await app.close()
