import { findingText } from '../support/readFinding.ts'
import { expect, test } from 'vitest'
import type { AppConfig } from '../../src/kernel/settings.ts'
import { toWire, type WireLog, type WireRecord } from '../support/fakeExplorer.ts'
import { noBridge } from '../support/appConfig.ts'
import { createLeapingApi } from '../support/leapingApi.ts'

const bridge = `0x${'b1'.repeat(20)}`
const other = `0x${'0e'.repeat(20)}`
const token = `0x${'cc'.repeat(20)}`
const user = (n: number) => `0x${(0xa000 + n).toString(16).padStart(40, 'e')}`
const word = (hex: string) => hex.replace('0x', '').padStart(64, '0')
const number = (n: bigint | number) => word(BigInt(n).toString(16))

/** Another bridge's payout event: everything in the data, a text of any length first, the recipient at the left of its word. */
const paidTopic = `0x${'9a'.repeat(32)}`
const noticeTopic = `0x${'77'.repeat(32)}`

async function setUp(events: AppConfig['bridge']['events'] = []) {
  const { api: fake, clock, until, watch } = await createLeapingApi()
  const startedAt = clock.now()
  const timeOf = (height: number) => startedAt + (height - 10_000) * 1_000
  let nextLog = 0
  const log = (record: WireRecord, topic: string, data: string, address = bridge): WireLog => ({
    height: record['mainBlockHeight'] ?? '',
    address,
    topics: [topic],
    data: `0x${data}`,
    txId: record['mainTxHash'] ?? '',
    transactionTime: record['mainBlockTime'] ?? '',
    logIndex: String((nextLog += 1)),
  })
  const record = (n: number, height: number) =>
    toWire(
      {
        mainBlockHeight: String(height),
        mainBlockTime: String(timeOf(height)),
        zoneBlockTime: String(timeOf(height) - 20_000),
        tokenContractAddress: token,
        targetAddress: user(n),
        sourceAddress: user(n + 100),
        valueRaw: String(1_000_000 + n * 1_357),
        value: '',
      },
      `paid-${n}`,
    )
  const paid = (one: WireRecord, memo: string) => {
    const length = Buffer.byteLength(memo)
    const text = Buffer.from(memo)
      .toString('hex')
      .padEnd(Math.ceil(length / 32) * 64, '0')
    const recipient = (one['targetAddress'] ?? '').slice(2).padEnd(64, '0')
    const head =
      number(128) + number(BigInt(one['valueRaw'] ?? 0)) + recipient + word(one['tokenContractAddress'] ?? '')
    // Two events of each payout: one that tells all of it, one that merely goes with it.
    return [
      log(one, paidTopic, head + number(length) + text),
      log(
        one,
        noticeTopic,
        word(one['zoneTxHash'] ?? '') + recipient + word(one['tokenContractAddress'] ?? ''),
      ),
    ]
  }
  for (let n = 0; n < 6; n += 1) {
    const one = record(n, 9_900 + n * 10)
    fake.records.unshift(one)
    fake.logs.push(...paid(one, 'x'.repeat(n * 9)))
  }
  const monitor = await watch({ config: { bridge: { ...noBridge, contracts: [bridge], events } } })
  const transfers = () => monitor.app.parts.ledger.listTransfers({ limit: 1_000 })
  const unlisted = () => transfers().filter(({ isListed }) => !isListed)
  const now = () => Math.floor((clock.now() - startedAt) / 1_000) + 10_000
  return { fake, clock, monitor, transfers, unlisted, record, paid, log, now, until }
}

test('a payout without a record is one transfer, whatever the layout of its two events, and its late record joins', async () => {
  const { fake, unlisted, transfers, record, paid, now, until } = await setUp()
  await until(() => transfers().length === 6)
  const hidden = record(42, now())
  fake.logs.push(...paid(hidden, 'a memo of yet another length'))
  await until(() => unlisted().length > 0)
  expect(unlisted()).toMatchObject([
    {
      state: 'unbacked',
      direction: 'ZoneToMain',
      amountRaw: 1_056_994n,
      targetAddress: user(42),
      token: { address: token },
      main: { hash: hidden['mainTxHash'] },
      zone: null,
    },
  ])
  fake.records.unshift(hidden)
  await until(() => unlisted().length === 0)
  expect(transfers()).toHaveLength(7)
})

test('of two payouts in one transaction the one without a record is told, and its listed sibling is not', async () => {
  const { fake, monitor, unlisted, transfers, record, paid, now, until } = await setUp()
  await until(() => transfers().length === 6)
  const height = now()
  const listed = record(50, height)
  const hidden = { ...record(51, height), mainTxHash: listed['mainTxHash'] ?? '' }
  fake.records.unshift(listed)
  fake.logs.push(...paid(listed, 'one'), ...paid(hidden, 'two'))
  await until(() => unlisted().length > 0)
  expect(unlisted()).toMatchObject([{ targetAddress: user(51) }])
  expect(transfers()).toHaveLength(8)
  const { db } = monitor.app.parts
  const told = () =>
    db
      .prepare("SELECT subject, finding FROM alerts WHERE kind = 'transfer.unbacked'")
      .all()
      .map(({ subject, finding }) => ({ subject, facts: JSON.parse(findingText(finding)).facts }))
  await until(() => told().some(({ subject }) => subject === unlisted()[0]?.key))
  const [key] = unlisted().map((one) => one.key)
  const sibling = transfers().find((one) => one.isListed && one.main?.hash === listed['mainTxHash'])
  expect(told().filter(({ subject }) => subject === key)).toMatchObject([{ facts: { reason: 'unlisted' } }])
  expect(told().filter(({ subject }) => subject === sibling?.key)).toEqual([])
})

test('events that never go with a transfer open none, however many', async () => {
  const { fake, clock, unlisted, transfers, record, log, now, until } = await setUp()
  await until(() => transfers().length === 6)
  for (let n = 60; n < 80; n += 1) {
    fake.logs.push(log(record(n, now()), `0x${'55'.repeat(32)}`, word(user(n)) + number(n * 77)))
  }
  await clock.sleep(90_000)
  expect(unlisted()).toEqual([])
})

test('what the configuration calls a deposit opens one, and what it calls administration is told, of this contract only', async () => {
  const deposit = `0x${'d0'.repeat(32)}`
  const admin = `0x${'ad'.repeat(32)}`
  const { fake, monitor, unlisted, transfers, record, log, now, clock, until } = await setUp([
    { topic: deposit, means: 'deposit', name: '' },
    { topic: admin, means: 'administration', name: 'StakeBought' },
  ])
  await until(() => transfers().length === 6)
  fake.logs.push(log(record(80, now()), deposit, number(5)))
  fake.logs.push(log(record(81, now()), admin, number(7)), log(record(82, now()), admin, number(7), other))
  await until(() => unlisted().length > 0)
  expect(unlisted()).toMatchObject([{ state: 'pending', direction: 'MainToZone', amountRaw: null }])
  await until(() => monitor.told().some((text) => text.includes('StakeBought')))
  await clock.sleep(20_000)
  const told = monitor.app.parts.db
    .prepare("SELECT count(*) AS count FROM alerts WHERE kind = 'contract.changed'")
    .get()
  expect(told).toEqual({ count: 1 })
})
