import { describe, expect, test } from 'vitest'
import { fc } from '../../support/fastCheck.ts'
import { addDecimals, formatDecimal, noAmount, toDecimal } from '../../../src/bridge/decimal.ts'
import { type BookLine, noSum, openBook } from '../../../src/report/book.ts'
import type { Crossing } from '../../../src/report/reconcile.ts'

const usdc = { address: '0xcc', symbol: 'USDC', name: '', decimals: 6 }
const window = { from: 1_000, until: 2_000 }
const nothing = { escrows: [], extras: [], isExtra: () => false }

function keepBook(crossings: readonly Crossing[], ...of: Parameters<typeof openBook>): BookLine[] {
  const book = openBook(...of)
  for (const one of crossings) book.add(one)
  return book.lines()
}

function crossing(key: string, overrides: Partial<Crossing> = {}): Crossing {
  return {
    key,
    direction: 'MainToZone',
    token: '0xcc',
    amountRaw: null,
    amount: '5',
    held: usdc,
    isLocked: true,
    isRewritten: false,
    startedAt: 1_000,
    end: null,
    ...overrides,
  }
}

const completed = (at: number) => ({ how: 'completed' as const, at })
const failedAt = (at: number) => ({ how: 'failed' as const, at })
const of = (line: BookLine | undefined) => ({
  deposits: line?.deposits.amount,
  withdrawals: line?.withdrawals.amount,
  inFlight: line?.inFlight.amount,
  failed: line?.failed.amount,
})
const none = { deposits: '0', withdrawals: '0', inFlight: '0', failed: '0' }

