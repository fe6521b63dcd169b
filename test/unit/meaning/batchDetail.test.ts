import { fc, timesOf } from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { readBatchDetail } from '../../../src/meaning/batchDetail.ts'
import type { BatchItem } from '../../../src/meaning/batchItem.ts'
import { formatDecimal } from '../../../src/bridge/decimal.ts'

const whole = (sum: bigint | number | string) => ({ digits: BigInt(sum), scale: 0 })
/** Items as `id:amount`, or why there are none. */
function read(detail: unknown, ...expected: (bigint | number | string)[]): string | string[] {
  const text = typeof detail === 'string' ? detail : JSON.stringify(detail)
  const reading = readBatchDetail(text, expected.map(whole))
  return reading.kind === 'items' ? reading.items.map(show) : reading.kind
}
const show = (item: BatchItem) => `${item.tokenId ?? '-'}:${formatDecimal(item.amount)}`

describe('forms of a batch detail that are read', () => {
  const inner = [
    { tokenId: '7', amount: '100' },
    { tokenId: '8', amount: '25' },
  ]
  test.each([
    ['a list of objects', inner],
    [
      'snake case',
      [
        { token_id: '7', amount_raw: '100' },
        { token_id: '8', amount_raw: '25' },
      ],
    ],
    [
      'other words',
      [
        { id: 7, value: 100 },
        { id: 8, value: 25 },
      ],
    ],
    [
      'quantities in hex',
      [
        { nftId: '0x07', quantity: '0x64' },
        { nftId: '0x08', quantity: '0x19' },
      ],
    ],
    ['parallel lists', { tokenIds: ['7', '8'], amounts: ['100', '25'] }],
    ['parallel lists in snake case', { token_ids: ['7', '8'], values: ['100', '25'] }],
    ['parallel lists as strings', { ids: '["7","8"]', amounts: '["100","25"]' }],
    [
      'a list of pairs',
      [
        ['7', '100'],
        ['8', '25'],
        ['9', '1'],
      ],
    ],
    ['a map', { '7': '100', '8': '25' }],
    ['a list as an object', { '0': inner[0], '1': inner[1] }],
    ['a wrapper', { data: { items: inner }, count: 2 }],
    ['a text within the text', JSON.stringify(JSON.stringify(inner))],
    ['texts in a list', inner.map((item) => JSON.stringify(item))],
    [
      'groups',
      [
        { to: '0xaa', items: [inner[0]] },
        { to: '0xbb', items: [inner[1]] },
      ],
    ],
    [
      'raw amounts before those in token units',
      [
        { tokenId: '7', amount: '0.1', amountRaw: '100' },
        { tokenId: '8', amount: '1', amountRaw: '25' },
      ],
    ],
  ])('%s', (_, detail) => {
    expect(read(detail).slice(0, 2)).toEqual(['7:100', '8:25'])
  })

  test('one object is one item', () => {
    expect(read({ tokenId: '7', amount: '100' })).toEqual(['7:100'])
  })

  test('an item names its token and recipient where it gives them', () => {
    const text = '[{"tokenAddress":"0xAB","tokenId":"7","amount":"1","recipient":"0xCD"}]'
    expect(readBatchDetail(text, [])).toMatchObject({ items: [{ token: '0xab', recipient: '0xcd' }] })
  })

  test('one token and recipient beside parallel lists hold for all', () => {
    const text = '{"token":"0xAB","to":"0xCD","ids":["1","2"],"amounts":["3","4"]}'
    const all = { token: '0xab', recipient: '0xcd' }
    expect(readBatchDetail(text, [])).toMatchObject({ items: [all, all] })
  })

  test('a total beside its parts does not hide them', () => {
    expect(read({ amount: '125', items: inner }, 125)).toEqual(['7:100', '8:25'])
  })
})

