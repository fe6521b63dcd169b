import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFakeExplorer, type FakeExplorer, send, toOpenWire, toWire } from '../support/fakeExplorer.ts'
import { type Monitor, startMonitor, until } from '../support/startMonitor.ts'

let api: FakeExplorer
let monitor: Monitor | null = null

beforeEach(async () => {
  api = await createFakeExplorer()
})
afterEach(async () => {
  await monitor?.stop()
  monitor = null
  await api.close()
})

const rules = `
rules:
  - { name: failed, on: transfer.failed, severity: critical, summary: "failed {{ transfer.amount }}" }
  - { name: stalled, on: transfer.stalled, with: { direction: ZoneToMain, after: 3s }, severity: critical, summary: "waits {{ transfer.amount }}" }
  - { name: rewritten, on: transfer.rewritten, where: 'facts.statusAfter != "failed"', severity: critical, summary: "rewritten" }
`
const naming = (hash: string | undefined) =>
  (monitor?.told() ?? []).filter((text) => text.includes(hash ?? '?'))
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('of 250 good transfers, one stalled and one failed, exactly those two are told, with exact amounts', async () => {
  const huge = (1n << 255n) + 1n
  const amount = `${huge.toString().slice(0, -18)}.${huge.toString().slice(-18)}`
  const stalled = toOpenWire({ valueRaw: String(huge), value: amount })
  const failed = toOpenWire({ status: '0x0', value: '7', valueRaw: '7000000' })
  api.records = [
    ...Array.from({ length: 125 }, () => toWire()),
    stalled,
    failed,
    ...Array.from({ length: 125 }, () => toWire()),
  ]
  monitor = await startMonitor({ url: api.url, rules })
  await until(() => naming(stalled['zoneTxHash']).length > 0 && naming(failed['zoneTxHash']).length > 0)
  await pause(2_000)
  expect(monitor.told().length).toBeLessThanOrEqual(2)
  expect(naming(stalled['zoneTxHash'])[0]).toContain(amount)
  expect(naming(failed['zoneTxHash'])[0]).toContain('failed 7')
  expect(monitor.told().join('\n')).not.toContain('resolved')
  Object.assign(stalled, {
    mainTxHash: `0x${'feed'.repeat(16)}`,
    mainBlockHeight: '9001',
    mainBlockTime: String(Date.now()),
  })
  await until(() => naming(stalled['zoneTxHash']).length > 1)
  expect(naming(stalled['zoneTxHash'])[1]).toContain('resolved')
})

test('a failure that appears live is told within the poll interval and a second', async () => {
  api.records = Array.from({ length: 50 }, () => toWire())
  monitor = await startMonitor({ url: api.url, rules })
  await pause(3_000)
  const failed = toOpenWire({ status: '0x0' })
  api.records.unshift(failed)
  expect(await until(() => naming(failed['zoneTxHash']).length > 0)).toBeLessThan(2_000)
})

test('a record rewritten from completed to failed is told once', async () => {
  const record = toWire()
  api.records = [...Array.from({ length: 30 }, () => toWire()), record]
  monitor = await startMonitor({ url: api.url, rules })
  await pause(2_500)
  Object.assign(record, { status: '0x0', updateTime: String(Date.now()) })
  await until(() => naming(record['zoneTxHash']).length > 0)
  await pause(3_000)
  expect(naming(record['zoneTxHash'])).toHaveLength(1)
})

test('a record filled in late, far behind the newest page, is caught', async () => {
  api.records = Array.from({ length: 900 }, () => toWire())
  monitor = await startMonitor({ url: api.url, rules })
  await pause(4_000)
  const late = toOpenWire({ status: '0x0' })
  api.records.splice(800, 0, late)
  await until(() => naming(late['zoneTxHash']).length > 0)
})

test('an old record that changes far behind the newest page is caught by the sweep', async () => {
  api.records = Array.from({ length: 900 }, () => toWire())
  monitor = await startMonitor({ url: api.url, rules })
  await pause(4_000)
  Object.assign(api.records[850]!, { status: '0x0', updateTime: String(Date.now()) })
  await until(() => naming(api.records[850]!['zoneTxHash']).length > 0, 25_000)
})

test('several transfers in one zone transaction stay several, and an empty id is no obstacle', async () => {
  const zone = toWire()['zoneTxHash'] ?? ''
  api.records = ['1', '2', '3'].map((n) =>
    toOpenWire({ id: '', status: '0x0', zoneTxHash: zone, value: n, valueRaw: `${n}000000` }),
  )
  monitor = await startMonitor({ url: api.url, rules })
  await until(() =>
    ['failed 1', 'failed 2', 'failed 3'].every((text) => monitor?.told().join().includes(text)),
  )
})

test('records that arrive at every page request are all in the ledger, with pages silently capped at 50', async () => {
  api.pageCap = 50
  api.records = Array.from({ length: 3_000 }, () => toWire())
  let inserts = 0
  api.intercept = ({ path }) => {
    if (path.endsWith('/cross/transaction-list') && inserts < 500) {
      inserts += 5
      api.records.unshift(...Array.from({ length: 5 }, () => toWire()))
    }
    return false
  }
  monitor = await startMonitor({ url: api.url, rules })
  await until(() => monitor?.app.parts.ledger.countByState().completed === 3_500, 60_000)
  expect(monitor.told()).toEqual([])
})

test('60 % of empty answers for ten seconds lose nothing and tell nothing', async () => {
  api.records = Array.from({ length: 300 }, () => toWire())
  monitor = await startMonitor({ url: api.url })
  await pause(3_000)
  let n = 0
  const endAt = Date.now() + 10_000
  api.intercept = (_, response) => {
    if (Date.now() > endAt || (n += 1) % 5 > 2) return false
    send(response, 200, { code: '0', msg: '', data: [] })
    return true
  }
  const added = Array.from({ length: 40 }, () => toWire())
  for (const record of added) {
    api.records.unshift(record)
    await pause(250)
  }
  await until(() => monitor?.app.parts.ledger.countByState().completed === 340, 20_000)
  expect(monitor.told()).toEqual([])
})
