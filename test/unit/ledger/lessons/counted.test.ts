import { expect, test } from 'vitest'
import {
  countedAmount,
  type Counted,
  flowStepMs,
  formatCounted,
  isByRow,
  readCounted,
} from '../../../../src/ledger/lessons/counted.ts'
import { toCount } from '../../../../src/ledger/amounts/flow.ts'
import { latencyStepMs } from '../../../../src/ledger/lessons/latency.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { payable } from '../../../support/gateFacts.ts'
import { fc } from '../../../support/fastCheck.ts'

const step = fc.integer({ min: 0, max: 300_000_000 }).map((count) => count * flowStepMs)
const counted = fc
  .record({
    amount: fc.option(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String)),
    started: fc.option(step),
    arrived: fc.option(step),
    latency: fc.option(fc.integer({ min: 0, max: 400 })),
    tokenId: fc.option(fc.string()),
  })
  .map(
    ({ amount, started, arrived, latency, tokenId }): Counted => [
      amount,
      started,
      arrived,
      arrived === null || latency === null ? null : [arrived - (arrived % latencyStepMs), latency],
      ...(tokenId === null ? ([] as const) : ([tokenId] as const)),
    ],
  )

const times = fc.record({
  originAt: fc.integer({ min: 0, max: 3_000_000_000_000 }),
  destinationAt: fc.option(fc.integer({ min: 0, max: 3_000_000_000_000 })),
})
const row = { originAt: 1_795_502_583_000, destinationAt: 1_795_502_600_500 }

test('what is counted of a transfer is read as it was written', () => {
  fc.assert(
    fc.property(counted, times, (one, row) => {
      expect(readCounted(formatCounted(one, row), row)).toEqual(one)
    }),
  )
})

test('a row has it in half of its bytes as JSON', () => {
  const at = 1_795_502_580_000
  const one: Counted = ['962109707003835022599', at, at + 20_000, [at - (at % latencyStepMs), 15]]
  expect(formatCounted(one, row)).toBe('962109707003835022599,2ywdv6,2,f')
})

test('of what left and arrived when the row says so it has the amount alone', () => {
  fc.assert(
    fc.property(times, fc.boolean(), ({ originAt, destinationAt }, isPiece) => {
      const transfer = {
        ...payable,
        state: destinationAt === null ? ('pending' as const) : ('completed' as const),
        zone: { chain: 'zone' as const, hash: '0x1', height: 1, time: originAt },
        originAt,
        destinationAt,
        amountRaw: 5n,
        token: { ...payable.token, id: isPiece ? 'a,=b' : '' },
      }
      const { flow } = toCount(transfer)
      expect(flow).toBe(isPiece ? '5,=,a,=b' : '5,=')
      expect(isByRow(flow ?? '')).toBe(true)
    }),
  )
  const at = 1_795_502_580_000
  expect(isByRow(formatCounted(['5', at, null, null, '=,='], row))).toBe(false)
})

test.each([
  ['["5",10000,20000,[0,3]]', ['5', 10_000, 20_000, [0, 3]]],
  ['{"a":"5","s":10000,"e":null,"l":null,"i":"7"}', ['5', 10_000, null, null, '7']],
])('as a version before wrote it: %s', (text, expected) => {
  expect(readCounted(text, row)).toEqual(expected)
})

test.each([
  ['962,1,2,f', '962'],
  ['962,=', '962'],
  [',=,7', null],
  [',1,2,', null],
  ['["962",1,2,null]', '962'],
  ['{"a":"962","s":null,"e":null,"l":null}', '962'],
  [null, null],
])('SQL finds the amount of %s: %s', (flow, expected) => {
  const db = openDatabase(':memory:')
  const sql = `SELECT ${countedAmount} AS amount FROM (SELECT ? AS flow)`
  expect(db.prepare(sql).get(flow)?.['amount']).toBe(expected)
  db.close()
})
