import { describe, expect, test } from 'vitest'
import { sumCases, toRisk } from '../../../src/cases/money.ts'
import type { TokenMove, Transfer } from '../../../src/bridge/transfer.ts'
import { kinds } from '../../../src/checks/index.ts'
import { formatDecimal } from '../../../src/bridge/decimal.ts'
import { createEvent } from '../alerts/harness.ts'

const token = `0x${'c'.repeat(40)}`
const hash = `0x${'1'.repeat(64)}`
const move = (from: string, to: string, units: bigint): TokenMove => ({
  token,
  from,
  to,
  amountRaw: units,
  amount: null,
  tokenId: '',
})

/** What is at risk by a withdrawal of 1,000 whose payout moved this. */
function riskOf(
  moves: readonly TokenMove[] | null,
  { kind = 'transfer.unbacked', ...transfer }: Partial<Transfer> & { kind?: string } = {},
) {
  const main = { chain: 'main', hash, height: 9, time: 1 } as const
  const by = {
    chain: 'main',
    hash,
    source: 'E13',
    at: 2,
    status: 'success',
    errorMessage: '',
    moves,
  } as const
  const arrived = { state: 'unbacked', status: 'success', main, evidence: [by] } as const
  return toRisk(kinds.find(kind), { ...createEvent(1_000, { ...arrived, ...transfer }), kind })
}

describe('money at risk by a payout that nothing stands behind', () => {
  test.each<{ title: string; moves: readonly TokenMove[] | null; expected: string }>([
    { title: 'the record while nobody said what it moved', moves: null, expected: '1000' },
    { title: 'what left, where a fee was kept', moves: [move('e', 'u', 998_500_000n)], expected: '998.5' },
    {
      title: 'what left, once, where a router passed it on',
      moves: [move('e', 'r', 998_500_000n), move('r', 'u', 998_500_000n)],
      expected: '998.5',
    },
    {
      title: 'all that left, where the fee was paid to somebody else',
      moves: [move('e', 'u', 998_500_000n), move('e', 'f', 1_500_000n)],
      expected: '1000',
    },
    {
      title: 'all that left, where the most of it was paid in again at once',
      moves: ['a', 'b', 'c', 'd', 'g'].flatMap((one) => [
        move('e', one, 200_000_000n),
        move(one, 'e', 199_999_999n),
      ]),
      expected: '1000',
    },
    {
      title: 'no more than the record, where others are paid by the same transaction',
      moves: [move('e', 'u', 1_000_000_000n), move('e', 'v', 7_000_000_000n)],
      expected: '1000',
    },
    {
      title: 'the record, where nothing of its token moved',
      moves: [{ ...move('e', 'u', 5n), token: '0xdd' }],
      expected: '1000',
    },
  ])('is $title', ({ moves, expected }) => {
    expect(riskOf(moves)?.amount).toBe(expected)
    expect(riskOf(moves, { kind: 'transfer.duplicate' })?.amount).toBe(expected)
  })

  test('is the record of a deposit, whose main transaction is no payout', () => {
    expect(riskOf([move('u', 'e', 1n)], { direction: 'MainToZone' })?.amount).toBe('1000')
  })

  test('is the record of what did not leave: what is stuck is stuck whole', () => {
    expect(riskOf([move('e', 'u', 998_500_000n)], { kind: 'transfer.rewritten' })?.amount).not.toBe('998.5')
  })
})

test('money at risk by a supply that nobody locked is the excess, in all', () => {
  const created = { ...createEvent(1_000), kind: 'supply.excess', transfer: null }
  const risk = toRisk(kinds.find('supply.excess'), {
    ...created,
    facts: { excess: '777777.5', before: '' },
    labels: { chain: 'zone', token, symbol: 'USDC' },
  })
  expect(risk).toEqual({ token, place: '', unit: 'balance', amount: '777777.5' })
})

test('cases sum up what places make together, and what lacks in all once, whichever is more', () => {
  const one = (places: string, lacking = '0') => ({ [token]: { places, lacking } })
  const said = (...cases: readonly ReturnType<typeof one>[]) =>
    formatDecimal(sumCases(cases).get(token) ?? expect.fail())
  expect(said(one('10'), one('5.5'))).toBe('15.5')
  expect(said(one('10'), one('0', '9'))).toBe('10')
  expect(said(one('10'), one('0', '12'), one('1', '30'))).toBe('30')
})
