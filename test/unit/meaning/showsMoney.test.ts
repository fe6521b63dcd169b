import { expect, test } from 'vitest'
import { showsMoney } from '../../../src/meaning/showsMoney.ts'

const absent = { source: 'E13', status: 'absent' } as const
const unknown = { address: '', type: '', isUnknown: true } as const
const named = { address: '0xcc', type: 'ERC20' } as const

test('a record that lacks its token is not refuted by a list of tokens alone', () => {
  expect(showsMoney(named, absent)).toBe(true)
  expect(showsMoney(unknown, absent)).toBe(false)
  expect(showsMoney({ address: '', type: '' }, absent)).toBe(false)
})

test('what an event showed is refuted once its logs are gone, and not while they could not be asked', () => {
  expect(showsMoney(unknown, absent, true)).toBe(true)
  expect(showsMoney(unknown, { ...absent, unasked: 'E21' }, true)).toBe(false)
})
