import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createOperations } from '../../../src/alerts/operations.ts'
import type { CaseCommand } from '../../../src/alerts/caseOperations.ts'
import { kinds } from '../../../src/checks/index.ts'
import { type ChannelConfig, createChannel } from '../../../src/delivery/channels/createChannel.ts'
import { startDispatcher } from '../../../src/delivery/dispatcher.ts'
import { createSystemClock } from '../../../src/lib/clock.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import { Secret } from '../../../src/lib/secret.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { startFakeAlertmanager } from '../../support/fakeAlertmanager.ts'
import { routingKey, startFakePagerDuty } from '../../support/fakePagerDuty.ts'
import { botToken, chatId, startFakeTelegram } from '../../support/fakeTelegram.ts'
import { createBench, createEvent, createRoute, createRule, vocabulary } from '../../unit/alerts/harness.ts'

const failed = createRule({ severity: 'critical' })

async function startServices() {
  const services = {
    pager: await startFakePagerDuty(),
    manager: await startFakeAlertmanager(),
    chat: await startFakeTelegram(),
  }
  onTestFinished(async () => {
    await Promise.all(Object.values(services).map((service) => service.close()))
  })
  return services
}

/** Engine, outbox, dispatcher and the channels themselves over one ledger, by the system's clock. */
function runProcess(database: Database, services: Awaited<ReturnType<typeof startServices>>) {
  const { pager, manager, chat } = services
  const clock = createSystemClock()
  const configs: ChannelConfig[] = [
    { name: 'pager', type: 'pagerduty', routingKey: new Secret(routingKey), url: new Secret(pager.url) },
    { name: 'manager', type: 'alertmanager', url: new Secret(manager.url) },
    { name: 'chat', type: 'telegram', botToken: new Secret(botToken), chatId, url: new Secret(chat.url) },
  ]
  const channels = configs.map((config) =>
    createChannel({ clock, log: createSilentLog(), write: () => undefined, color: false }, config),
  )
  const names = channels.map(({ name }) => name)
  const { store, engine } = createBench({
    database,
    routes: [createRoute({ channels: names, groupWaitMs: 0 })],
    channels: channels.map(({ name, type, followsCases }) => ({
      name,
      type,
      followsCases: followsCases === true,
    })),
  })
  const log = createSilentLog()
  const common = { store, engine, log, clock, kinds, live: { rules: [failed] } }
  const links = { main: null, zone: null }
  const dispatcher = startDispatcher({
    ...common,
    channels,
    fallback: null,
    random: () => 0.5,
    pageUrl: null,
    links,
  })
  const following = new Set(channels.filter(({ followsCases }) => followsCases).map(({ name }) => name))
  const operations = createOperations({
    ...common,
    vocabulary,
    following,
    onChanged: () => dispatcher.wake(),
  })
  const actor = { by: 'ana', from: { via: 'cli' as const, address: null, role: null, session: null } }
  return {
    store,
    find(n: number) {
      engine.tellEvents([{ rule: failed, finding: createEvent(n) }], clock.now())
      dispatcher.wake()
    },
    by(verb: CaseCommand['do'], text: string | null = null) {
      operations.changeCase({ id: 'c1', do: verb, text }, actor)
      engine.flush(clock.now())
      dispatcher.wake()
    },
    async stop() {
      await dispatcher.stop()
      await Promise.all(channels.map((channel) => channel.close()))
    },
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !isTrue(); tries += 1) await pause(20)
  expect(isTrue()).toBe(true)
}

test('a case rings once, is taken, and ends at the pager and at Alertmanager, over a restart', async () => {
  const services = await startServices()
  const { pager, manager, chat } = services
  const database = openDatabase(':memory:')
  const state = () => [...pager.alerts.values()].map((alert) => alert.state)
  const first = runProcess(database, services)
  first.find(1)
  await until(() => manager.posted.length === 1 && chat.posted.length === 1 && state()[0] === 'triggered')
  await until(() => first.store.listStandingThreads('manager').length === 1)
  first.by('ack')
  await until(() => state()[0] === 'acknowledged' && manager.posted.length === 2)
  await first.stop()

  const second = runProcess(database, services)
  second.by('handle', 'paid by hand')
  await until(() => state()[0] === 'resolved' && manager.posted.length === 3)
  await second.stop()
  expect(pager.rings).toHaveLength(1)
  const told = manager.posted.flatMap(
    ({ body }) =>
      JSON.parse(body) as { labels: object; endsAt: string; annotations: Record<string, string> }[],
  )
  expect(new Set(told.map(({ labels }) => JSON.stringify(labels))).size).toBe(1)
  expect(told.map(({ endsAt }) => Date.parse(endsAt) > Date.now())).toEqual([true, true, false])
  expect(told[1]?.annotations['in_hand']).toBe('acknowledged by ana')
})
