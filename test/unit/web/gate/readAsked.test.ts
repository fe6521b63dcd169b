import { expect, test } from 'vitest'
import { readQuery } from '../../../../src/web/api/parameters.ts'
import { gateQuery } from '../../../../src/web/gate/readAsked.ts'

const read = (given: Readonly<Record<string, string>>) => readQuery(gateQuery, (name) => given[name])

test.each([
  [{ token: '0x12' }, 'token: expected the address of a token, 0x and 40 hex digits, or native'],
  [{ token: 'USDC' }, 'token: expected the address of a token, 0x and 40 hex digits, or native'],
  [{ amount: '1e3' }, 'amount: expected a decimal number of tokens, such as 1000.5'],
  [{ amountRaw: '1.5' }, 'amountRaw: expected a whole number of base units'],
  [{ recipient: '0x12' }, 'recipient: expected an address, 0x and 40 hex digits'],
])('%o is refused in words', (given, problem) => {
  expect(read(given)).toEqual({ ok: false, problem })
})

test('the native currency and an address are tokens', () => {
  expect(read({ token: 'native' })).toMatchObject({ value: { token: '' } })
  expect(read({ token: `0x${'AB'.repeat(20)}` })).toMatchObject({ value: { token: `0x${'ab'.repeat(20)}` } })
})
