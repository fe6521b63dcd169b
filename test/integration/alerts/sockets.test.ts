import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createWebhookChannel } from '../../../src/delivery/channels/webhook.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createEvent, createRoute, createRule } from '../../unit/alerts/harness.ts'
import { startAlerting } from './startAlerting.ts'
import { createSystemClock } from '../../../src/lib/clock.ts'

test('F64: 2,000 alerts in 2,000 groups, for a receiver that is slow: two sockets at most, and none is left', async () => {
  const open = { now: 0, most: 0 }
  let told = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => setTimeout(() => response.end(), 20))
    told += 1
  }).listen(0, '127.0.0.1')
  server.on('connection', (socket) => {
    open.most = Math.max(open.most, (open.now += 1))
    socket.on('close', () => (open.now -= 1))
  })
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const database = openDatabase(':memory:')
  const clock = createSystemClock()
  const channel = createWebhookChannel({ clock }, { name: 'ops', type: 'webhook', url })
  const routes = [createRoute({ groupBy: ['token'] })]
  const { store, engine, send } = startAlerting(database, { channel, clock, routes })
  const rules = [createRule(), createRule({ name: 'urgent', severity: 'critical' })]
  const dispatcher = send()
  onTestFinished(async () => {
    await dispatcher.stop()
    server.closeAllConnections()
    server.close()
    database.close()
  })
  for (let n = 0; n < 2_000; n += 100) {
    const matches = Array.from({ length: 100 }, (_, index) => {
      const finding = createEvent(n + index + 1)
      const labels = { ...finding.labels, token: `0x${n + index}` }
      return { rule: rules[index % 2] ?? createRule(), finding: { ...finding, labels } }
    })
    database.transaction(() => engine.tellEvents(matches, clock.now()))
    dispatcher.wake()
    await clock.sleep(5)
  }
  while (store.listDepths().length > 0) await clock.sleep(20)
  expect(told).toBeGreaterThan(2)
  expect(open.most).toBeLessThanOrEqual(2)
  await dispatcher.stop()
  await channel.close()
  while (open.now > 0) await clock.sleep(10)
})
