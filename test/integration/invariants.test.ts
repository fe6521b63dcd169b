import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFakeExplorer, type FakeExplorer, send, toOpenWire, toWire } from '../support/fakeExplorer.ts'
import { createLeapingClock, type LeapingClock } from '../support/leapingClock.ts'
import { type Monitor, startMonitor } from '../support/startMonitor.ts'

let clock: LeapingClock
let api: FakeExplorer
let monitor: Monitor | null = null

beforeEach(async () => {
  clock = createLeapingClock()
  const startedAt = clock.now()
  api = await createFakeExplorer()
  api.mainHead = () => 10_000 + Math.floor((clock.now() - startedAt) / 1_000)
  api.zoneHead = () => 100_000 + Math.floor((clock.now() - startedAt) / 100)
  api.now = () => clock.now()
  clock.start()
})
afterEach(async () => {
  await monitor?.stop()
  monitor = null
  await api.close()
  clock.stop()
})

const rules = `
rules:
  - { name: failed, on: transfer.failed, severity: critical, summary: "failed {{ transfer.token.label }}" }
  - { name: stalled, on: transfer.stalled, with: { direction: ZoneToMain, after: 2s }, severity: critical, summary: "waits" }
  - { name: drift, on: source.drift, with: { keep: 10m }, severity: critical, summary: "unreadable {{ facts.count }}" }
`
const naming = (text: string | undefined) =>
  (monitor?.told() ?? []).filter((one) => one.includes(text ?? '?'))
const counts = () => monitor?.app.parts.ledger.countByState()
const watch = () => startMonitor({ url: api.url, rules, clock, timeoutMs: 60_000 })
/** In the world's time, as all of this file. */
const until = async (holds: () => boolean) => {
  const endAt = clock.now() + 60_000
  while (!holds()) {
    if (clock.now() > endAt) throw new Error('did not hold within a minute')
    await clock.sleep(100)
  }
}
const empty = { code: '0', msg: '', data: [] }

test('invariant 1: nothing is called absent while the source says nothing, and then it is', async () => {
  const open = toOpenWire({ zoneBlockTime: String(clock.now()) })
  api.records = [open]
  monitor = await watch()
  await until(() => counts()?.pending === 1)
  api.intercept = (_, response) => {
    send(response, 503, 'no')
    return true
  }
  await clock.sleep(3_500)
  expect(naming(open['zoneTxHash'])).toEqual([])
  api.intercept = () => false
  await until(() => naming(open['zoneTxHash']).length > 0)
})

test('invariant 2: a transfer without any row on the far side is told', async () => {
  const open = toOpenWire()
  api.records = [toWire(), open]
  monitor = await watch()
  await until(() => naming(open['zoneTxHash']).length > 0)
  expect(naming(open['zoneTxHash'])[0]).toContain('waits')
})

test.each([
  { title: 'an error', status: 500, body: 'oops' },
  { title: 'an empty list', status: 200, body: empty },
  { title: '{}', status: 200, body: {} },
])('invariant 3: $title is not a zero: what fires keeps firing', async ({ status, body }) => {
  const open = toOpenWire()
  api.records = [open]
  monitor = await watch()
  await until(() => naming(open['zoneTxHash']).length === 1)
  api.intercept = (_, response) => {
    send(response, status, body)
    return true
  }
  await clock.sleep(2_500)
  expect(counts()?.pending).toBe(1)
  expect(monitor.told().join('\n')).not.toContain('resolved')
})

test('invariant 5: a record that cannot be read is counted and told, and the others go on', async () => {
  const failed = toOpenWire({ status: '0x0' })
  const unreadable = { ...toWire(), txType: 'Sideways' }
  api.records = [toWire(), unreadable, failed, toWire()]
  monitor = await watch()
  await until(() => naming('unreadable 1').length > 0 && naming(failed['zoneTxHash']).length > 0)
  expect(counts()).toMatchObject({ completed: 2, failed: 1 })
})

test('invariant 9: a condition fires once until fresh data says otherwise, and then ends once', async () => {
  const open = toOpenWire()
  api.records = [open]
  monitor = await watch()
  await until(() => naming(open['zoneTxHash']).length === 1)
  await clock.sleep(2_000)
  expect(naming(open['zoneTxHash'])).toHaveLength(1)
  Object.assign(open, {
    mainTxHash: `0x${'feed'.repeat(16)}`,
    mainBlockHeight: '9001',
    mainBlockTime: String(clock.now()),
  })
  await until(() => naming(open['zoneTxHash']).length === 2)
  await clock.sleep(1_500)
  expect(naming(open['zoneTxHash'])).toHaveLength(2)
  expect(naming(open['zoneTxHash'])[1]).toContain('resolved')
})

test('invariant 17: a token name cannot mention everyone or make a link', async () => {
  api.records = [toOpenWire({ status: '0x0', tokenName: '<!channel> <https://evil.example|USDC>' })]
  monitor = await watch()
  await until(() => naming('failed').length > 0)
  expect(JSON.stringify(monitor.inbox.messages.map(({ payload }) => payload))).not.toMatch(
    /<!channel>|<https:\/\/evil/,
  )
})
