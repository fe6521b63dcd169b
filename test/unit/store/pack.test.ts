import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { pack } from '../../../src/store/pack.ts'
import { shapes } from '../../../src/store/packForm.ts'
import { unpack } from '../../../src/store/unpack.ts'
import { fc, timesOf } from '../../support/fastCheck.ts'

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
    { numRuns: timesOf(2_000) },
  )
})

test('times that whoever reads has at hand take a byte each', () => {
  const none = { numberOf: () => undefined, nameOf: () => undefined }
  const [first, second] = [1_795_531_828_216, 1_795_480_853_300]
  const times = [first, second, -1, first + 1]
  const one = [first, second, first + 5, first + 1, second, 7]
  const packed = pack(one, [], none, times)
  expect(unpack(packed, [], none, times)).toEqual(one)
  // Form, list of six; a time that is no known one is its distance from the one before it.
  expect(Buffer.from(packed).toString('hex')).toBe('030b0678790ec9a1a7187b7918')
  // Without them it is refused, not guessed.
  expect(() => unpack(packed, [], none)).toThrow('expected packed bytes of form 2, found 3')
})

test('what is packed with times comes back with them', () => {
  const time = fc.integer({ min: 1_600_000_000_000, max: 1_600_000_000_009 })
  const none = { numberOf: () => undefined, nameOf: () => undefined }
  fc.assert(
    fc.property(
      fc.array(fc.oneof(time, value), { maxLength: 9 }),
      fc.array(fc.oneof(time, fc.constant(-1)), { minLength: 1, maxLength: 4 }),
      (one, times) => {
        expect(unpack(pack(one, [], none, times), [], none, times)).toEqual(throughJson(one))
      },
    ),
    { numRuns: timesOf(500) },
  )
})

const named = Array.from({ length: 200 }, (_, index) => `0x${index.toString(16).padStart(40, 'a')}`)
/** Every second address has a number. */
const names = {
  numberOf: (name: string) => (named.indexOf(name) % 2 === 0 ? named.indexOf(name) : undefined),
  nameOf: (number: number) => (number % 2 === 0 ? named[number] : undefined),
}
/** What rows hold beside that: named addresses, one amount in both units, objects of one shape, numbers that come again. */
const rowValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    value,
    fc.constantFrom(...named, 21_000_000, 21_000_001),
    fc
      .tuple(fc.stringMatching(/^\d{1,30}$/), fc.stringMatching(/^\d{0,20}$/), fc.nat(24), fc.boolean())
      .map(([whole, part, zeros, isRawFirst]) => {
        const amounts = [part === '' ? whole : `${whole}.${part}`, `${whole}${part}${'0'.repeat(zeros)}`]
        return isRawFirst ? amounts.toReversed() : amounts
      }),
    fc
      .tuple(fc.constantFrom(...shapes), fc.array(tie('value'), { minLength: 6, maxLength: 6 }))
      .map(([shape, values]) => Object.fromEntries(shape.map((name, at) => [name, values[at]]))),
    fc.array(tie('value'), { maxLength: 6 }),
  ),
})).value

test('what is packed as a row comes back as JSON would give it, its members in their order', () => {
  fc.assert(
    fc.property(rowValue, fc.array(text, { maxLength: 5 }), (one, known) => {
      const found = unpack(pack(one, known, names), known, names)
      expect(found).toEqual(throughJson(one))
      expect(JSON.stringify(found)).toBe(JSON.stringify(throughJson(one)))
      expect(unpack(pack(one, known), known, names)).toEqual(throughJson(one))
    }),
    { numRuns: timesOf(2_000) },
  )
})

test.each([
  ['1.5', '1500000'],
  ['1500000', '1.5'],
  ['0.000001', '1'],
  ['500', '500000000000000000000'],
  ['500000000000000000000', '500'],
  ['0.10', '100'],
])('%s and %s stand beside each other', (first, second) => {
  expect(unpack(pack([first, second], [], names), [], names)).toEqual([first, second])
})

test('what has a name, and what follows from what stands before it, takes a byte or two', () => {
  const size = (one: unknown) => pack(one, [], names).length
  expect(size([named[4]])).toBe(size([]) + 2)
  expect(size(['1234.5', '1234500000'])).toBe(size(['1234.5']) + 2)
  expect(size(['1234500000', '1234.5'])).toBe(size(['1234500000']) + 2)
  expect(size([21_000_000, 21_000_000])).toBe(size([21_000_000]) + 1)
  expect(size({ moves: [], height: 1 })).toBe(size([]) + 2)
})

test('a row cannot be read without names', () => {
  expect(() => unpack(pack([named[4]], [], names))).toThrow(/form 1, found 2/)
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
    fc.property(rowValue, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(), (one, at, byte, cut) => {
      const bytes = pack(one, [], at % 2 === 0 ? names : null)
      bytes[at % bytes.length] = byte
      for (const some of [bytes, bytes.subarray(0, cut % bytes.length)]) {
        try {
          unpack(some, [], names)
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }
    }),
    { numRuns: timesOf(1_000) },
  )
  expect(() => unpack(new Uint8Array([9, 0]))).toThrow(/form 1, found 9/)
})

test.each([
  ['lists', '[', ']'],
  ['objects', '{"a":', '}'],
])('however deep the %s of a JSON text, it comes back', (_, open, close) => {
  for (const depth of [1, 64, 65, 4_500, 5_000, 30_000]) {
    const deep = `${open.repeat(depth)}1${close.repeat(depth)}`
    const one = [deep, JSON.stringify([deep]), 'more']
    expect(unpack(pack(one, [], names), [], names)).toEqual(one)
  }
})

/** Rows of before must be found again by what is packed now, and dumps compare. */
test('the same value is the same bytes as ever', () => {
  const hash = (seed: string) => `0x${createHash('sha256').update(seed).digest('hex')}`
  const values = Array.from({ length: 300 }, (_, index) => ({
    s: [
      [null, 1_700_000_000_000 + index, 1_700_000_000_000 - index, index % 3, index - 150, index / 7],
      [hash(`a${index}`), hash(`b${index % 5}`), hash(`c${index}`).slice(0, 42), `0x${'g'.repeat(40)}`],
      [
        `${index}.5`,
        `0.${index}`,
        `${index}${'0'.repeat(index % 70)}`,
        '00',
        '0',
        '1.',
        `${2 ** 53}`,
        '',
        'success',
      ],
      [
        `{"a":[${index},"${hash(`b${index % 5}`)}"]}`,
        '[ 1 ]',
        '{',
        `word ${index % 40}`,
        'é\u{1f600}',
        '\ud800',
      ],
    ],
    more: Array.from({ length: index % 60 }, (__, at) => `text ${at % 50}`),
    long: `0x${'ab'.repeat(index * 40)}${index % 2 === 0 ? '' : 'g0'}`,
    none: undefined,
    yes: index % 2 === 0,
  }))
  const digest = createHash('sha256')
  for (const [index, one] of values.entries())
    digest.update(pack(one, [hash(`b${index % 7}`), '', hash('b1')]))
  expect(digest.digest('hex')).toBe('6d5d526c70313f8a704bdcae2e977b9228bc6114c06610685e8a7b9453129550')
})
