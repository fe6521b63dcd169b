import { expect, test } from 'vitest'
import { send, toOpenWire, toWire } from '../support/fakeExplorer.ts'
import { createLeapingApi } from '../support/leapingApi.ts'

const rules = `
rules:
  - { name: failed, on: transfer.failed, severity: critical, summary: "failed {{ transfer.token.label }}" }
  - { name: stalled, on: transfer.stalled, with: { direction: ZoneToMain, after: 2s }, severity: critical, summary: "waits" }
  - { name: drift, on: source.drift, with: { keep: 10m }, severity: critical, summary: "unreadable {{ facts.count }}" }
`

const empty = { code: '0', msg: '', data: [] }

test('invariant 1: nothing is called absent while the source says nothing, and then it is', async () => {
  const { api, clock, until, watch } = await createLeapingApi()
  const open = toOpenWire({ zoneBlockTime: String(clock.now()) })
  api.records = [open]
  const { counts, naming } = await watch({ rules })
  await until(() => counts().pending === 1)
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
  const { api, until, watch } = await createLeapingApi()
  const open = toOpenWire()
  api.records = [toWire(), open]
  const { naming } = await watch({ rules })
  await until(() => naming(open['zoneTxHash']).length > 0)
  expect(naming(open['zoneTxHash'])[0]).toContain('waits')
})

test.each([
  { title: 'an error', status: 500, body: 'oops' },
  { title: 'an empty list', status: 200, body: empty },
  { title: '{}', status: 200, body: {} },
])('invariant 3: $title is not a zero: what fires keeps firing', async ({ status, body }) => {
  const { api, clock, until, watch } = await createLeapingApi()
  const open = toOpenWire()
  api.records = [open]
  const { counts, naming, told } = await watch({ rules })
  await until(() => naming(open['zoneTxHash']).length === 1)
  api.intercept = (_, response) => {
    send(response, status, body)
    return true
  }
  await clock.sleep(2_500)
  expect(counts().pending).toBe(1)
  expect(told().join('\n')).not.toContain('resolved')
})

test('invariant 5: a record that cannot be read is counted and told, and the others go on', async () => {
  const { api, until, watch } = await createLeapingApi()
  const failed = toOpenWire({ status: '0x0' })
  const unreadable = { ...toWire(), txType: 'Sideways' }
  api.records = [toWire(), unreadable, failed, toWire()]
  const { counts, naming } = await watch({ rules })
  await until(() => naming('unreadable 1').length > 0 && naming(failed['zoneTxHash']).length > 0)
  expect(counts()).toMatchObject({ completed: 2, failed: 1 })
})

test('invariant 9: a condition fires once until fresh data says otherwise, and then ends once', async () => {
  const { api, clock, until, watch } = await createLeapingApi()
  const open = toOpenWire()
  api.records = [open]
  const { naming } = await watch({ rules })
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
  const { api, until, watch } = await createLeapingApi()
  api.records = [toOpenWire({ status: '0x0', tokenName: '<!channel> <https://evil.example|USDC>' })]
  const { inbox, naming } = await watch({ rules })
  await until(() => naming('failed').length > 0)
  expect(JSON.stringify(inbox.messages.map(({ payload }) => payload))).not.toMatch(
    /<!channel>|<https:\/\/evil/,
  )
})
