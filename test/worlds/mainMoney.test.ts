import { findingText } from '../support/readFinding.ts'
import { countAsked } from '../support/everyAnswer.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createScaledClock } from '../../src/lib/clock.ts'
import { createFakeExplorer, send, toWire, type WireRecord } from '../support/fakeExplorer.ts'
import { createFakeMainChain, type FakeMainTransaction } from '../support/fakeMainChain.ts'
import { noBridge } from '../support/appConfig.ts'
import { startMonitor, until } from '../support/startMonitor.ts'

const escrow = '0x00000000000000000000000000000000000000e5'
const token = '0x00000000000000000000000000000000000000cc'
const other = '0x00000000000000000000000000000000000000dd'
const payee = '0x00000000000000000000000000000000000000bb'
const native = '0x0000000000000000000000000000000000000000'
const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
`

interface Case {
  readonly records: readonly WireRecord[]
  readonly transactions: readonly Omit<FakeMainTransaction, 'hash'>[]
  readonly fees?: { token: string; direction: 'ZoneToMain'; max: string }[]
}

/**
 * The daemon with these records, each with a main transaction of its own where there are as many, else with the first.
 * @param expected how much is to be told: what may be an unknown fee waits two minutes for others to tell
 */
async function judge({ records, transactions, fees = [] }: Case, expected: number) {
  const fake = await createFakeExplorer()
  const chain = createFakeMainChain()
  chain.spelling = records.length % 2 === 0 ? 'sample' : 'documented'
  const shared = transactions.length === 1 ? toWire({}, 'shared')['mainTxHash'] : undefined
  fake.records = records.map((record) =>
    toWire(shared !== undefined && records.length > 1 ? { mainTxHash: shared, ...record } : record),
  )
  for (const [at, transaction] of transactions.entries()) {
    const hash = fake.records[at]?.['mainTxHash'] ?? ''
    chain.transactions.set(hash, { hash, ...transaction })
  }
  for (const { zoneTxHash = '', valueRaw = '', value = '' } of fake.records) {
    fake.zoneTransactions.set(zoneTxHash, {
      hash: zoneTxHash,
      blockHeight: '90000',
      blockTime: String(Date.now() - 60_000),
      status: '0x1',
      valueRaw,
      value,
      errorMessage: '',
    })
  }
  fake.intercept = (request, response) => {
    const data = chain.answer(request)
    if (data === undefined) return false
    send(response, 200, { code: '0', msg: '', data })
    return true
  }
  const monitor = await startMonitor({
    url: fake.url,
    rules,
    clock: createScaledClock(20),
    config: { bridge: { ...noBridge, tokens: [{ address: token, symbol: 'USDC', decimals: 6 }], fees } },
  })
  onTestFinished(() => Promise.all([monitor.stop(), fake.close()]).then(() => undefined))
  const { db } = monitor.app.parts
  const told = () =>
    db
      .prepare('SELECT kind, finding FROM alerts ORDER BY id')
      .all()
      .map((row) => {
        const { facts } = JSON.parse(findingText(row['finding'])) as { facts: Record<string, unknown> }
        return `${String(row['kind'])} ${String(facts['what'] ?? facts['reason'])}`
      })
  await until(() => countAsked(db, 'main') >= transactions.length, 120_000)
  if (expected > 0) await until(() => told().length >= expected, 30_000)
  await new Promise((resolve) => setTimeout(resolve, 500))
  return told()
}

const move = (amount: string, overrides: Partial<Record<'token' | 'to' | 'tokenId', string>> = {}) => ({
  token,
  from: escrow,
  to: payee,
  amount,
  decimals: 6,
  ...overrides,
})
const fee = [{ token, direction: 'ZoneToMain' as const, max: '0.5' }]
const coin = {
  tokenContractAddress: native,
  tokenType: '',
  tokenName: 'Ether',
  value: '2',
  valueRaw: '2000000000000000000',
}

const paidIn = { ...coin, txType: 'MainToZone', crossType: 'Deposit' }

describe('a payout is compared with what its main transaction moved (semantics 14)', () => {
  test.each<[string, Case, string[]]>([
    ['the very amount is silent', { records: [{}], transactions: [{ moves: [move('1.5')] }] }, []],
    [
      'another amount is told',
      { records: [{}], transactions: [{ moves: [move('1.4')] }] },
      ['transfer.mismatch amount'],
    ],
    [
      'a fee at the bound is silent',
      { records: [{}], transactions: [{ moves: [move('1')] }], fees: fee },
      [],
    ],
    [
      'a fee beyond the bound is told',
      { records: [{}], transactions: [{ moves: [move('0.999999')] }], fees: fee },
      ['transfer.mismatch amount'],
    ],
    [
      'another recipient is told',
      { records: [{}], transactions: [{ moves: [move('1.5', { to: other })] }] },
      ['transfer.mismatch recipient'],
    ],
    [
      'two payouts by one transaction are silent',
      {
        records: [{}, { value: '2', valueRaw: '2000000' }],
        transactions: [{ moves: [move('1.5'), move('2')] }],
      },
      [],
    ],
    [
      'two payouts of which one was paid: the other is told',
      { records: [{}, { value: '2', valueRaw: '2000000' }], transactions: [{ moves: [move('1.5')] }] },
      ['transfer.mismatch amount'],
    ],
    [
      'one token id of many is silent',
      {
        records: [{ tokenType: 'ERC1155', tokenId: '7' }],
        transactions: [{ moves: [move('1.5', { tokenId: '7' })] }],
      },
      [],
    ],
    [
      'another token id is told',
      {
        records: [{ tokenType: 'ERC1155', tokenId: '7' }],
        transactions: [{ moves: [move('1.5', { tokenId: '8' })] }],
      },
      ['transfer.mismatch tokenId'],
    ],
    [
      'native currency by a call within is silent',
      { records: [coin], transactions: [{ calls: [{ from: escrow, to: payee, amount: '2' }] }] },
      [],
    ],
    [
      'native currency by the transaction itself is silent',
      { records: [coin], transactions: [{ from: escrow, to: payee, value: '2' }] },
      [],
    ],
    [
      'too little native currency is told',
      { records: [coin], transactions: [{ calls: [{ from: escrow, to: payee, amount: '1.9' }] }] },
      ['transfer.mismatch amount'],
    ],
    [
      'a native deposit by the value of its transaction is silent',
      { records: [paidIn], transactions: [{ from: payee, to: escrow, value: '2' }] },
      [],
    ],
    [
      'a native deposit whose transaction carried less is told',
      { records: [paidIn], transactions: [{ from: payee, to: escrow, value: '1.999999999999999999' }] },
      ['transfer.mismatch amount'],
    ],
    [
      'a native deposit by a call of a transaction that failed is told',
      {
        records: [paidIn],
        transactions: [{ isFailed: true, calls: [{ from: payee, to: escrow, amount: '2' }] }],
      },
      ['transfer.unbacked failed', 'transfer.mismatch status'],
    ],
    [
      'a native deposit by a call that failed is told',
      {
        records: [paidIn],
        transactions: [
          {
            calls: [
              { from: payee, to: escrow, amount: '2', state: 'fail' },
              { from: payee, to: other, amount: '0.1' },
            ],
          },
        ],
      },
      ['transfer.mismatch amount'],
    ],
    [
      'a native payout by a call of a transaction that failed is told',
      {
        records: [coin],
        transactions: [{ isFailed: true, calls: [{ from: escrow, to: payee, amount: '2' }] }],
      },
      ['transfer.mismatch status'],
    ],
  ])(
    '%s',
    async (_, given, expected) => {
      expect(await judge(given, expected.length)).toEqual(expected)
    },
    150_000,
  )
})

describe('records that name the zone’s address of a token', () => {
  const records = Array.from({ length: 5 }, (_, n) => ({
    valueRaw: String(1_500_000 + n),
    value: `1.50000${n}`,
    targetAddress: `${payee.slice(0, -1)}${n}`,
  }))
  const pay = (value: string, to: string, moved = token) => ({ moves: [move(value, { to, token: moved })] })

  test('are no mismatch: the pair is learned from them', async () => {
    const transactions = records.map(({ value, targetAddress }) => pay(value, targetAddress, other))
    expect(await judge({ records, transactions }, 0)).toEqual([])
  }, 150_000)

  test('another token on a bridge whose tokens bear their own names is told', async () => {
    const transactions = records.map(({ value, targetAddress }, n) =>
      pay(value, targetAddress, n === 4 ? other : token),
    )
    expect(await judge({ records, transactions }, 1)).toEqual(['transfer.mismatch token'])
  }, 150_000)
})
