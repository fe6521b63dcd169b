// A process that lives one scripted day of events and conditions, to be killed at any time and started again: it goes on
// where its last commit ended. Run by killedDay.test.ts and bench/kills.ts.
import { type Clock, createSystemClock } from '../../../src/lib/clock.ts'
import { createWebhookChannel } from '../../../src/delivery/channels/webhook.ts'
import { openDatabase } from '../../../src/store/database.ts'
import {
  createCondition,
  createLoneEvent,
  createRoute,
  createRule,
  start,
} from '../../unit/alerts/harness.ts'
import { startAlerting } from './startAlerting.ts'

const [path = '', url = '', to = '0', dieAt = 'never'] = process.argv.slice(2)
const database = openDatabase(path)
let step = Number(database.prepare("SELECT value FROM meta WHERE name = 'step'").get()?.['value'] ?? 0)

// The day's time is that of its steps, a minute each: what is told does not depend on how long anything takes.
const real = createSystemClock()
const minute = 60_000
const clock: Clock = {
  now: () => start + step * minute,
  monotonicMs: () => step * minute + real.monotonicMs(),
  // The dispatcher looks again soon; how long it waits for one answer is real.
  sleep: (ms, signal) => real.sleep(ms > 60_000 ? ms : Math.min(ms, 10), signal),
}

const channel = createWebhookChannel({ clock: real }, { name: 'ops', type: 'webhook', url })
const failed = createRule()
const stalled = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'critical' })
const routes = [createRoute({ groupWaitMs: 0, groupIntervalMs: minute })]
const rules = [failed, stalled]
const { store, engine, send } = startAlerting(database, { channel, clock, routes, rules })
database.transaction(() => engine.start(clock.now()))
engine.releaseStart()
const dispatcher = send()

/** Told before the next step begins, so that the same day always says the same things. */
async function drain(): Promise<void> {
  dispatcher.wake()
  while (store.listDepths().length > 0) await real.sleep(1)
}

await drain()
for (step += 1; step <= Number(to); step += 1) {
  const findings = [...(step % 10 < 5 ? ['zone'] : []), ...(step % 14 < 3 ? ['main'] : [])]
  if (dieAt === 'before-commit') process.kill(process.pid, 'SIGKILL')
  database.transaction(() => {
    // The newest three are found again and again, as an overlap is re-read.
    const events = [step, step - 1, step - 2].filter((n) => n > 0)
    engine.tellEvents(
      events.map((n) => ({ rule: failed, finding: createLoneEvent(n) })),
      clock.now(),
    )
    engine.applyCondition(
      stalled,
      { findings: findings.map((name) => createCondition(name)), unknown: [] },
      clock.now(),
    )
    engine.flush(clock.now())
    database.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('step', ?)").run(String(step))
  })
  if (dieAt === 'after-commit') process.kill(process.pid, 'SIGKILL')
  await drain()
}
await dispatcher.stop()
await channel.close()
