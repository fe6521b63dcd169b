import { expect, test } from 'vitest'
import { deriveDecimals, parseDecimal, toPlainDecimal } from '../../../src/bridge/amount.ts'
import { fc, timesOf } from '../../support/fastCheck.ts'

test('decimals are those in which both amounts are the same, if there are any', () => {
  const value = fc.stringMatching(/^\d{1,4}(\.\d{1,4})?$/)
  const shift = fc.integer({ min: 0, max: 90 })
  fc.assert(
    fc.property(value, shift, fc.constantFrom(0n, 0n, 1n), (text, decimals, more) => {
      const { digits, scale } = parseDecimal(text) ?? { digits: 0n, scale: 0 }
      const raw = (digits * 10n ** BigInt(decimals)) / 10n ** BigInt(scale) + more
      const fitting = Array.from({ length: 78 }, (_, one) => one).filter(
        (one) => raw * 10n ** BigInt(scale) === digits * 10n ** BigInt(one),
      )
      expect(deriveDecimals(text, raw)).toBe(raw === 0n ? null : (fitting[0] ?? null))
    }),
    { numRuns: timesOf(1_000) },
  )
})

test.each([
  ['0E-18', '0'],
  ['1E-18', '0.000000000000000001'],
  ['1.50e-7', '0.00000015'],
  ['1.5e3', '1500'],
  ['12.345e1', '123.45'],
  ['1e+21', '1000000000000000000000'],
  ['1e77', `1${'0'.repeat(77)}`],
  ['10e77', null],
  ['1e-78', `0.${'0'.repeat(77)}1`],
  ['1e-79', null],
  ['1.5', null],
  ['e5', null],
  ['-1e5', null],
  ['1e', null],
  ['1e5.5', null],
])('%s without an exponent is %s', (text, plain) => {
  expect(toPlainDecimal(text)).toBe(plain)
})