describe('openBook', () => {
  test('what a token calls itself is that of its transfers, where the escrow alone does not say it', () => {
    const escrow = { token: usdc, opening: null, change: null, closing: null, owed: null, asOf: null }
    const moved = { ...usdc, name: 'USD Coin' }
    const crossings = [crossing('t1', { held: moved }), crossing('t2')]
    const book = (escrows: object[]) => keepBook(crossings, window, { ...nothing, escrows: escrows as never })
    for (const lines of [book([]), book([escrow])]) {
      expect(lines).toMatchObject([{ token: moved, deposits: { count: 2, amount: '10' } }])
    }
  })

  test.each([
    [
      'a deposit counts when it is locked',
      crossing('t1', { end: completed(2_500) }),
      { deposits: '5', inFlight: '5' },
    ],
    [
      'one that failed where it began was never locked',
      crossing('t1', { end: failedAt(1_500), isLocked: false }),
      { failed: '5' },
    ],
    [
      'a withdrawal counts when it is paid',
      crossing('t1', { direction: 'ZoneToMain', startedAt: 1, end: completed(1_999) }),
      { withdrawals: '5' },
    ],
    [
      'one on its way does not',
      crossing('t1', { direction: 'ZoneToMain', end: completed(2_000) }),
      { inFlight: '5' },
    ],
  ])('%s', (_, given, expected) =>
    expect(of(keepBook([given], window, nothing)[0])).toEqual({ ...none, ...expected }),
  )

  test('the difference is what the escrows changed by beyond what transfers say; what was stolen stands there', () => {
    const escrow = { token: usdc, opening: '100', change: '-13.5', closing: '86.5', owed: '90', at: 2_000 }
    const refunded = noSum
    const extras = [
      { token: usdc, refunded, unbacked: { count: 1, amount: '3.5', unknown: 0 }, unexplained: '-10' },
    ]
    const theft = crossing('t9', {
      direction: 'ZoneToMain',
      startedAt: 1_100,
      end: completed(1_200),
      amount: '3.5',
    })
    const given = [
      crossing('t1', { end: completed(1_500) }),
      crossing('t2', { direction: 'ZoneToMain', end: completed(1_500) }),
      theft,
    ]
    const [line] = keepBook(given, window, { escrows: [escrow], extras, isExtra: ({ key }) => key === 't9' })
    expect(line).toMatchObject({ net: '0', escrowChange: '-13.5', difference: '-13.5', unexplained: '-10' })
  })

  test('what lacks an amount cannot be compared, and a token without an escrow has none', () => {
    const escrow = { token: usdc, opening: '0', change: '5', closing: '5', owed: '5', at: 2_000 }
    const [line] = keepBook([crossing('t1', { amount: null })], window, { ...nothing, escrows: [escrow] })
    expect(line).toMatchObject({ deposits: { count: 1, unknown: 1 }, difference: null, escrowChange: '5' })
    expect(keepBook([crossing('t1')], window, nothing)[0]).toMatchObject({
      escrowChange: null,
      unexplained: null,
    })
  })

  test('what the escrows changed by until another moment is compared with no net of the day', () => {
    const escrow = { token: usdc, opening: '0', change: '5', closing: '5', owed: '5', at: 1_900 }
    const [line] = keepBook([crossing('t1'), crossing('t2')], window, { ...nothing, escrows: [escrow] })
    expect(line).toMatchObject({ net: '10', escrowChange: '5', difference: null })
  })

  test('what nothing explains is what the days said, where what came in is forgotten', () => {
    const escrow = { token: usdc, opening: null, change: null, closing: '7', owed: '7', at: 2_000 }
    const said = (unexplained: string | null) =>
      keepBook([], window, { ...nothing, escrows: [{ ...escrow, unexplained }] })[0]?.unexplained
    expect([said('7'), said(null)]).toEqual(['7', null])
  })

  test('what was given back of failed deposits is less that the escrows should hold', () => {
    const escrow = { token: usdc, opening: '10', change: '-3', closing: '7', owed: '7', at: 2_000 }
    const refunded = { count: 2, amount: '8', unknown: 0 }
    const extras = [{ token: usdc, refunded, unbacked: noSum, unexplained: '0' }]
    const given = [crossing('t1'), crossing('t2', { startedAt: 1, end: failedAt(500) })]
    const [line] = keepBook(given, window, { ...nothing, escrows: [escrow], extras })
    expect(line).toMatchObject({ refunded, deposits: { amount: '5' }, net: '-3', difference: '0' })
  })

  test('what escrows paid for gas is less that they should hold', () => {
    const escrow = { token: usdc, opening: '10', change: '4.5', closing: '14.5', owed: '14.5', at: 2_000 }
    const lines = (gas: { readonly gas?: string }) =>
      keepBook([crossing('t1')], window, { ...nothing, escrows: [{ ...escrow, ...gas }] })
    expect(lines({ gas: '0.5' })).toMatchObject([{ gas: '0.5', net: '4.5', difference: '0' }])
    const [line] = lines({})
    expect(line).toMatchObject({ net: '5', difference: '-0.5' })
    expect(line && 'gas' in line).toBe(false)
  })

  const anyCrossing = fc.record({
    direction: fc.constantFrom('ZoneToMain' as const, 'MainToZone' as const),
    amount: fc.nat(1_000_000).map(String),
    startedAt: fc.nat(9_999),
    lasts: fc.option(fc.nat(3_000)),
    how: fc.constantFrom('completed' as const, 'failed' as const),
  })

  test('the days of a month add up to it', () => {
    fc.assert(
      fc.property(
        fc.array(anyCrossing, { maxLength: 40 }),
        fc.uniqueArray(fc.nat(9_999), { minLength: 3 }),
        (given, cuts) => {
          const crossings = given.map(({ lasts, how, ...rest }, index) =>
            crossing(`t${index}`, {
              ...rest,
              end: lasts === null ? null : { how, at: rest.startedAt + lasts },
            }),
          )
          const edges = cuts.toSorted((a, b) => a - b)
          const month = { from: edges[0] ?? 0, until: edges.at(-1) ?? 0 }
          const days = edges.slice(1).map((until, index) => ({ from: edges[index] ?? 0, until }))
          const whole = keepBook(crossings, month, nothing)[0]
          for (const name of ['deposits', 'withdrawals', 'failed'] as const) {
            const lines = days.flatMap((day) => keepBook(crossings, day, nothing))
            const sum = lines
              .map((line) => toDecimal(line[name].amount) ?? noAmount)
              .reduce(addDecimals, noAmount)
            expect(formatDecimal(sum)).toBe(whole?.[name].amount ?? '0')
          }
        },
      ),
    )
  })
})
