import { expect, test } from 'vitest'
import { readLiveness, readWork } from '../../../src/monitor/liveness.ts'
import { calmPoll, createBridgeWorld } from '../../support/bridgeWorld.ts'

test('F83: while no source answers the watchdog is content: a restart would make none answer, and a fifth would be the last', async () => {
  const world = await createBridgeWorld({ config: { poll: calmPoll } })
  const { parts } = world.monitor.app
  const health = () => readLiveness({ ...parts, pollers: () => parts.runner.status() }, world.now(), 0)
  await world.pass(60_000)
  expect(health().ok).toBe(true)

  world.fake.intercept = (_, response) => {
    response.writeHead(503).end()
    return true
  }
  await world.until(() => !health().ok, 'nothing could be checked')
  await world.pass(120_000)
  expect(health().reasons.join()).toContain('no source has answered')
  expect(readWork(parts, world.now())).toEqual({ ok: true, reasons: [] })
})
