import { expect, test } from 'vitest'
import { send, toOpenWire, toWire } from '../support/fakeExplorer.ts'
import { createLeapingApi } from '../support/leapingApi.ts'

const rules = `
rules:
  - { name: failed, on: transfer.failed, severity: critical, summary: "failed {{ transfer.amount }}" }
  - { name: stalled, on: transfer.stalled, with: { direction: ZoneToMain, after: 3s }, severity: critical, summary: "waits {{ transfer.amount }}" }
  - { name: rewritten, on: transfer.rewritten, where: 'facts.statusAfter != "failed"', severity: critical, summary: "rewritten" }
`

test('of 250 good transfers, one stalled and one failed, exactly those two are told, with exact amounts', async () => {
  const { api, clock, until, watch } = await createLeapingApi()
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
  const { naming, told } = await watch({ rules })
  await until(() => naming(stalled['zoneTxHash']).length > 0 && naming(failed['zoneTxHash']).length > 0)
  await clock.sleep(2_000)
  expect(told().length).toBeLessThanOrEqual(2)
  expect(naming(stalled['zoneTxHash'])[0]).toContain(amount)
  expect(naming(failed['zoneTxHash'])[0]).toContain('failed 7')
  expect(told().join('\n')).not.toContain('resolved')
  Object.assign(stalled, {
    mainTxHash: `0x${'feed'.repeat(16)}`,
    mainBlockHeight: '9001',
    mainBlockTime: String(clock.now()),
  })
  await until(() => naming(stalled['zoneTxHash']).length > 1)
  expect(naming(stalled['zoneTxHash'])[1]).toContain('resolved')
})

test('a failure that appears live is told within the poll interval and a second', async () => {
  const { api, clock, until, watch } = await createLeapingApi()
  api.records = Array.from({ length: 50 }, () => toWire())
  const { naming } = await watch({ rules })
  await clock.sleep(3_000)
  const failed = toOpenWire({ status: '0x0' })
  api.records.unshift(failed)
  expect(await until(() => naming(failed['zoneTxHash']).length > 0)).toBeLessThan(2_000)
})

test('a record rewritten from completed to failed is told once', async () => {
  const { api, clock, until, watch } = await createLeapingApi()
  const record = toWire()
  api.records = [...Array.from({ length: 30 }, () => toWire()), record]
  const { naming } = await watch({ rules })
  await clock.sleep(2_500)
  Object.assign(record, { status: '0x0', updateTime: String(clock.now()) })
  await until(() => naming(record['zoneTxHash']).length > 0)
  await clock.sleep(3_000)
  expect(naming(record['zoneTxHash'])).toHaveLength(1)
})

test('a record filled in late, far behind the newest page, is caught', async () => {
  const { api, clock, until, watch } = await createLeapingApi()
  api.records = Array.from({ length: 900 }, () => toWire())
  const { naming } = await watch({ rules })
  await clock.sleep(4_000)
  const late = toOpenWire({ status: '0x0' })
  api.records.splice(800, 0, late)
  await until(() => naming(late['zoneTxHash']).length > 0)
})

test('an old record that changes far behind the newest page is caught by the sweep', async () => {
  const { api, clock, until, watch } = await createLeapingApi()
  api.records = Array.from({ length: 900 }, () => toWire())
  const { naming } = await watch({ rules })
  await clock.sleep(4_000)
  Object.assign(api.records[850]!, { status: '0x0', updateTime: String(clock.now()) })
  await until(() => naming(api.records[850]!['zoneTxHash']).length > 0, 25_000)
})

test('several transfers in one zone transaction stay several, and an empty id is no obstacle', async () => {
  const { api, until, watch } = await createLeapingApi()
  const zone = toWire()['zoneTxHash'] ?? ''
  api.records = ['1', '2', '3'].map((n) =>
    toOpenWire({ id: '', status: '0x0', zoneTxHash: zone, value: n, valueRaw: `${n}000000` }),
  )
  const { told } = await watch({ rules })
  await until(() => ['failed 1', 'failed 2', 'failed 3'].every((text) => told().join().includes(text)))
})

test('records that arrive at every page request are all in the ledger, with pages silently capped at 50', async () => {
  const { api, until, watch } = await createLeapingApi()
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
  const { app, told } = await watch({ rules })
  await until(() => app.parts.ledger.countByState().completed === 3_500, 60_000)
  expect(told()).toEqual([])
})

test('60 % of empty answers for ten seconds lose nothing and tell nothing', async () => {
  const { api, clock, until, watch } = await createLeapingApi()
  const from = clock.now() - 60_000
  // Of nearly one time, so that they seem to begin with the oldest.
  api.records = Array.from({ length: 300 }, (_, n) => toWire({ zoneBlockTime: String(from + n) }))
  const { app, told } = await watch()
  await clock.sleep(3_000)
  let n = 0
  const endAt = clock.now() + 10_000
  api.intercept = (_, response) => {
    if (clock.now() > endAt || (n += 1) % 5 > 2) return false
    send(response, 200, { code: '0', msg: '', data: [] })
    return true
  }
  for (let added = 0; added < 40; added += 1) {
    const at = String(clock.now())
    api.records.unshift(toWire({ zoneBlockTime: at, mainBlockTime: at }))
    await clock.sleep(250)
  }
  await until(() => app.parts.ledger.countByState().completed === 340, 20_000)
  expect(told()).toEqual([])
})
