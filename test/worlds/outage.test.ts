import { expect, test } from 'vitest'
import { createWebDeps } from '../../src/web/views/createWebDeps.ts'
import { createSilentLog } from '../../src/lib/log.ts'
import { calmPoll, createBridgeWorld } from '../support/bridgeWorld.ts'

const hour = 3_600_000
const open = { mainTxHash: '', mainBlockTime: '', mainBlockHeight: '' }

test('F50: a source that is down for six hours is one alert with its reminders; what happened meanwhile is told once, in few messages', async () => {
  const world = await createBridgeWorld({
    pace: { maxRequestsPerSecond: 1, concurrency: 1 },
    config: {
      poll: calmPoll,
      routes: [
        {
          match: null,
          channels: ['ops'],
          groupBy: ['rule'],
          groupWaitMs: null,
          groupIntervalMs: 60_000,
          repeatMs: hour,
          continue: false,
        },
      ],
    },
  })
  const { fake, monitor } = world
  const { ledger } = monitor.app.parts
  for (let n = 0; n < 5; n += 1) world.withdraw(n)
  await world.until(() => ledger.countByState().completed === 5, 'the first transfers')
  await world.pass(600_000)
  const before = monitor.told().length
  const answer = fake.intercept
  fake.intercept = (_, response) => {
    response.destroy()
    return true
  }
  // A failure every quarter of an hour, and two payouts, that nobody can see.
  for (let n = 0; n < 24; n += 1) {
    world.withdraw(100 + n, { status: '0x0', ...open })
    world.withdraw(200 + n)
    world.withdraw(300 + n)
    await world.pass(hour / 4)
  }
  const during = monitor.told().slice(before)
  const about = (texts: string[], word: string) => texts.filter((text) => text.includes(word))
  expect(about(during, 'has given no good answer').length).toBe(6)
  expect(during).toHaveLength(6)
  fake.intercept = answer
  await world.until(() => world.told('transfer.failed').length === 24, 'the failures of the day')
  await world.pass(1_200_000)
  const after = monitor.told().slice(before + during.length)
  // Each failure once, its age with it, and the end of the outage: nothing else.
  expect(world.told().map(({ kind }) => kind)).toEqual(Array(24).fill('transfer.failed'))
  const failures = about(after, 'transfer.failed')
  expect(failures.length).toBeLessThanOrEqual(4)
  for (const text of failures) expect(text).toMatch(/ UTC \(\d.* ago\)/)
  expect(failures.join()).toMatch(/(?:happened|the first at) [-:\d ]+ UTC \(6 h ago\)/)
  expect(about(after, 'source unavailable')).toHaveLength(1)
  expect(after).toHaveLength(failures.length + 1)
  expect(ledger.countByState()).toMatchObject({ completed: 5 + 48, failed: 24 })
}, 900_000)

test('in the second minute of an outage no rule that rests on the source is called quiet, and what was measured is told', async () => {
  const world = await createBridgeWorld({})
  const { fake, monitor } = world
  for (let n = 0; n < 5; n += 1) world.withdraw(n)
  await world.pass(120_000)
  const clock = { now: world.now, monotonicMs: world.now, sleep: (ms: number) => world.pass(ms) }
  const web = createWebDeps({ clock, log: createSilentLog() }, monitor.app.parts)
  const problemOf = (rule: string) => web.readRules().rules.find(({ name }) => name === rule)?.problem
  expect(problemOf('withdrawal-stalled')).toBeNull()
  expect(problemOf('transfer-failed')).toBeNull()
  world.withdraw(6)
  await world.pass(5_000)
  const metrics = await web.registry.metrics()
  for (const count of [
    'state_commit_seconds_count',
    'rule_duration_seconds_count{rule="withdrawal-stalled"}',
    'rule_duration_seconds_count{rule="transfer-failed"}',
  ])
    expect(Number(metrics.split(`spanwatch_${count} `)[1]?.split('\n')[0])).toBeGreaterThan(0)
  fake.intercept = (_, response) => {
    response.destroy()
    return true
  }
  await world.pass(90_000)
  // What is read of the present is kept for a moment of real time.
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  expect(problemOf('withdrawal-stalled')).toMatch(/^explorer has given no good answer for \d/)
  expect(problemOf('transfer-failed')).toMatch(/^explorer has given no good answer for \d/)
  expect(problemOf('source-unavailable')).toBeNull()
}, 300_000)
