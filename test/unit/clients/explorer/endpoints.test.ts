import { describe, expect, test } from 'vitest'
import { neutralDialect } from '../../../../src/clients/explorer/dialect.ts'
import { endpoints, findEndpoint } from '../../../../src/clients/explorer/endpoints.ts'

const hash = `0x${'a'.repeat(64)}`
const address = `0x${'Aa'.repeat(20)}`
const other = `0x${'Bb'.repeat(20)}`
const [a, b] = [address.toLowerCase(), other.toLowerCase()]
const moment = { requestedAt: 7, latest: 2e12, rows: [] }
const hashes = (count: number) => Array<string>(count).fill(hash)

function at(id: string) {
  const endpoint = findEndpoint(id)
  if (!endpoint) throw new Error(id)
  return endpoint
}

test('there are 21 endpoints, each with a name and a path of its own', () => {
  expect(endpoints.map(({ id }) => id)).toEqual(Array.from({ length: 21 }, (_, index) => `E${index + 1}`))
  expect(new Set(endpoints.map(({ name }) => name)).size).toBe(21)
  expect(new Set(endpoints.map(({ path }) => path)).size).toBe(21)
})

test('semantics.md 38: each of the 283 documented keys has a class', () => {
  const documented = endpoints.flatMap(({ keys }) => Object.values(keys).filter((one) => one !== 'none'))
  expect(documented).toHaveLength(283)
})

test('an endpoint is found by number and by name, in any case', () => {
  expect(findEndpoint('e3')?.id).toBe('E3')
  expect(findEndpoint('Main-Block')?.id).toBe('E11')
  expect(findEndpoint('E22')).toBeNull()
})

describe('parameters', () => {
  const range = (start: number, end: number) => ({ startBlockHeight: start, endBlockHeight: end })
  test.each([
    ['E1', { tokenContractAddress: address, limit: 50 }, { tokenContractAddress: address, limit: 51 }],
    ['E2', { txId: hash, limit: 100 }, { txId: hash, limit: 101 }],
    ['E3', { limit: 100 }, { limit: 101 }],
    ['E4', { height: 5, limit: 100 }, { limit: 100 }],
    ['E5', { limit: 100 }, { limit: 101 }],
    ['E6', { address: address, limit: 50 }, { address: address, limit: 51 }],
    ['E6', { address: address, protocolType: 'token_20' }, { address: address, protocolType: 'token_21' }],
    ['E7', { ...range(1, 2), limit: 100 }, { ...range(1, 2), limit: 101 }],
    ['E8', { address: address, isFromOrTo: 'to' }, { address: address, isFromOrTo: 'both' }],
    ['E9', { txId: hashes(20) }, { txId: hashes(21) }],
    ['E10', { address: [address], ...range(5, 10_005) }, { address: [address], ...range(5, 10_006) }],
    [
      'E10',
      { address: Array(20).fill(address), ...range(1, 2) },
      { address: Array(21).fill(address), ...range(1, 2) },
    ],
    ['E11', { height: '12' }, { height: '12.5' }],
    ['E12', { txId: hashes(20) }, { txId: hashes(21) }],
    ['E13', { txId: hashes(20) }, { txId: hashes(21) }],
    ['E14', { txid: hash }, { txId: hash }],
    ['E15', { txId: hashes(20) }, { txId: hashes(21) }],
    ['E16', { txId: hash }, { txId: 'hello' }],
    ['E17', { contractAddress: address }, { contractAddress: '' }],
    ['E18', { address: address, topic0: hash }, { address: address }],
    ['E19', { address: address, ...range(1, 9) }, { address: address }],
    ['E20', { address: address }, { address: `${address},${other}` }],
    ['E21', { txId: hash }, { txId: `${hash},${hash}` }],
  ])('of %s: %j is sent, %j is not', (id, good, bad) => {
    expect(at(id).params.safeParse(good).success).toBe(true)
    expect(at(id).params.safeParse(bad).success).toBe(false)
  })
})

