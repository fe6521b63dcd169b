import { describe, expect, test } from 'vitest'
import { judgeApart, judgeBatch } from '../../../src/meaning/judgeBatch.ts'
import { judgeMoney } from '../../../src/meaning/judgeMoney.ts'
import type { TokenMove, Transfer } from '../../../src/bridge/transfer.ts'
import { hash, toRecord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

const vault = `0x${'ee'.repeat(20)}`
const payee = (n: number) => `0x${String(n).repeat(40)}`
const noFees: Parameters<typeof judgeBatch>[2] = { fees: [] }

interface Item {
  readonly id?: string
  readonly amount: number
  readonly to?: number
}

const move = ({ id = '', amount, to = 1 }: Item): TokenMove => ({
  token: '0xcc',
  from: vault,
  to: payee(to),
  amountRaw: BigInt(amount),
  amount: null,
  tokenId: id,
})

/** @param receipt what the chain's own node shows beside it; left out, nothing */
function batch(
  detail: readonly object[],
  moves: readonly TokenMove[],
  receipt?: readonly TokenMove[],
): Transfer {
  const record = toRecord({
    crossType: 'BatchWithdraw',
    source: 'E12',
    token: '0xcc',
    amountRaw: 9n,
    value: '9',
    targetAddress: payee(1),
    mainHash: hash('main'),
    batchDetail: JSON.stringify(detail),
  })
  const evidence = { chain: 'main', hash: hash('main'), source: 'E13', at: 1, status: 'success' } as const
  const answers = [
    ...(receipt ? [{ ...evidence, source: 'canonical' as const, errorMessage: '', moves: receipt }] : []),
    { ...evidence, errorMessage: '', moves },
  ]
  return transferOf([record], answers)
}

const items = [
  { tokenId: '11', amount: '4', to: payee(1) },
  { tokenId: '22', amount: '5', to: payee(2) },
]
const missing = (transfer: Transfer, settings = noFees) => judgeBatch(transfer, [], settings)?.missing ?? []

describe('a batch that names who gets what', () => {
  test('is paid when each got his, or the record got all', () => {
    const apart = [move({ id: '11', amount: 4 }), move({ id: '22', amount: 5, to: 2 })]
    expect(missing(batch(items, apart))).toEqual([])
    expect(missing(batch(items, [move({ id: '11', amount: 4 }), move({ id: '22', amount: 5 })]))).toEqual([])
  })

  test('is not when another one got it', () => {
    const stolen = [move({ id: '11', amount: 4 }), move({ id: '22', amount: 5, to: 3 })]
    expect(missing(batch(items, stolen))).toEqual(['22'])
  })

  test('is covered on the main chain though the record names one of them', () => {
    const settings = { fees: [], vaultsOf: () => [] }
    const apart = [move({ id: '11', amount: 4 }), move({ id: '22', amount: 5, to: 2 })]
    const paid = batch(items, apart)
    expect(judgeApart(paid, [paid], apart, noFees)).toBe('covered')
    expect(judgeMoney(paid, [paid], settings)?.gap).toBe('covered')
    const stolen = batch(items, [move({ id: '11', amount: 4 }), move({ id: '22', amount: 5, to: 3 })])
    expect(judgeMoney(stolen, [stolen], settings)?.gap).not.toBe('covered')
  })
})

describe('a batch that pays one of those it names more than it says (semantics 47)', () => {
  const settings = { fees: [], vaultsOf: () => [] }
  const gapOf = (moves: readonly TokenMove[], others: readonly Transfer[] = []) => {
    const paid = batch(items, moves)
    return judgeMoney(paid, [paid, ...others], settings)?.gap
  }
  const second = move({ id: '22', amount: 5, to: 2 })

  test('is told', () => {
    const gap = gapOf([move({ id: '11', amount: 4_000 }), second])
    expect(gap).toEqual({ what: 'amount', found: '0.004005' })
    expect(gapOf([move({ id: '11', amount: 4 }), { ...second, amountRaw: 6n }])).toMatchObject({
      found: '0.00001',
    })
  })

  test('is not where what he gets beside it is a movement of its own', () => {
    expect(gapOf([move({ id: '11', amount: 4 }), second, move({ id: '11', amount: 70 })])).toBe('covered')
  })

  test('is not where another withdrawal of his is paid along', () => {
    const other = { ...batch(items, []), key: 't2', amountRaw: 7n, amount: '7' }
    const single: Transfer = { ...other, crossType: 'Withdraw', batchDetail: null }
    expect(gapOf([move({ id: '11', amount: 11 }), second], [single])).toBe('covered')
    expect(gapOf([move({ id: '11', amount: 12 }), second], [single])).not.toBe('covered')
  })
})

describe('a batch of which the node of the chain has a receipt', () => {
  const honest = [move({ id: '11', amount: 4 }), move({ id: '22', amount: 5, to: 2 })]
  const stolen = [move({ id: '11', amount: 4 }), move({ id: '22', amount: 5, to: 3 })]
  const unread: TokenMove = { ...move({ amount: 0 }), from: '', to: '', amountRaw: null }

  test('is judged by what the explorer says moved where the receipt cannot be read', () => {
    expect(missing(batch(items, stolen, [unread]))).toEqual(['22'])
    expect(missing(batch(items, honest, [unread]))).toEqual([])
  })

  test('is judged by the receipt where that can be', () => {
    expect(missing(batch(items, honest, stolen))).toEqual(['22'])
    expect(missing(batch(items, stolen, honest))).toEqual([])
  })
})

describe('a batch whose items are not named in full', () => {
  test('without ids counts all that moved', () => {
    const bare = [{ amount: '4' }, { amount: '5' }]
    expect(missing(batch(bare, [move({ id: '11', amount: 4 }), move({ id: '22', amount: 5 })]))).toEqual([])
    expect(missing(batch(bare, [move({ id: '11', amount: 4 }), move({ id: '22', amount: 4 })]))).toEqual([''])
  })
})

test('semantics.md 47: one whose detail does not add up to its record is told, whatever was paid', () => {
  const detail = [
    { tokenId: '11', amount: '4', to: payee(1) },
    { tokenId: '22', amount: '4', to: payee(2) },
  ]
  const paid = [move({ id: '11', amount: 4 }), move({ id: '22', amount: 4, to: 2 })]
  const problem = judgeBatch(batch(detail, paid), [], noFees)
  expect(problem).toMatchObject({ kind: 'sum', itemSum: '8', recordSum: '9', missing: [] })
  expect(judgeBatch(batch(items, paid), [], noFees)?.kind).toBe('unpaid')
})

test('a fee may be kept of a batch, and no more', () => {
  const fees = { fees: [{ token: '0xcc', direction: 'ZoneToMain', max: '0.000001' }] }
  const plain = [
    { amount: '4', to: payee(1) },
    { amount: '5', to: payee(1) },
  ]
  expect(missing(batch(plain, [move({ amount: 8 })]), fees)).toEqual([])
  expect(missing(batch(plain, [move({ amount: 7 })]), fees)).toEqual([''])
  expect(missing(batch(plain, [move({ amount: 8 })]))).toEqual([''])
})

test('semantics.md 48: a fee is kept of a batch once, and not of each id or recipient', () => {
  const fees = { fees: [{ token: '0xcc', direction: 'ZoneToMain', max: '0.000001' }] }
  const of = (one: number, other: number, to = 2) =>
    missing(batch(items, [move({ id: '11', amount: one }), move({ id: '22', amount: other, to })]), fees)
  expect(of(3, 5)).toEqual([])
  expect(of(4, 4)).toEqual([])
  expect(of(3, 4)).toEqual(['11', '22'])
  expect(of(3, 4, 1)).toEqual(['11', '22'])
})