describe('what could be read in several ways', () => {
  const square = [
    ['7', '8'],
    ['100', '25'],
  ]

  test('is read in the one that adds up', () => {
    expect(read(square, 125)).toEqual(['7:100', '8:25'])
    expect(read(square, 33)).toEqual(['7:8', '100:25'])
  })

  test('is unresolved when none does, or several do', () => {
    expect(read(square, 1)).toBe('unresolved')
    expect(
      read(
        [
          ['1', '1'],
          ['2', '2'],
        ],
        3,
      ),
    ).not.toBe('none')
  })

  test('bare numbers are amounts only when they add up', () => {
    expect(read(['100', '25'], 125)).toEqual(['-:100', '-:25'])
    expect(read(['100', '25'], 7)).toBe('unresolved')
  })
})

describe('what is not understood', () => {
  test.each([
    ['no JSON', '<batch of items>'],
    ['a cut text', '[{"tokenId":"7","amo'],
    ['a number that has lost digits', '[{"tokenId":"7","amount":9007199254740993}]'],
    ['a negative amount', [{ tokenId: '7', amount: '-1' }]],
    ['an exponent', [{ tokenId: '7', amount: '1e18' }]],
    ['items without amounts', [{ tokenId: '7' }, { tokenId: '8' }]],
    ['one item without its amount', [{ tokenId: '7', amount: '1' }, { tokenId: '8' }]],
    ['lists of different lengths', { tokenIds: ['7', '8'], amounts: ['1'] }],
    ['a number', '12'],
    ['words', ['a', 'b']],
    ['an unknown name for the amount', [{ tokenId: '7', zork: '1' }]],
  ])('%s', (_, detail) => {
    expect(read(detail, 125)).toBe('unresolved')
  })

  test.each(['""', '[]', '{}', 'null', '"[]"'])('%s says nothing', (text) => {
    expect(read(text, 5)).toBe('none')
  })

  test('a safe number is exact, the next one is not', () => {
    expect(read('[{"id":"1","amount":9007199254740991}]')).toEqual(['1:9007199254740991'])
    expect(read('[{"id":"1","amount":9007199254740992}]')).toBe('unresolved')
  })
})

describe('any batch', () => {
  const items = fc.array(fc.tuple(fc.bigInt(0n, 2n ** 256n - 1n), fc.bigInt(1n, 2n ** 200n)), {
    minLength: 1,
    maxLength: 8,
  })
  const forms: ((list: readonly (readonly [bigint, bigint])[]) => unknown)[] = [
    (list) => list.map(([tokenId, amount]) => ({ tokenId: `${tokenId}`, amount: `${amount}` })),
    (list) => list.map(([id, value]) => ({ id: `0x${id.toString(16)}`, value: `0x${value.toString(16)}` })),
    (list) => ({ tokenIds: list.map(([id]) => `${id}`), amounts: list.map(([, amount]) => `${amount}`) }),
    (list) => ({ data: JSON.stringify(list.map(([id, qty]) => ({ token_id: `${id}`, qty: `${qty}` }))) }),
    (list) => list.map(([id, amount]) => [`${id}`, `${amount}`]),
  ]

  test('is read exactly, or not at all', () => {
    fc.assert(
      fc.property(items, fc.constantFrom(...forms), fc.boolean(), (list, form, isNested) => {
        const text = JSON.stringify(form(list))
        const sum = list.reduce((total, [, amount]) => total + amount, 0n)
        const said = read(isNested ? JSON.stringify(text) : text, sum)
        expect(said).toEqual(list.map(([id, amount]) => `${id}:${amount}`))
      }),
      { numRuns: timesOf(300) },
    )
  })

  test('of any JSON never throws, and what it gives are whole items', () => {
    fc.assert(
      fc.property(fc.json(), fc.bigInt(0n, 1000n), (text, sum) => {
        const reading = readBatchDetail(text, [whole(sum)])
        if (reading.kind === 'items')
          expect(reading.items.every(({ amount }) => amount.digits >= 0n)).toBe(true)
      }),
      { numRuns: timesOf(500) },
    )
  })
})
