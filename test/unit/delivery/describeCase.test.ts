import { expect, test } from 'vitest'
import { rankMoney, toTokenFacts } from '../../../src/delivery/describeCase.ts'

const token = `0x${'ab'.repeat(20)}`

test.each([
  ['0.5', '1.00'],
  ['0', null],
  ['0.00', null],
  [undefined, null],
])('two of what costs %s are worth %s', (usd, worth) => {
  const tokens = toTokenFacts({ tokens: [{ address: token, symbol: 'USDC', usd }] })
  expect(rankMoney(tokens, [{ token, amount: { digits: 2n, scale: 0 } }])).toMatchObject([{ usd: worth }])
})
