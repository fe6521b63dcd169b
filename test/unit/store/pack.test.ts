import { expect, test } from 'vitest'
import { pack } from '../../../src/store/pack.ts'
import { unpack } from '../../../src/store/unpack.ts'
import { fc } from '../../support/fastCheck.ts'

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((some) => `0x${Buffer.from(some).toString('hex')}`)

/** Half characters too: an API can say them. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 })).map((codes) => String.fromCharCode(...codes)),
)

/** What rows hold: hashes, addresses, amounts, times, words, JSON within JSON, and whatever a chain says. */
const text = fc.oneof(
  hex(32),
  hex(20),
  hex(1),
  fc.bigInt({ min: 0n, max: 2n ** 256n }).map(String),
  fc.tuple(fc.nat(), fc.stringMatching(/^\d{1,30}$/)).map(([whole, part]) => `${whole}.${part}`),
  fc.constantFrom(
    '',
    '0',
    '00',
    '-1',
    '0x',
    '0xABCD',
    '0xabc',
    '1.',
    '.5',
    '01.5',
    'success',
    'MainToZone',
    '{',
    '[]',
  ),
  fc.json(),
  anyText,
)
const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(null, true, false),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.integer({ min: 1_600_000_000_000, max: 1_900_000_000_000 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(anyText, tie('value'), { maxKeys: 6 }),
  ),
})).value

/** As JSON would give it back. */
const throughJson = (one: unknown): unknown => JSON.parse(JSON.stringify(one) ?? 'null')

test('what is packed comes back as JSON would give it', () => {
  fc.assert(
    fc.property(value, fc.array(text, { maxLength: 5 }), (one, known) => {
      expect(unpack(pack(one, known), known)).toEqual(throughJson(one))
    }),
    { numRuns: 2_000 },
  )
})

test('texts that come again, known or met before, take a byte each', () => {
  const hash = `0x${'ab'.repeat(32)}`
  expect(pack([hash, hash, hash]).length).toBe(pack([hash]).length + 2)
  expect(pack([hash], [hash]).length).toBe(4)
})

test('more texts than have a byte of their own still come back', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => `word ${index}`)
  expect(unpack(pack([many, many]))).toEqual([many, many])
})

test('bytes that were damaged, cut or of another form are refused or read, and never hang or crash', () => {
  fc.assert(
    fc.property(value, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(), (one, at, byte, cut) => {
      const bytes = pack(one)
      bytes[at % bytes.length] = byte
      for (const some of [bytes, bytes.subarray(0, cut % bytes.length)]) {
        try {
          unpack(some)
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }
    }),
    { numRuns: 1_000 },
  )
  expect(() => unpack(new Uint8Array([9, 0]))).toThrow(/form 1, found 9/)
})
