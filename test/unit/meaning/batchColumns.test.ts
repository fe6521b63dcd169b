import { describe, expect, test } from 'vitest'
import { readBatchDetail } from '../../../src/meaning/batchDetail.ts'

const sum = [{ digits: 9n, scale: 0 }]
const [a, b] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`]

const itemsOf = (detail: unknown, expected = sum) => {
  const reading = readBatchDetail(typeof detail === 'string' ? detail : JSON.stringify(detail), expected)
  return reading.kind === 'items'
    ? reading.items.map(
        ({ tokenId, amount, recipient }) =>
          `${tokenId}=${amount.digits}${recipient === null ? '' : ` to ${recipient.slice(0, 3)}`}`,
      )
    : reading.kind
}

describe('a detail in words and forms of its own is read by what adds up', () => {
  test.each([
    [
      'other words',
      [
        { nftId: '11', count: 4 },
        { nftId: '22', count: 5 },
      ],
      ['11=4', '22=5'],
    ],
    ['words of several parts', { token_ids: [11, 22], token_amounts: [4, 5], token: a }, ['11=4', '22=5']],
    [
      'lists named as such',
      { data: { tokenIdList: ['11', '22'], amountArray: ['4', '5'] } },
      ['11=4', '22=5'],
    ],
    ['values in texts', { ids: '11,22', amounts: '4, 5' }, ['11=4', '22=5']],
    ['pairs in texts', ['11:4', '22:5'], ['null=4', 'null=5']],
    ['no JSON at all', '11:4;22:5', ['null=4', 'null=5']],
    [
      'objects inside',
      [
        { nft: { contract: a, tokenId: '11' }, balance: '4' },
        { nft: { contract: a, tokenId: '22' }, balance: '5' },
      ],
      ['11=4', '22=5'],
    ],
    [
      'rows without names',
      [
        [a, '11', '4'],
        [a, '22', '5'],
      ],
      ['null=4', 'null=5'],
    ],
    ['one after the other', ['11', '4', '22', '5'], ['null=4', 'null=5']],
    [
      'by recipient',
      { [a]: [{ tokenId: '11', amount: '4' }], [b]: { tokenId: '22', amount: '5' } },
      ['11=4 to 0x1', '22=5 to 0x2'],
    ],
    [
      'columns that name themselves',
      {
        inputs: [
          { name: 'ids', value: ['11', '22'] },
          { name: 'amounts', value: ['4', '5'] },
        ],
      },
      ['11=4', '22=5'],
    ],
  ])('%s', (_, detail, expected) => {
    expect(itemsOf(detail)).toEqual(expected)
  })

  test('and not where nothing adds up, or several things differ', () => {
    expect(
      itemsOf([
        { nftId: '11', count: 4 },
        { nftId: '22', count: 6 },
      ]),
    ).toBe('unresolved')
    expect(
      itemsOf([
        { nftId: '11', count: 4, weight: 3 },
        { nftId: '22', count: 5, weight: 6 },
      ]),
    ).toBe('unresolved')
    expect(itemsOf({ ids: ['4', '5'] })).toBe('unresolved')
  })

  test('known words that do not add up stay what they say', () => {
    const detail = [
      { tokenId: '11', amount: '4', part: '4' },
      { tokenId: '22', amount: '6', part: '5' },
    ]
    expect(itemsOf(detail)).toEqual(['11=4', '22=6'])
  })
})
