import { expect, test } from 'vitest'
import { endAt, expected, groupIntervalMs, groupWaitMs, script, type Told } from '../../support/fireAgain.ts'
import { createBench, createCondition, createRoute, createRule, start } from '../../unit/alerts/harness.ts'

// Beside a running Alertmanager, in real time: test/worlds/alertmanager.test.ts. Where we differ on purpose (an end
// under a mute, an end after a restart, events that happen once) is tested at F57, F9 and F56.

/**
 * The script through our engine, in virtual time. Our messages list what changed and no more, where Alertmanager lists the
 * group again: what fires after a message is what was told to fire so far.
 */
async function tellByUs(): Promise<Told[]> {
  const rule = createRule({ name: 'stalled', kind: 'chain.stalled' })
  const routes = [createRoute({ groupBy: ['rule'], groupWaitMs, groupIntervalMs, repeatMs: 3_600_000 })]
  const bench = createBench({ routes })
  const dispatcher = bench.startSending()
  for (let at = 0; at <= endAt; at += 100) {
    const firing = script.findLast((step) => step.at <= at)?.firing ?? []
    bench.database.transaction(() => {
      const findings = firing.map((name) => createCondition(name))
      bench.engine.applyCondition(rule, { findings, unknown: [] }, start + at)
      bench.engine.flush(start + at)
    })
    dispatcher.wake()
    await bench.clock.advance(100)
  }
  await dispatcher.stop()
  const names = new Map(
    bench.store
      .listAlerts({ limit: 9 })
      .map(({ fingerprint, subject }) => [fingerprint.slice(0, 8), subject]),
  )
  const standing = new Set<string>()
  return bench.ops.sent.map(({ items }) => {
    const resolved: string[] = []
    for (const { alertId, status } of items) {
      const name = names.get(alertId) ?? alertId
      if (status === 'resolved') resolved.push(name)
      if (status === 'resolved') standing.delete(name)
      else standing.add(name)
    }
    return { firing: [...standing].sort(), resolved: resolved.sort() }
  })
}

test('F53: fire, resolve and fire again through our engine: the five messages Alertmanager gives, each with what changed', async () => {
  expect(await tellByUs()).toEqual(expected)
})
