import { expect, test } from 'vitest'
import { escrowDifference, renderAmount, renderDifference } from '../../../src/web/pages/amounts.ts'

const plain = '<span class="amount">1,250,000.5 USDC</span>'
const cut = '<span class="amount is-cut" title="1.123456789 ETH">1.123456… ETH</span>'

test.each([
  ['1250000.5', 'USDC', plain],
  ['1.123456789', 'ETH', cut],
])(
  '%s %s has separators, at most six decimals and all of them in its title',
  async (amount, unit, expected) => {
    expect(String(await renderAmount(amount, unit))).toBe(expected)
  },
)

test('what is too long for a column, a token by its number for instance, may be broken into lines', async () => {
  expect(String(await renderAmount('96', `SHARES #${'4291'.repeat(19)}`))).toContain('class="amount is-long"')
})

test('a difference has its sign, and what is missing is red', async () => {
  expect(String(await renderDifference('9590.32'))).toContain('>+9,590.32<')
  expect(String(await renderDifference('-9590.32'))).toMatch(/tone-critical.*>−9,590\.32</)
  expect(String(await renderDifference('1.123456789'))).toContain('is-cut" title="+1.123456789">+1.123456…<')
})

test('what had left on its way is held still; with one of them unknown nothing is said', () => {
  expect(escrowDifference({ holds: '90', owes: '100.5', inTransit: '10' })).toBe('-0.5')
  expect(escrowDifference({ holds: '90', owes: null, inTransit: '10' })).toBeNull()
})

test.each([
  ['119982421.634292', '119,982,421.63…'],
  ['120.5', '120.5'],
  ['0.0049', '0.0049'],
  ['0.004912', '0.0049…'],
])('in the card of the status %s is %s, whole in its title', async (amount, shown) => {
  const cell = (await renderAmount(amount, '', 2)).toString()
  expect(cell).toContain(`>${shown}<`)
  expect(cell.includes('title=')).toBe(shown.endsWith('…'))
})
