import { expect, test } from 'vitest'
import { kinds } from '../../../src/checks/index.ts'
import { listUnwatched } from '../../../src/config/listUnwatched.ts'
import { loadGood, smallest } from './loadInMemory.ts'

const token = (symbol: string, at: string, zone = '') =>
  `{ address: "0x${at.repeat(40)}", symbol: ${symbol}, decimals: 6${zone} }`
const unwatched = (...tokens: string[]) => {
  const { config } = loadGood(`${smallest}bridge: { tokens: [${tokens.join(', ')}] }\n`)
  return listUnwatched(config, kinds.all).filter(({ setting }) => setting.endsWith('zoneAddress'))
}

test('what some tokens alone lack says which, and leaves no kind unwatched', () => {
  const known = token('USDC', 'a', `, zoneAddress: "0x${'c'.repeat(40)}"`)
  expect(unwatched(known)).toEqual([])
  expect(unwatched(known, token('SHARES', 'b'), token('WETH', 'd'))).toEqual([
    expect.objectContaining({
      what: 'whether more of a token exists on the zone chain than was locked for it, of SHARES, WETH',
      kinds: [],
    }),
  ])
  expect(unwatched(token('SHARES', 'b'))).toEqual([
    expect.objectContaining({ kinds: ['supply.excess', 'supply.unknown'] }),
  ])
})
