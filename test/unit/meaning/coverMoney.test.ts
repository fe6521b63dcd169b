import { describe, expect, test } from 'vitest'
import { coverMoney } from '../../../src/meaning/coverMoney.ts'
import type { MoneySettings } from '../../../src/meaning/moneyBounds.ts'
import type { TokenMove, Transfer } from '../../../src/bridge/transfer.ts'
import { toRecord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

const noFees: MoneySettings = { fees: [], vaultsOf: () => [] }
const feeOf = (direction: string, max: string): MoneySettings => ({
  ...noFees,
  fees: [{ token: '0xcc', direction, max }],
})
const move = (overrides: Partial<TokenMove> = {}): TokenMove => ({
  token: '0xcc',
  from: '0xe5',
  to: '0xbb',
  amountRaw: 1_500_000n,
  amount: null,
  tokenId: '',
  ...overrides,
})
const units = (amount: string) => move({ amountRaw: null, amount })
const payout = (overrides: Partial<Transfer> = {}): Transfer => ({
  ...transferOf([toRecord()]),
  ...overrides,
})
const deposit = (overrides: Partial<Transfer> = {}): Transfer =>
  payout({ direction: 'MainToZone', crossType: 'Deposit', ...overrides })
const cover = (transfer: Transfer, moves: readonly TokenMove[], settings = noFees, others: Transfer[] = []) =>
  coverMoney(transfer, [transfer, ...others], moves, settings)

describe('one transfer of 1.5', () => {
  test.each([
    ['the very amount in base units', [move()], 'covered'],
    ['the very amount in token units', [units('1.50')], 'covered'],
    ['one unit less', [move({ amountRaw: 1_499_999n })], { what: 'amount', found: '1.499999' }],
    ['one unit more', [move({ amountRaw: 1_500_001n })], { what: 'amount', found: '1.500001' }],
    ['more digits than the token has', [units('1.5000001')], null],
    ['digits that are zero', [units('1.5000000')], 'covered'],
    ['nothing at all', [], { what: 'amount', found: '' }],
    ['another token alone', [move({ token: '0xdd' })], { what: 'token', found: '0xdd' }],
    ['another recipient', [move({ to: '0x99' })], { what: 'recipient', found: '0x99' }],
    [
      'unrelated movements beside it',
      [move({ amountRaw: 7n, to: '0x1' }), move(), move({ token: '0xdd' })],
      'covered',
    ],
    ['a split payout', [move({ amountRaw: 1_000_000n }), move({ amountRaw: 500_000n })], 'covered'],
    ['a payout by way of a router', [move({ to: '0x77' }), move({ from: '0x77' })], 'covered'],
  ])('%s', (_, moves, expected) => {
    expect(cover(payout(), moves)).toEqual(expected)
  })

  test('unknown decimals are unknown, not different', () => {
    const unknown = payout({ token: { ...payout().token, decimals: null } })
    expect(cover(unknown, [units('9')])).toBeNull()
  })

  test('an unknown amount is not compared', () => {
    expect(cover(payout({ amountRaw: null, amount: null }), [])).toBeNull()
  })
})

describe('a record of nothing', () => {
  const nothing = (overrides: Partial<Transfer> = {}) =>
    payout({ amountRaw: 0n, amount: '0', key: 't0', ...overrides })
  test.each([
    ['nothing moved', [], 'covered'],
    ['nothing went to its recipient', [move({ to: '0x99' })], 'covered'],
    ['a movement of nothing', [move({ amountRaw: 0n })], 'covered'],
    ['something went to its recipient', [move()], { what: 'amount', found: '1.5' }],
    [
      'something beside a movement of nothing',
      [move({ amountRaw: 0n }), move()],
      { what: 'amount', found: '1.5' },
    ],
    ['something that has an id', [move({ tokenId: '7', amountRaw: 1n })], 'covered'],
  ])('%s', (_, moves, expected) => {
    expect(cover(nothing(), moves)).toEqual(expected)
  })

  test('what another record of its recipient claims is not its own', () => {
    expect(cover(nothing(), [move()], noFees, [payout()])).toBe('covered')
    expect(cover(nothing(), [move({ amountRaw: 7n })], noFees, [payout()])).toBe('covered')
    expect(cover(nothing(), [move(), move({ amountRaw: 7n })], noFees, [payout()])).toMatchObject({
      what: 'amount',
    })
  })

  test.each([
    ['a deposit, which may carry a message alone', { direction: 'MainToZone' as const }],
    ['one that names nobody', { targetAddress: '' }],
    ['one that no record tells of', { isListed: false }],
  ])('%s, denies nothing', (_, overrides) => {
    expect(cover(nothing(overrides), [move()])).toBe('covered')
  })
})

describe('fees', () => {
  const settings = feeOf('ZoneToMain', '0.5')
  test.each([
    ['a payout less by the fee', 1_000_000n, 'covered'],
    ['a payout less by one unit more', 999_999n, { what: 'amount', found: '0.999999' }],
    ['a payout above the record', 1_500_001n, { what: 'amount', found: '1.500001' }],
  ])('%s', (_, amountRaw, expected) => {
    expect(cover(payout(), [move({ amountRaw })], settings)).toEqual(expected)
  })

  test('a fee may be written of the address that the token moves under', () => {
    const twin = payout({ token: { ...payout().token, address: '0xaa', movedAs: '0xcc' } })
    expect(cover(twin, [move({ amountRaw: 1_000_000n })], settings)).toBe('covered')
    expect(cover(twin, [move({ amountRaw: 999_999n })], settings)).toMatchObject({ what: 'amount' })
  })

  test('a fee of the other direction does not count', () => {
    expect(cover(payout(), [move({ amountRaw: 1_400_000n })], feeOf('MainToZone', '0.5'))).toMatchObject({
      what: 'amount',
    })
  })

  test.each([
    ['to somebody else', [move({ to: '0x99' })], { what: 'recipient', found: '0x99' }],
    ['to nobody', [], { what: 'amount', found: '' }],
    ['but for one unit', [move({ amountRaw: 1n })], 'covered'],
  ])('a fee that may be more than the whole: all of it goes %s', (_, moves, expected) => {
    expect(cover(payout(), moves, feeOf('ZoneToMain', '300'))).toEqual(expected)
    expect(cover(deposit(), moves, { ...feeOf('MainToZone', '300'), vaultsOf: () => ['0xbb'] })).toEqual(
      expected,
    )
  })

  test('a deposit may bring the fee beside what is credited, and not more', () => {
    const fee = feeOf('MainToZone', '0.5')
    expect(cover(deposit(), [move({ amountRaw: 2_000_000n })], fee)).toBe('covered')
    expect(cover(deposit(), [move({ amountRaw: 2_000_001n })], fee)).toMatchObject({ what: 'amount' })
  })
})

describe('several transfers of one transaction', () => {
  const second = payout({ key: 't2' })
  test('two equal payouts need two movements', () => {
    expect(cover(payout(), [move(), move()], noFees, [second])).toBe('covered')
    expect(coverMoney(second, [payout(), second], [move()], noFees)).toEqual({
      what: 'amount',
      found: 'no item of its own',
    })
  })

  test('one that finds its amount in parts that others took is not told its own amount', () => {
    const parts = [move({ amountRaw: 1_000_000n }), move({ amountRaw: 500_000n })]
    expect(coverMoney(second, [payout(), second], parts, noFees)).toEqual({
      what: 'amount',
      found: 'no item of its own',
    })
  })

  test('the older of two equal payouts has the only movement', () => {
    expect(cover(payout(), [move()], noFees, [second])).toBe('covered')
  })

  test('one sum for one recipient pays both', () => {
    expect(cover(payout(), [move({ amountRaw: 3_000_000n })], noFees, [second])).toBe('covered')
    expect(cover(payout(), [move({ amountRaw: 2_999_999n })], noFees, [second])).toMatchObject({
      what: 'amount',
    })
  })

  test('whole amounts are matched before a fee lets one take what is another’s', () => {
    const smaller = payout({ key: 't2', amountRaw: 1_200_000n })
    const moves = [move({ amountRaw: 1_200_000n }), move({ amountRaw: 1_100_000n })]
    const settings = feeOf('ZoneToMain', '0.5')
    expect(cover(payout(), moves, settings, [smaller])).toBe('covered')
    expect(coverMoney(smaller, [payout(), smaller], moves, settings)).toBe('covered')
  })
})

describe('token ids', () => {
  const item = payout({ token: { ...payout().token, id: '7' } })
  test.each([
    ['the id', '7', 'covered'],
    ['the id in hex', '0x7', 'covered'],
    ['another id', '8', { what: 'tokenId', found: '8' }],
  ])('%s', (_, tokenId, expected) => {
    expect(cover(item, [move({ tokenId })])).toEqual(expected)
  })

  test('a batch is the sum of its ids', () => {
    const batch = payout({ crossType: 'BatchWithdraw' })
    const moves = [move({ tokenId: '1', amountRaw: 500_000n }), move({ tokenId: '2', amountRaw: 1_000_000n })]
    expect(cover(batch, moves)).toBe('covered')
    expect(cover(batch, moves.slice(1))).toMatchObject({ what: 'amount' })
  })
})

describe('where a deposit goes', () => {
  const vaults = { ...noFees, vaultsOf: () => ['0xe5'] }
  test('into the escrow, or burnt', () => {
    expect(cover(deposit(), [move({ to: '0xe5' })], vaults)).toBe('covered')
    expect(cover(deposit(), [move({ to: `0x${'0'.repeat(40)}` })], vaults)).toBe('covered')
  })

  test('elsewhere is no deposit', () => {
    expect(cover(deposit(), [move({ to: '0x99' })], vaults)).toEqual({ what: 'recipient', found: '0x99' })
  })

  test('anywhere while no escrow of the token is known', () => {
    expect(cover(deposit(), [move({ to: '0x99' })])).toBe('covered')
  })
})

describe('a deposit of 1.5, of which some goes back in the same transaction', () => {
  const paid = (amountRaw: bigint) => move({ from: '0x1', to: '0xe5', amountRaw })
  const back = (amountRaw: bigint, overrides: Partial<TokenMove> = {}) =>
    move({ from: '0xe5', to: '0x1', amountRaw, ...overrides })

  test.each([
    ['change', [paid(2_000_000n), back(500_000n)], 'covered'],
    ['all of it', [paid(1_500_000n), back(1_500_000n)], { what: 'amount', found: '0' }],
    [
      'a part of what is credited',
      [paid(1_500_000n), back(1n), back(4n)],
      { what: 'amount', found: '1.499995' },
    ],
    ['another token', [paid(1_500_000n), back(9n, { token: '0xdd' })], 'covered'],
    ['to somebody else', [paid(1_500_000n), back(9n, { to: '0x9' })], 'covered'],
  ])('%s', (_, moves, expected) => {
    expect(cover(deposit(), moves)).toEqual(expected)
  })

  test('is no return where it is a payout of its own', () => {
    const other = payout({ key: 't2', amountRaw: 400_000n, amount: '0.4', targetAddress: '0x1' })
    const moves = [paid(1_500_000n), back(400_000n)]
    expect(cover(deposit(), moves, noFees, [other])).toBe('covered')
  })
})

test('where deposits go is looked up for each of them, and not for each movement as well', () => {
  const all = Array.from({ length: 20 }, (_, n) => deposit({ key: `t${n}` }))
  const moves = Array.from({ length: 500 }, () => move({ to: '0xe5', amountRaw: 1n }))
  let looked = 0
  const vaultsOf = () => {
    looked += 1
    return ['0xe5']
  }
  const [first = deposit(), ...others] = all
  expect(cover(first, moves, { ...noFees, vaultsOf }, others)).toEqual({ what: 'amount', found: '0.0005' })
  expect(looked).toBeLessThan(50)
})

describe('a bundle of 200 deposits', () => {
  const bundle = Array.from({ length: 200 }, (_, n) =>
    deposit({ key: `t${n}`, amountRaw: 1_000_000n + BigInt(n) }),
  )
  const moves = bundle.map(({ amountRaw }) => move({ to: '0xe5', amountRaw }))
  const judge = (settings: MoneySettings) =>
    bundle.map((one) => coverMoney(one, bundle, moves, settings)).filter((gap) => gap !== 'covered').length

  test('is set beside its movements once, and not for each of them again', () => {
    let looked = 0
    const vaultsOf = () => {
      looked += 1
      return ['0xe5']
    }
    expect(judge({ ...noFees, vaultsOf })).toBe(0)
    expect(looked).toBeLessThan(1_000)
  })

  test('is compared anew once it is learned that they go elsewhere, or what is kept of them', () => {
    expect(judge(noFees)).toBe(0)
    expect(judge({ ...noFees, vaultsOf: () => ['0x99'] })).toBe(200)
    const credited = bundle.map((one) => ({ ...one, amountRaw: (one.amountRaw ?? 0n) + 1_000n }))
    const compare = (settings: MoneySettings) =>
      coverMoney(credited[199] ?? deposit(), credited, moves, settings)
    expect(compare(noFees)).toMatchObject({ what: 'amount' })
    expect(compare({ ...noFees, keptOf: () => ({ less: 1_000n, more: 0n }) })).toBe('covered')
  })

  test('one that is not among those it is compared with needs money of its own all the same', () => {
    expect(coverMoney(deposit({ key: 'late' }), bundle, moves, noFees)).toMatchObject({ what: 'amount' })
  })
})
