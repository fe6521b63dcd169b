import { expect, test } from 'vitest'
import { resolveToken } from '../../../../src/ledger/deriving/resolveToken.ts'
import type { LegEvidence, TokenMove } from '../../../../src/bridge/transfer.ts'

const [a, b, payee, other] = ['0xa', '0xb', '0x1', '0x2']
const main = { chain: 'main', hash: '0xm', height: null, time: null } as const
const decimals: Readonly<Record<string, number>> = { [a]: 6, [b]: 6, '': 18 }

const move = (token: string, amount: string, to = payee): TokenMove => ({
  token,
  from: '0x3',
  to,
  amount,
  amountRaw: null,
  tokenId: '',
})
const evidence = (moves: readonly TokenMove[]): LegEvidence[] => [
  { chain: 'main', hash: '0xm', source: 'E13', at: 1, status: 'success', errorMessage: '', moves },
]

test.each([
  { title: 'the only one whose very amount moved', moves: [move(a, '5'), move(b, '7')], found: a },
  { title: 'the only one that moved, whatever the amount', moves: [move(a, '4'), move(a, '1')], found: a },
  { title: 'the native currency', moves: [move('', '0.000000000005')], found: '' },
  { title: 'none of two with the same amount', moves: [move(a, '5'), move(b, '5')], found: null },
  { title: 'none of two with other amounts', moves: [move(a, '4'), move(b, '6')], found: null },
  { title: 'none when nothing moved', moves: [], found: null },
  { title: 'not what somebody else got', moves: [move(b, '5', other), move(a, '4')], found: a },
])('an event without a token is about $title', ({ moves, found }) => {
  const claim = {
    main,
    amountRaw: 5_000_000n,
    recipient: payee,
    decimalsOf: (token: string) => decimals[token] ?? null,
  }
  expect(resolveToken(claim, evidence(moves))).toBe(found)
})
