import { expect, test } from 'vitest'
import { toFields } from '../../../src/delivery/itemFields.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import { createCondition, createEvent, start } from '../alerts/harness.ts'

/** What of the facts is shown beneath a headline, and what it said. */
function read(finding: Finding, summary: string) {
  const links = { main: null, zone: null }
  const of = { finding, links, rule: 'r', flapping: null, isResolved: false, isEvent: true, summary }
  const fields = toFields(of, start)
  const said = ({ place }: { readonly place?: string }) => place === 'said'
  const line = ({ label, value }: { readonly label: string; readonly value: string }) => `${label}: ${value}`
  return { shown: fields.filter((one) => !said(one)).map(line), all: fields.map(line) }
}

const excess = (symbol: string, before: string) =>
  createCondition('t', {
    kind: 'supply.excess',
    facts: {
      excess: '2.5',
      before,
      supply: '1002.5',
      claims: '1000',
      backing: '999.75',
      token: symbol,
      zoneToken: '0xz',
      height: 9,
    },
  })
const excessOf = (symbol: string, before: string) =>
  read(
    excess(symbol, before),
    `2.5 ${symbol} exist on the zone chain that nobody locked, ${before} of them since before counting began: 1,002.5 at zone block 9, 1,000 can be claimed`,
  )

test.each(['USDC', 'X', 'WSTETH'])(
  'amounts of an excess of %s have its symbol, and no line repeats the headline',
  (symbol) => {
    const { shown, all } = excessOf(symbol, '2.5')
    expect(all).toContain(`Excess: 2.5 ${symbol}`)
    expect(all).toContain(`Supply: 1,002.5 ${symbol}`)
    expect(shown.filter((line) => /^(Excess|Before|Supply|Claims)/.test(line))).toEqual([])
    expect(shown).toContain(`Backing: 999.75 ${symbol}`)
    expect(excessOf(symbol, '1.2').shown.filter((line) => line.includes('1.2'))).toEqual([])
  },
)

test('what a second payout paid is said in its token', () => {
  const facts = { owed: '1891.3901', owedBy: 'the record', paid: '3782.7802', payouts: 2, otherHashes: '' }
  const { shown } = read(
    { ...createEvent(1), kind: 'transfer.duplicate', facts },
    'Withdrawal was paid twice',
  )
  expect(shown).toContain('Paid: 3,782.7802 USDC')
  expect(shown).toContain('Owed: 1,891.3901 USDC')
})

test('what differs is said in the token only where it is an amount', () => {
  const of = (what: string, expected: string, found: string) =>
    read(
      { ...createEvent(1), kind: 'transfer.mismatch', facts: { what, leg: 'main', expected, found } },
      'a withdrawal disagrees',
    ).shown
  expect(of('amount', '1500', '2000.25')).toEqual(
    expect.arrayContaining(['Expected: 1,500 USDC', 'Found: 2,000.25 USDC']),
  )
  expect(of('tokenId', '1500', '2000')).toEqual(expect.arrayContaining(['Found: 2,000']))
})

test('base units of a token whose decimals nobody knows bear no symbol', () => {
  const event = createEvent(1)
  const transfer = event.transfer && {
    ...event.transfer,
    token: { ...event.transfer.token, decimals: null },
  }
  const facts = { owed: '18913901', paid: '37827802' }
  const { shown } = read({ ...event, transfer, kind: 'transfer.duplicate', facts }, 'paid twice')
  expect(shown).toContain('Paid: 37,827,802')
})

test('of an escrow that will be short each amount has the symbol', () => {
  const facts = { free: '-1010.5', held: '20', onItsWay: '9.5', paidIn: '1', askedFor: '3', token: 'USDC' }
  const { all } = read(createCondition('e', { kind: 'escrow.headroom', facts }), 'short soon')
  for (const line of ['Free: -1,010.5 USDC', 'Held: 20 USDC', 'On its way: 9.5 USDC', 'Paid in: 1 USDC'])
    expect(all).toContain(line)
})

test('a sum of movements is of no block, and none is named', () => {
  const drift = createCondition('t', {
    kind: 'escrow.drift',
    facts: { height: 0, sum: '3 movements, 5 USDC' },
  })
  expect(read(drift, '').all.filter((line) => line.startsWith('Block'))).toEqual([])
})
