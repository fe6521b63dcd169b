import { expect, test } from 'vitest'
import type { Channel } from '../../../src/delivery/channels/message.ts'
import {
  createBench,
  createLoneEvent,
  createFakeChannel,
  createRoute,
  createRule,
} from '../alerts/harness.ts'

const warning = createRule()
const critical = createRule({ name: 'urgent', severity: 'critical' })

/** When each message left in four minutes of an event every half second, every twentieth of them critical. */
async function listTimes(
  type: Channel['type'],
): Promise<{ readonly at: number; readonly isCritical: boolean }[]> {
  const ops = createFakeChannel('ops', type)
  const times: { at: number; isCritical: boolean }[] = []
  const { engine, clock, startSending } = createBench({
    fakes: [ops],
    routes: [createRoute({ groupWaitMs: 0 })],
  })
  const deliver = ops.deliver.bind(ops)
  ops.deliver = (message, options) => {
    times.push({ at: clock.now(), isCritical: message.severity === 'critical' })
    return deliver(message, options)
  }
  const dispatcher = startSending()
  for (let n = 1; n <= 480; n += 1) {
    const rule = n % 20 === 0 ? critical : warning
    engine.tellEvents([{ rule, finding: createLoneEvent(n) }], clock.now())
    dispatcher.wake()
    await clock.advance(500)
  }
  await dispatcher.stop()
  return times
}

function most(times: readonly { readonly at: number }[], withinMs: number): number {
  return Math.max(
    ...times.map(({ at }) => times.filter((one) => one.at >= at && one.at < at + withinMs).length),
  )
}

test.each([
  { type: 'slack', withinMs: 60_000, limit: 63 },
  { type: 'pagerduty', withinMs: 60_000, limit: 40 },
  { type: 'teams', withinMs: 30_000, limit: 60 },
  { type: 'discord', withinMs: 2_000, limit: 5 },
  { type: 'discord', withinMs: 60_000, limit: 30 },
  { type: 'telegram', withinMs: 60_000, limit: 20 },
] as const)(
  '$type: never more than $limit messages in $withinMs ms, and a critical one soon',
  async ({ type, withinMs, limit }) => {
    const times = await listTimes(type)
    expect(times.length).toBeGreaterThan(10)
    expect(most(times, withinMs)).toBeLessThanOrEqual(limit)
    // 24 were critical, ten seconds apart: each has a message of its own, or the one before was not out yet.
    expect(times.filter(({ isCritical }) => isCritical).length).toBeGreaterThanOrEqual(20)
  },
)
