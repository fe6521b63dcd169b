import { expect, test } from 'vitest'
import { deriveDecimals, parseDecimal } from '../../../src/bridge/amount.ts'
import { fc } from '../../support/fastCheck.ts'

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
    { numRuns: 1_000 },
  )
})
