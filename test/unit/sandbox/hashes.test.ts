import { fc } from '../../support/fastCheck.ts'
import { expect, test } from 'vitest'
import { hashOf, keyOfHash } from '../../../src/sandbox/hashes.ts'
import { scramble, unscramble } from '../../../src/sandbox/random.ts'

const uint32 = fc.integer({ min: 0, max: 0xffffffff })

test('scrambling a number can be undone', () => {
  fc.assert(fc.property(uint32, (value) => unscramble(scramble(value)) === value))
})

test('a hash leads back to the number it was made from, in its own kind and world only', () => {
  fc.assert(
    fc.property(uint32, uint32, (seed, key) => {
      const hash = hashOf(seed, 'mainTx', key)
      expect(hash).toMatch(/^0x[0-9a-f]{64}$/)
      expect(keyOfHash(seed, 'mainTx', hash)).toBe(key)
      expect(keyOfHash(seed, 'zoneTx', hash)).toBeNull()
      expect(keyOfHash((seed ^ 1) >>> 0, 'mainTx', hash)).toBeNull()
    }),
  )
})

test('a hash with one digit changed is unknown', () => {
  const hash = hashOf(1, 'mainTx', 7)
  const changed = hash.slice(0, -1) + (hash.endsWith('0') ? '1' : '0')
  expect(keyOfHash(1, 'mainTx', changed)).toBeNull()
})