describe('records', () => {
  const transfer = { txId: hash.toUpperCase().replace('0X', '0x'), from: address, to: other, amount: '1.5' }
  const moved = { ...transfer, tokenContractAddress: '' }
  test.each([
    [
      'E1',
      { ...moved, txId: undefined, txid: hash, transactionSymbol: 'USDC' },
      { hash, symbol: 'USDC', amount: '1.5' },
    ],
    [
      'E2',
      { ...moved, symbol: 'USDC', isFromContract: true },
      { hash, symbol: 'USDC', isFromContract: true, isToContract: null },
    ],
    [
      'E4',
      { hash, blockHeight: '5', status: '0x1', index: '3', valueRaw: '7' },
      { height: 5, status: 'success', index: 3, amountRaw: 7n },
    ],
    [
      'E6',
      { ...moved, challengeStatus: 'open', txfee: '0.1' },
      { challengeStatus: 'open', l1OriginHash: null, txFee: '0.1' },
    ],
    [
      'E7',
      { ...moved, state: 'success', transactionTime: '1500000000000' },
      { state: 'success', time: 1_500_000_000_000 },
    ],
    ['E5', { height: 12, blockTime: 1_500_000_000_000 }, { height: 12, time: 1_500_000_000_000 }],
    ['E8', { ...transfer, operation: 'call', symbol: 'ETH' }, { hash, operation: 'call', symbol: 'ETH' }],
    [
      'E10',
      { ...transfer, from: `${address},${other}`, gasPrice: '1000', nonce: '4' },
      { from: `${a},${b}`, gasPrice: '1000', nonce: '4' },
    ],
    ['E13', { ...moved, tokenId: '9', blockHash: hash }, { tokenId: '9', blockHash: hash }],
    ['E15', { ...transfer, operation: 'staticcall' }, { operation: 'staticcall', state: '' }],
    ['E16', { ...transfer, operation: 'call', state: 'success' }, { state: 'success' }],
    [
      'E17',
      { contractAbi: '[]', libraryInfo: '', proxy: '1', implementation: address },
      { libraries: [], proxy: '1', implementation: a },
    ],
    [
      'E17',
      { sourceCode: 'x', libraryInfo: [{ libraryName: 'Math', libraryAddress: address }] },
      { libraries: [{ name: 'Math', address: a }] },
    ],
    [
      'E18',
      { address, txId: hash, height: '7', topics: ['0xAB'], data: '0x01', logIndex: '2' },
      { topics: ['0xab'], data: '0x01', logIndex: 2 },
    ],
    [
      'E19',
      { address, txId: hash, height: 7, topics: [], data: '', logIndex: 0 },
      { height: 7, logIndex: 0 },
    ],
    [
      'E21',
      { address, txId: hash, height: '7', topics: [], data: '' },
      { topics: [], data: '', logIndex: null },
    ],
  ])('of %s: %j', (id, raw, expected) => {
    expect(at(id).createReader(neutralDialect)(raw, moment)).toMatchObject({
      record: { ...expected, requestedAt: 7 },
    })
  })

  const broken = { from: address, to: other, amount: '1', tokenContractAddress: '' }
  test('with nothing in what nobody is judged by and nobody could read', () => {
    const raw = { ...moved, isToContract: 'yes', symbol: 7 }
    expect(at('E7').createReader(neutralDialect)(raw, moment)).toMatchObject({
      record: { hash, isToContract: null, symbol: '' },
    })
  })

  test.each<[string, Record<string, unknown>, string | RegExp]>([
    ['E1', { ...broken, txid: hash, amount: 1.5 }, 'amount: expected a plain decimal number, got number 1.5'],
    ['E2', { ...broken, txId: '' }, 'txId: expected a hash of 64 digits, got nothing'],
    ['E2', { amount: '1' }, 'txId: is missing'],
    ['E2', { ...broken, txId: `${hash}a` }, /^txId: expected a hash of 64 digits/],
    ['E13', { ...broken, txId: hash, from: '0xAA' }, 'from: expected an address of 40 digits, got "0xAA"'],

    [
      'E8',
      { ...broken, operation: 'call', txid: hash, amount: 5 },
      'amount: expected a plain decimal number, got number 5',
    ],
    ['E17', {}, 'record: expected source code, an ABI or an implementation, got none'],
    [
      'E19',
      { address, data: '', txId: hash, height: '7', topics: '0xab' },
      'topics: expected an array of strings, got "0xab"',
    ],
    ['E19', { txId: hash, topics: [] }, 'height: is missing'],
  ])('of %s that break the contract: %j', (id, raw, problem) => {
    const read = at(id).createReader(neutralDialect)(raw, moment)
    expect('problem' in read && read.problem).toMatch(problem)
  })
})
