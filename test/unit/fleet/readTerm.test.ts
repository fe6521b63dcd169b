import { expect, test } from 'vitest'
import { readTerm } from '../../../src/fleet/searchFleet.ts'

const hex = 'aB'.repeat(32)

test.each([
  [` 0x${hex} `, { by: 'hash', hash: Buffer.from(hex, 'hex') }],
  ['t42', { by: 'transfer', number: 42 }],
  ['C7', { by: 'case', number: 7 }],
  ['98190FB6', { by: 'alert', id: '98190fb6' }],
])('%s is searched for by its index', (text, term) => expect(readTerm(text)).toEqual(term))

test.each(['', '0x12', 't', 'USDC', `${hex}00`, `0x${hex}0`, "t1' OR 1=1"])('%j names nothing', (text) =>
  expect(() => readTerm(text)).toThrow('Expected a whole hash'),
)
