import { encodeAbiParameters, encodeEventTopics, type Hex, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { decodeMoves } from '../../../src/clients/decodeMoves.ts'

const abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
])
const [a, b, token] = ['aa', 'bb', 'cc'].map((pair) => `0x${pair.repeat(20)}`) as [Hex, Hex, Hex]
const topicsOf = (eventName: 'Transfer' | 'TransferSingle' | 'TransferBatch') =>
  encodeEventTopics({
    abi,
    eventName,
    args: eventName === 'Transfer' ? { from: a, to: b } : { operator: a, from: a, to: b },
  }).map(String)
const log = (topics: readonly string[], data: string) => ({ address: token, topics, data })
const uint = (...values: bigint[]) =>
  encodeAbiParameters(
    values.map(() => ({ type: 'uint256' }) as const),
    values,
  )
const max = (1n << 256n) - 1n

describe('decodeMoves', () => {
  test('ERC-20, to the last unit of a uint256', () => {
    expect(decodeMoves([log(topicsOf('Transfer'), uint(max))])).toEqual([
      { token, from: a, to: b, amountRaw: max, amount: null, tokenId: '' },
    ])
  })

  test('ERC-721: the token id is a topic', () => {
    const [move] = decodeMoves([log([...topicsOf('Transfer'), uint(77n)], '0x')])
    expect(move).toMatchObject({ amountRaw: 1n, tokenId: '77' })
  })

  test('ERC-1155, one and many', () => {
    const lists = [{ type: 'uint256[]' }, { type: 'uint256[]' }] as const
    const many = encodeAbiParameters(lists, [
      [1n, 2n],
      [10n, 20n],
    ])
    const moves = decodeMoves([
      log(topicsOf('TransferSingle'), uint(7n, 40n)),
      log(topicsOf('TransferBatch'), many),
    ])
    expect(moves.map(({ tokenId, amountRaw }) => [tokenId, amountRaw])).toEqual([
      ['7', 40n],
      ['1', 10n],
      ['2', 20n],
    ])
  })

  test.each([
    ['another event', [uint(1n)], '0x'],
    ['no topics', [], uint(1n)],
    ['no hex at all', ['<script>'], 'x'],
  ])('%s moves nothing', (_, topics, data) => {
    expect(decodeMoves([log(topics, data)])).toEqual([])
  })

  const [transfer = '', from = ''] = topicsOf('Transfer')
  test.each([
    ['a byte of data is missing', topicsOf('Transfer'), uint(5n).slice(0, -2)],
    ['there is no data', topicsOf('Transfer'), '0x'],
    ['no recipient is named', [transfer, from], uint(5n)],
    ['a list of many is cut', topicsOf('TransferBatch'), uint(64n, 128n, 2n, 7n)],
    ['a list of many has fewer amounts', topicsOf('TransferBatch'), uint(64n, 160n, 2n, 7n, 8n, 1n, 9n)],
  ])('its token moved, and nobody knows how much to whom, where %s', (_, topics, data) => {
    expect(decodeMoves([log(topics, data)])).toEqual([
      { token, from: '', to: '', amountRaw: null, amount: null, tokenId: '' },
    ])
  })
})
