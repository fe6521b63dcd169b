import { expect, test } from 'vitest'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { findTokenProblem, findTokens } from '../../../src/web/namedTokens.ts'
import { createFakeWeb } from './support/fakeWeb.ts'

const usdc = { address: `0x${'Cc'.repeat(20)}`, symbol: 'USDC', decimals: 6 }
const twin = { address: `0x${'dd'.repeat(20)}`, symbol: 'usdc', decimals: 18 }

test('a token goes by symbol, address, or as the native currency', () => {
  expect(findTokens(' UsdC ', [usdc, twin])).toEqual([`0x${'cc'.repeat(20)}`, twin.address])
  expect(findTokens(`0x${'EE'.repeat(20)}`, [usdc])).toEqual([`0x${'ee'.repeat(20)}`])
  expect(findTokens('native', [usdc])).toEqual([''])
  expect(findTokenProblem('', [usdc])).toBeNull()
  expect(findTokenProblem('native', [])).toBeNull()
})

test.each([
  ['USDX', 'bridge.tokens lists no token `USDX`, did you mean `USDC`?'],
  [
    'SOMETHING',
    'bridge.tokens lists no token `SOMETHING`: expected one of USDC, native, or the address of a token',
  ],
  ['0xdd', 'expected an address of 40 hex digits after 0x, got "0xdd"'],
])('%s is refused with what is wrong', (text, problem) => {
  expect(findTokenProblem(text, [usdc])).toBe(problem)
})

test.each(['/api/breaks', '/api/transfers', '/transfers'])(
  '%s refuses a token that nobody lists, and takes one that is listed',
  async (path) => {
    const app = createWebApp(createFakeWeb().deps, { listenHost: '127.0.0.1', token: null })
    const ask = async (token: string) =>
      app.request(`http://127.0.0.1:9464${path}?token=${token}`, { headers: { host: '127.0.0.1:9464' } })
    const refused = await ask('USDX')
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('token: bridge.tokens lists no token `USDX`, did you mean `USDC`?')
    const taken = await Promise.all(['USDC', `0x${'9'.repeat(40)}`, 'native'].map(ask))
    expect(taken.map(({ status }) => status)).toEqual([200, 200, 200])
  },
)
