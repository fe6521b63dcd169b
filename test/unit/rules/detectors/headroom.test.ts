import { expect, test } from 'vitest'
import { escrowHeadroom } from '../../../../src/checks/escrow/headroom.ts'
import type { EscrowFlowSum, EscrowHeadroom } from '../../../../src/checks/escrow/holding.ts'
import { toFacts } from '../facts.ts'

const minuteMs = 60_000
const now = 100 * minuteMs
const calm: EscrowFlowSum = { in: 0n, out: 0n, largest: 0n, count: 0 }
/** Six withdrawals of ten: fifty an hour without the largest. */
const drain: EscrowFlowSum = { in: 0n, out: 60n, largest: 10n, count: 6 }

const toRoom = (
  of: Partial<EscrowHeadroom> & { readonly flowed?: EscrowFlowSum | null },
): EscrowHeadroom => ({
  token: '0xt1',
  symbol: 'USDC',
  decimals: 0,
  escrows: ['0xe1'],
  held: 1_000n,
  onItsWay: 0n,
  height: 7,
  at: now,
  flow: () => (of.flowed === undefined ? calm : of.flowed),
  ...of,
})

function judge(of: Parameters<typeof toRoom>[0], given: object = {}, more: object = {}) {
  const escrow = { ...toFacts(now).escrow, headroom: [toRoom(of)] }
  return escrowHeadroom.judge({ ...toFacts(now, { escrow }), ...more }, escrowHeadroom.params.parse(given))
}

test.each([
  ['what is free lasts for half an hour at the flow', { held: 25n, flowed: drain }, 30 * minuteMs],
  ['withdrawals on their way are not free', { held: 65n, onItsWay: 40n, flowed: drain }, 30 * minuteMs],
  ['more is on its way than is held', { held: 39n, onItsWay: 40n }, 0],
  ['more is on its way than is held, whatever flowed', { held: 39n, onItsWay: 40n, flowed: null }, 0],
])('told: %s', (_, of, shortInMs) => {
  const { findings, unknown } = judge(of)
  expect(findings.map(({ subject, facts }) => [subject, facts['shortInMs']])).toEqual([['0xt1', shortInMs]])
  expect(unknown).toEqual([])
})

test.each([
  ['what is free lasts a minute longer', { held: 26n, flowed: drain }],
  ['just as much is held as is on its way', { held: 40n, onItsWay: 40n }],
  // 600 of 1,000 in one go: what is left is no less safe for it.
  [
    'one large withdrawal is well covered',
    { held: 400n, flowed: { in: 0n, out: 640n, largest: 600n, count: 6 } },
  ],
  ['deposits balance the flow', { held: 1n, flowed: { ...drain, in: 50n } }],
  ['a refill came before', { held: 1_025n, flowed: drain }],
  ['four withdrawals are no flow', { held: 1n, flowed: { ...drain, count: 4 } }],
])('silent: %s', (_, of) => {
  expect(judge(of)).toMatchObject({ findings: [], unknown: [] })
})

test.each([
  ['the reading is older than a quarter of an hour', { held: 1n, onItsWay: 9n, at: now - 15 * minuteMs - 1 }],
  ['an amount on its way is not known', { onItsWay: null }],
  ['nobody knows which escrow pays', { escrows: [], held: 0n, onItsWay: 9n }],
  ['the window was not read', { held: 1n, flowed: null }],
])('unknown: %s', (_, of) => {
  expect(judge(of)).toMatchObject({ findings: [], unknown: ['0xt1'] })
})

test('what passed since the reading is no time left', () => {
  const [found] = judge({ held: 25n, flowed: drain, at: now - 10 * minuteMs }).findings
  expect(found?.facts['shortInMs']).toBe(20 * minuteMs)
})

test('says what it was measured by', () => {
  const [found] = judge({ held: 60n, onItsWay: 40n, flowed: { ...drain, in: 3n } }).findings
  expect(found?.evidence.map(({ says }) => says)).toMatchInlineSnapshot(`
    [
      "holds 60 USDC at block 7, 40 wanted by withdrawals on their way",
      "in 1h before: 3 paid in, 60 asked for in 6 withdrawals; the flow leaves out the largest, 10",
    ]
  `)
  expect(found?.facts).toEqual({
    free: '20',
    held: '60',
    onItsWay: '40',
    shortInMs: Math.floor((20 * 60 * minuteMs) / 47),
    windowMs: 60 * minuteMs,
    paidIn: '3',
    askedFor: '60',
    count: 6,
    token: 'USDC',
    escrows: '0xe1',
    height: 7,
  })
})
